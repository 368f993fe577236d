/* One contraction from C, checked element by element, and one error. */
#include <stdio.h>
#include <string.h>
#include <tenfold/tenfold.h>

int main(void) {
    const int64_t a_extents[] = {2, 3}, b_extents[] = {3, 2}, d_extents[] = {2, 2};
    const tenfold_tensor inputs[] = {{TENFOLD_F64, 2, a_extents, NULL, 0},
                                     {TENFOLD_F64, 2, b_extents, NULL, 0}};
    const tenfold_tensor output = {TENFOLD_F64, 2, d_extents, NULL, 0};
    const tenfold_operands operands = {inputs, 2, NULL, &output};
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, -1, 2, 1, 0};
    const double expected[] = {1 - 5, 2 - 6, 2 + 3, 4 + 4};
    double d[4];
    const void *const input_data[] = {a, b};
    const tenfold_data data = {input_data, 2, NULL, d};
    const tenfold_context *context;

    if (tenfold_context_global(&context) != TENFOLD_OK ||
        tenfold_contract(context, "ab=ak*kb", &operands, &data, NULL, NULL) != TENFOLD_OK) {
        printf("%s\n", tenfold_last_error());
        return 1;
    }
    if (memcmp(d, expected, sizeof d) != 0) {
        printf("the result is %g %g %g %g\n", d[0], d[1], d[2], d[3]);
        return 1;
    }
    return tenfold_contract(context, "ab=ak*kc", &operands, &data, NULL, NULL) !=
           TENFOLD_UNKNOWN_LABEL;
}

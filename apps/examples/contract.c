/* Contracts two tensors from C, shows the plan, and reports a mismatch field by field. */
#include <stdio.h>
#include <stdlib.h>
#include <tenfold/tenfold.h>

static double a[16 * 8 * 12 * 10], b[14 * 10 * 18 * 8], d[16 * 12 * 18 * 14];

int main(void) {
    const int64_t a_extents[] = {16, 8, 12, 10}, d_extents[] = {16, 12, 18, 14}; /* column-major */
    int64_t b_extents[] = {14, 10, 18, 8};
    const tenfold_tensor inputs[] = {{TENFOLD_F64, 4, a_extents, NULL, 0},
                                     {TENFOLD_F64, 4, b_extents, NULL, 0}};
    const tenfold_tensor output = {TENFOLD_F64, 4, d_extents, NULL, 0};
    const tenfold_operands operands = {inputs, 2, NULL, &output};
    const tenfold_data data = {(const void *const[]){a, b}, 2, NULL, d};
    const tenfold_context *context;
    tenfold_contraction_plan *plan;
    tenfold_error_details why = TENFOLD_INIT(tenfold_error_details);
    const char *text;

    a[3 + 16 * (1 + 8 * (4 + 12 * 1))] = 6;  /* A(3, 1, 4, 1) */
    b[2 + 14 * (1 + 10 * (8 + 18 * 1))] = 7; /* B(2, 1, 8, 1) */
    if (tenfold_context_global(&context) != TENFOLD_OK ||
        tenfold_contraction_create(context, "abcd=aebf*dfce", &operands, NULL, &plan) !=
            TENFOLD_OK ||
        tenfold_contraction_explain(plan, &text) != TENFOLD_OK ||
        tenfold_contraction_execute(plan, &data, NULL) != TENFOLD_OK) {
        fprintf(stderr, "%s\n", tenfold_last_error());
        return EXIT_FAILURE;
    }
    printf("%sD(3, 4, 8, 2) = %g\n", text, d[3 + 16 * (4 + 12 * (8 + 18 * 2))]);
    tenfold_contraction_destroy(plan);

    b_extents[3] = 9;
    if (tenfold_contract(context, "abcd=aebf*dfce", &operands, &data, NULL, NULL) == TENFOLD_OK ||
        tenfold_last_error_details(&why) != TENFOLD_OK)
        return EXIT_FAILURE;
    printf("%s: label %s, %s mode %d has extent %d, %s mode %d has extent %d\n",
           tenfold_error_name(why.code), why.label, why.first.name, (int)why.first.mode,
           (int)why.first.extent, why.second.name, (int)why.second.mode, (int)why.second.extent);
    return d[3 + 16 * (4 + 12 * (8 + 18 * 2))] == 42 ? EXIT_SUCCESS : EXIT_FAILURE;
}

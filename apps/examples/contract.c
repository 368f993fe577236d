/* Contracts two tensors from C, shows the plan, and reports a mismatch field by field. */
#include <stdio.h>
#include <tenfold/tenfold.h>

static double a[16 * 8 * 12], b[8 * 10], d[16 * 12 * 10]; /* column-major */

int main(void) {
    int64_t a_extents[] = {16, 8, 12}, b_extents[] = {8, 10}, d_extents[] = {16, 12, 10};
    const tenfold_tensor tensors[] = {{TENFOLD_F64, 3, a_extents, NULL, 0},
                                      {TENFOLD_F64, 2, b_extents, NULL, 0},
                                      {TENFOLD_F64, 3, d_extents, NULL, 0}};
    const tenfold_operands operands = {tensors, 2, NULL, &tensors[2]};
    const tenfold_data data = {(const void *const[]){a, b}, 2, NULL, d};
    const tenfold_context *context;
    tenfold_contraction_plan *plan;
    tenfold_error_details why = TENFOLD_INIT(tenfold_error_details);
    const char *text;

    a[3 + 16 * (1 + 8 * 4)] = 6; /* A(3, 1, 4) */
    b[1 + 8 * 2] = 7;            /* B(1, 2) */
    if (tenfold_context_global(&context) ||
        tenfold_contraction_create(context, "acd=aec*ed", &operands, NULL, &plan) ||
        tenfold_contraction_explain(plan, &text) || tenfold_contraction_execute(plan, &data, NULL))
        return fprintf(stderr, "%s\n", tenfold_last_error());
    printf("%sD(3, 4, 2) = %g\n", text, d[3 + 16 * (4 + 12 * 2)]);
    tenfold_contraction_destroy(plan);

    b_extents[0] = 9;
    if (!tenfold_contract(context, "acd=aec*ed", &operands, &data, NULL, NULL) ||
        tenfold_last_error_details(&why) || d[3 + 16 * (4 + 12 * 2)] != 42)
        return 1;
    printf("%s: label %s, %s mode %d has extent %d, %s mode %d has extent %d\n",
           tenfold_error_name(why.code), why.label, why.first.name, (int)why.first.mode,
           (int)why.first.extent, why.second.name, (int)why.second.mode, (int)why.second.extent);
}

// Tests epilogues of matrix products.
#include <math.h>

#include "check.h"

/// C = I C0 before the steps, so that they see the elements of `from`.
static tenfold_error run(const tenfold_context *context, const tenfold_epilogue *epilogue,
                         const double *from, double *c) {
    static const double identity[] = {1, 0, 0, 1};
    const tenfold_product product = {TENFOLD_F64, {2, 2, 1, 2}, {2, 3, 1, 2}, {2, 3, 1, 2}};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    options.epilogue = epilogue;
    return tenfold_gemm(context, &product, identity, from, c, &options);
}

static void add_index(void *elements, int64_t count, void *user) {
    double *const values = elements;
    for (int64_t i = 0; i < count; ++i)
        values[i] += *(const double *)user;
}

static tenfold_epilogue *make(void) {
    tenfold_epilogue *epilogue = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_create(&epilogue));
    return epilogue;
}

static void steps(const tenfold_context *context) {
    const double from[] = {1, -2, 3, -4, 5, -6}; // 2 x 3
    const double of_rows[] = {10, 0, 20}, of_columns[] = {1, 2, 3}, x[] = {1, 1, 1, 1, 1, 1};
    const tenfold_matrix matrix = {2, 3, 1, 2};
    const tenfold_scalar two = {2, 0}, minus = {-1, 0};
    double c[6], more = 0.5;
    tenfold_epilogue *epilogue = make();
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_scale(epilogue, &two));
    CHECK_CODE(TENFOLD_OK,
               tenfold_epilogue_add_along_columns(epilogue, TENFOLD_F64, of_rows, 2, 2));
    CHECK_CODE(TENFOLD_OK,
               tenfold_epilogue_add_along_rows(epilogue, TENFOLD_F64, of_columns, 3, 1));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_add(epilogue, TENFOLD_F64, &matrix, x, &minus));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_add(epilogue, TENFOLD_F64, &matrix, x, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_call(epilogue, TENFOLD_F64, add_index, &more));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_multiply(epilogue, TENFOLD_F64, &matrix, x, &two));
    CHECK_CODE(TENFOLD_OK, run(context, epilogue, from, c));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(c[i + 2 * j] == 2 * (2 * from[i + 2 * j] + of_rows[2 * i] + of_columns[j] + 0.5));
    tenfold_epilogue_destroy(epilogue);
}

static void functions(const tenfold_context *context) {
    const double from[] = {1, -2, 3, -4, 5, -6};
    double c[6];
    for (tenfold_elementwise function = TENFOLD_RELU; function <= TENFOLD_GELU_ERF; ++function) {
        tenfold_epilogue *epilogue = make();
        CHECK_CODE(TENFOLD_OK, tenfold_epilogue_apply(epilogue, function));
        CHECK_CODE(TENFOLD_OK, run(context, epilogue, from, c));
        for (int i = 0; i < 6; ++i) {
            const double x = from[i];
            const double expected[] = {
                x < 0 ? 0 : x,
                exp(x),
                tanh(x),
                1 / (1 + exp(-x)),
                x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))),
                x / 2 * (1 + erf(x * 0.7071067811865476))};
            CHECK(fabs(c[i] - expected[function]) <= 1e-14 * (1 + fabs(expected[function])));
        }
        tenfold_epilogue_destroy(epilogue);
    }
}

static void errors(const tenfold_context *context) {
    const double from[] = {1, 2, 3, 4, 5, 6};
    const tenfold_scalar two = {2, 0};
    double c[6];
    tenfold_epilogue *epilogue = make();
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_apply(epilogue, 6));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_apply(epilogue, 256));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_add_along_rows(epilogue, 17, from, 3, 1));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_add_along_rows(epilogue, TENFOLD_F64, from, 5, 1));
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH, run(context, epilogue, from, c));
    CHECK_TEXT("epilogue step 1", last_details().first.name);
    CHECK(last_details().first.mode == 1 && last_details().first.extent == 5);
    CHECK(last_details().second.extent == 3);
    tenfold_epilogue_destroy(epilogue);

    epilogue = make();
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_add_along_rows(epilogue, TENFOLD_F32, from, 3, 1));
    CHECK_CODE(TENFOLD_TYPE_MISMATCH, run(context, epilogue, from, c));
    CHECK(last_details().first.type == TENFOLD_F32 && last_details().second.type == TENFOLD_F64);
    tenfold_epilogue_destroy(epilogue);

    epilogue = make();
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_add_along_rows(epilogue, TENFOLD_F64, NULL, 3, 1));
    CHECK_CODE(TENFOLD_NULL_POINTER, run(context, epilogue, from, c));
    tenfold_epilogue_destroy(epilogue);

    epilogue = make();
    for (int i = 0; i < 8; ++i)
        CHECK_CODE(TENFOLD_OK, tenfold_epilogue_scale(epilogue, &two));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_scale(epilogue, &two));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_epilogue_call(epilogue, TENFOLD_F64, add_index, c));
    CHECK_CODE(TENFOLD_OK, run(context, epilogue, from, c));
    CHECK(c[5] == 6 * 256);
    tenfold_epilogue_destroy(epilogue);
}

void epilogue_tests(void) {
    tenfold_context *context = make_context();
    steps(context);
    functions(context);
    errors(context);
    tenfold_context_destroy(context);
}

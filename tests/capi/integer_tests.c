// Tests tensors of 8-bit and 32-bit integers: contractions by plans and in one call,
// transpositions, matrix products, and what is refused.
#include <string.h>

#include "check.h"

static const int8_t signed_data[] = {-128, 127, 3, -1, 0, 99};    // 2 x 3
static const uint8_t unsigned_data[] = {255, 200, 3, 0, 128, 99}; // 2 x 3
static const int8_t b_data[] = {-128, 5, -128, 127, -6, 7};       // 3 x 2

/// An element of alpha A B, of column-major matrices.
static int32_t expected_sum(const int *a, int i, int j, int alpha) {
    int32_t sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += a[i + 2 * k] * b_data[k + 3 * j];
    return alpha * sum;
}

static void widen(int *to, const int8_t *from_signed, const uint8_t *from_unsigned) {
    for (int i = 0; i < 6; ++i)
        to[i] = from_signed != NULL ? from_signed[i] : from_unsigned[i];
}

static void contractions(const tenfold_context *context, tenfold_type type) {
    const tenfold_tensor inputs[] = {TENSOR(type, 2, 3), TENSOR(TENFOLD_I8, 3, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_I32, 2, 2);
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    const void *const addresses[] = {
        type == TENFOLD_U8 ? (const void *)unsigned_data : (const void *)signed_data, b_data};
    const tenfold_scalar minus_two = {-2, 0}, three = {3, 0};
    tenfold_execute_options execution = TENFOLD_INIT(tenfold_execute_options);
    tenfold_contraction_plan *plan = NULL;
    const char *text = NULL;
    int32_t d_data[4] = {7, -7, 1, 0};
    const int32_t before[4] = {7, -7, 1, 0};
    const tenfold_data data = {addresses, 2, NULL, d_data};
    int a[6];
    widen(a, type == TENFOLD_U8 ? NULL : signed_data, unsigned_data);

    CHECK_CODE(TENFOLD_OK, tenfold_contraction_create(context, "ab=ak*kb", &operands, NULL, &plan));
    execution.alpha = &minus_two;
    execution.beta = &three;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &data, &execution));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            CHECK(d_data[i + 2 * j] == expected_sum(a, i, j, -2) + 3 * before[i + 2 * j]);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_explain(plan, &text));
    CHECK(strstr(text, tenfold_type_name(type)) != NULL);
    tenfold_contraction_destroy(plan);

    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &operands, &data, NULL, NULL));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            CHECK(d_data[i + 2 * j] == expected_sum(a, i, j, 1));
}

static void transpositions(const tenfold_context *context) {
    const tenfold_tensor a = TENSOR(TENFOLD_I8, 2, 3), b = TENSOR(TENFOLD_I8, 3, 2);
    const tenfold_tensor wide = TENSOR(TENFOLD_I32, 3, 2);
    const tenfold_operands operands = {&a, 1, NULL, &b};
    const int32_t swap[] = {1, 0};
    const tenfold_scalar two = {2, 0}, half = {0.5, 0};
    const void *const inputs[] = {signed_data};
    int8_t result[6] = {0};
    const tenfold_data data = {inputs, 1, NULL, result};
    tenfold_execute_options execution = TENFOLD_INIT(tenfold_execute_options);
    tenfold_transpose_plan *plan = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose(context, "ba=ab", &operands, &data, NULL, NULL));
    CHECK(result[0] == -128 && result[1] == 3 && result[3] == 127 && result[5] == 99);
    execution.alpha = &two;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose(context, "ba=ab", &operands, &data, NULL, &execution));
    CHECK(result[0] == 0 && result[3] == -2); // modulo 256
    execution.alpha = &half;
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_transpose(context, "ba=ab", &operands, &data, NULL, &execution));
    CHECK_MESSAGE("other than integers of 32 bits");
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_transpose_create(context, swap, &a, &wide, NULL, &plan));
    CHECK(last_details().first.type == TENFOLD_I8 && last_details().second.type == TENFOLD_I32);
}

static void matrix_products(const tenfold_context *context) {
    const tenfold_product product = {
        TENFOLD_U8, {1, 2, 1, 1}, {2, 1, 1, 2}, {1, 1, 1, 1}}; // 1 x 2 times 2 x 1
    const uint8_t a[] = {255, 200};
    const int8_t b[] = {-128, 5};
    int32_t c = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, a, b, &c, NULL));
    CHECK(c == 255 * -128 + 200 * 5);
}

static void count_up(void *elements, int64_t count, void *user) {
    int32_t *const values = elements;
    for (int64_t i = 0; i < count; ++i)
        values[i] += *(const int32_t *)user;
}

static void epilogues(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_I8, 2, 3), TENSOR(TENFOLD_I8, 3, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_I32, 2, 2);
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    const void *const addresses[] = {signed_data, b_data};
    const tenfold_scalar minus_two = {-2, 0};
    const int32_t bias[] = {11, -11, 5, 7};
    int32_t two = 2, d_data[4];
    const tenfold_data data = {addresses, 2, NULL, d_data};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_epilogue *finish = NULL;
    int a[6];
    widen(a, signed_data, NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_create(&finish));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_add(finish, "ab", &d, bias, &minus_two));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_call(finish, TENFOLD_I32, count_up, &two));
    options.epilogue = finish;
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &operands, &data, &options, NULL));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            CHECK(d_data[i + 2 * j] == expected_sum(a, i, j, 1) - 2 * bias[i + 2 * j] + 2);
    tenfold_contraction_epilogue_destroy(finish);
}

static void refusals(const tenfold_context *context) {
    const tenfold_tensor of_unsigned = TENSOR(TENFOLD_U8, 2, 3), b = TENSOR(TENFOLD_U8, 3, 2);
    const tenfold_tensor both[] = {of_unsigned, b};
    const tenfold_tensor d = TENSOR(TENFOLD_I32, 2, 2), real = TENSOR(TENFOLD_F32, 2, 2);
    const tenfold_tensor narrow[] = {TENSOR(TENFOLD_I8, 2, 3), TENSOR(TENFOLD_I8, 3, 2)};
    const tenfold_operands two_unsigned = {both, 2, NULL, &d}, to_real = {narrow, 2, NULL, &real};
    tenfold_contraction_plan *plan = NULL;
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_contraction_create(context, "ab=ak*kb", &two_unsigned, NULL, &plan));
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_contraction_create(context, "ab=ak*kb", &to_real, NULL, &plan));
    // The numbers that types of integers have in C++ are none in C.
    for (tenfold_type number = 6; number < 9; ++number) {
        const tenfold_tensor wrong[] = {TENSOR(number, 2, 3), TENSOR(number, 3, 2)};
        const tenfold_operands operands = {wrong, 2, NULL, &d};
        CHECK_TEXT("unknown", tenfold_type_name(number));
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                   tenfold_contraction_create(context, "ab=ak*kb", &operands, NULL, &plan));
        CHECK_MESSAGE("which is no value of its enumeration");
    }
}

void integer_tests(void) {
    tenfold_context *context = make_context();
    CHECK_TEXT("u8", tenfold_type_name(TENFOLD_U8));
    CHECK_TEXT("i32", tenfold_type_name(TENFOLD_I32));
    CHECK_TEXT("unknown", tenfold_type_name(TENFOLD_I32 + 1));
    contractions(context, TENFOLD_I8);
    contractions(context, TENFOLD_U8);
    transpositions(context);
    matrix_products(context);
    epilogues(context);
    refusals(context);
    tenfold_context_destroy(context);
}

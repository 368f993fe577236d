// Tests matrix products, one and many.
#include "check.h"

static const double two_by_two[] = {1, 2, 3, 4}; // column-major: rows (1, 3), (2, 4)
static const tenfold_product square = {TENFOLD_F64, {2, 2, 1, 2}, {2, 2, 1, 2}, {2, 2, 1, 2}};

static void one(const tenfold_context *context) {
    const tenfold_scalar alpha = {2, 0}, beta = {1, 0}, complex_one = {1, 1};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    tenfold_product product = square;
    double c[] = {0, 0, 0, 0};
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, two_by_two, two_by_two, c, NULL));
    CHECK(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
    options.alpha = &alpha;
    options.beta = &beta;
    options.threads = 1;
    options.backend = TENFOLD_BACKEND_NATIVE;
    product.a.row_stride = 2; // transposed
    product.a.column_stride = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, two_by_two, two_by_two, c, &options));
    CHECK(c[0] == 7 + 2 * 5 && c[1] == 10 + 2 * 11 && c[2] == 15 + 2 * 11 && c[3] == 22 + 2 * 25);
    options.alpha = &complex_one;
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_gemm(context, &product, two_by_two, two_by_two, c, &options));
    CHECK_TEXT("C", last_details().first.name);
}

static void mismatches(const tenfold_context *context) {
    tenfold_product product = square;
    double c[] = {0, 0, 0, 0};
    product.b.rows = 3;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_gemm(context, &product, two_by_two, two_by_two, c, NULL));
    CHECK_TEXT("k", last_details().label);
    CHECK_TEXT("A", last_details().first.name);
    CHECK(last_details().first.mode == 1 && last_details().first.extent == 2);
    CHECK_TEXT("B", last_details().second.name);
    CHECK(last_details().second.mode == 0 && last_details().second.extent == 3);
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_gemm(context, &square, NULL, two_by_two, c, NULL));
    CHECK_TEXT("A", last_details().first.name);
    CHECK_CODE(TENFOLD_OVERLAP, tenfold_gemm(context, &square, two_by_two, c, c, NULL));
    CHECK_TEXT("B", last_details().first.name);
    CHECK_TEXT("C", last_details().second.name);
    product.type = 33;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm(context, &product, two_by_two, two_by_two, c, NULL));
}

static void complex_numbers(const tenfold_context *context) {
    const tenfold_product product = {TENFOLD_C32, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    const float a[] = {1, 2}, b[] = {3, -1};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    float c[] = {0, 0};
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, a, b, c, NULL)); // (1 + 2i) (3 - i)
    CHECK(c[0] == 5 && c[1] == 5);
    options.conj_a = 1; // (1 - 2i) (3 - i)
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, a, b, c, &options));
    CHECK(c[0] == 1 && c[1] == -7);
    options.conj_b = 1; // (1 - 2i) (3 + i)
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, a, b, c, &options));
    CHECK(c[0] == 5 && c[1] == -5);
}

static void narrow_types(const tenfold_context *context) {
    tenfold_product product = {TENFOLD_BF16, {1, 2, 1, 1}, {2, 1, 1, 2}, {1, 1, 1, 1}};
    const uint16_t bf16[] = {0x3f80, 0x4000}; // 1, 2
    const uint16_t f16[] = {0x3c00, 0x4000};  // 1, 2
    const int8_t i8[] = {-3, 5};
    const tenfold_scalar half = {0.5, 0};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    float c = 0;
    int32_t integer = 0;
    options.bf16_sums = TENFOLD_BF16_SUMS_WIDENED;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, bf16, bf16, &c, &options));
    CHECK(c == 5);
    options.bf16_sums = TENFOLD_BF16_SUMS_DOT_PRODUCTS + 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_gemm(context, &product, bf16, bf16, &c, &options));
    product.type = TENFOLD_F16;
    c = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, f16, f16, &c, NULL));
    CHECK(c == 5);
    product.type = TENFOLD_I8;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm(context, &product, i8, i8, &integer, NULL));
    CHECK(integer == 34);
    options.bf16_sums = TENFOLD_BF16_SUMS_AUTO;
    options.alpha = &half;
    CHECK_CODE(TENFOLD_TYPE_MISMATCH, tenfold_gemm(context, &product, i8, i8, &integer, &options));
}

static void batches(const tenfold_context *context) {
    const double data[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int64_t offsets[] = {4, 0};
    double c[8] = {0};
    const void *const inputs[] = {data, data + 4};
    void *const outputs[] = {c + 4, c};
    const tenfold_batch strided = {2, data, 4, NULL, NULL}, by_offset = {2, data, 0, offsets, NULL},
                        by_address = {2, NULL, 0, NULL, inputs};
    const tenfold_output_batch c_strided = {2, c, 4, NULL, NULL},
                               c_by_address = {2, NULL, 0, NULL, outputs};
    tenfold_batch three = strided;
    tenfold_product half = square;
    CHECK_CODE(TENFOLD_OK,
               tenfold_gemm_batch(context, &square, &strided, &by_offset, &c_strided, NULL));
    CHECK(c[0] == 1 * 5 + 3 * 6 && c[3] == 2 * 7 + 4 * 8); // first times second
    CHECK(c[4] == 5 * 1 + 7 * 2 && c[7] == 6 * 3 + 8 * 4); // second times first
    CHECK_CODE(TENFOLD_OK,
               tenfold_gemm_batch(context, &square, &by_address, &strided, &c_by_address, NULL));
    CHECK(c[4] == 7 && c[5] == 10 && c[6] == 15 && c[7] == 22); // first times first
    CHECK(c[0] == 5 * 5 + 7 * 6);
    three.count = 3;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_gemm_batch(context, &square, &strided, &three, &c_strided, NULL));
    CHECK_TEXT("batch", last_details().label);
    CHECK(last_details().first.extent == 3 && last_details().second.extent == 2);
    CHECK(last_details().first.mode == -1);
    half.type = TENFOLD_BF16;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm_batch(context, &half, &strided, &strided, &c_strided, NULL));
    CHECK_MESSAGE("bf16");
}

static void reduced_batches(const tenfold_context *context) {
    const double data[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const tenfold_batch strided = {2, data, 4, NULL, NULL};
    const tenfold_scalar beta = {1, 0};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    double c[] = {1, 0, 0, 0};
    options.beta = &beta;
    CHECK_CODE(TENFOLD_OK,
               tenfold_gemm_batch_reduce(context, &square, &strided, &strided, c, &options));
    CHECK(c[0] == 1 + 7 + (5 * 5 + 7 * 6) && c[3] == 22 + (6 * 7 + 8 * 8));
    CHECK_CODE(TENFOLD_NULL_POINTER,
               tenfold_gemm_batch_reduce(context, &square, &strided, &strided, NULL, NULL));
}

/// Two products of a row and a column each, (1, 2) (1, 2) and (2, 1) (2, 1), or what stands for
/// that.
static void reduced_narrow_types(const tenfold_context *context) {
    tenfold_product product = {TENFOLD_BF16, {1, 2, 1, 1}, {2, 1, 1, 2}, {1, 1, 1, 1}};
    const uint16_t bf16[] = {0x3f80, 0x4000, 0x4000, 0x3f80};
    const uint16_t f16[] = {0x3c00, 0x4000, 0x4000, 0x3c00};
    const int8_t i8[] = {-3, 5, 1, 2};
    const uint8_t u8[] = {200, 1, 2, 3};
    tenfold_batch a = {2, bf16, 2, NULL, NULL}, b = {2, i8, 2, NULL, NULL};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    float c = 0;
    int32_t integer = 0;
    options.bf16_sums = TENFOLD_BF16_SUMS_WIDENED;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm_batch_reduce(context, &product, &a, &a, &c, &options));
    CHECK(c == 10);
    options.bf16_sums = TENFOLD_BF16_SUMS_DOT_PRODUCTS + 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm_batch_reduce(context, &product, &a, &a, &c, &options));
    c = 0;
    a.data = f16;
    product.type = TENFOLD_F16;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm_batch_reduce(context, &product, &a, &a, &c, NULL));
    CHECK(c == 10);
    product.type = TENFOLD_I8;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm_batch_reduce(context, &product, &b, &b, &integer, NULL));
    CHECK(integer == 9 + 25 + 1 + 4);
    a.data = u8;
    product.type = TENFOLD_U8;
    CHECK_CODE(TENFOLD_OK, tenfold_gemm_batch_reduce(context, &product, &a, &b, &integer, NULL));
    CHECK(integer == -600 + 5 + 2 + 6);
    product.type = TENFOLD_I32;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm_batch_reduce(context, &product, &a, &b, &integer, NULL));
    CHECK_MESSAGE("i32");
}

void gemm_tests(void) {
    tenfold_context *context = make_context();
    one(context);
    mismatches(context);
    complex_numbers(context);
    narrow_types(context);
    batches(context);
    reduced_batches(context);
    reduced_narrow_types(context);
    tenfold_context_destroy(context);
}

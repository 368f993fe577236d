// Types, precisions, conjugation, and addresses of products.
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

/// Makes, executes and destroys.
static TAPP_error compute(const request *what, const void *alpha, const void *a, const void *b,
                          const void *beta, const void *c, void *d) {
    TAPP_tensor_product product = 0;
    TAPP_error code = plan(what, &product);
    if (code == TENFOLD_TAPP_OK)
        code = TAPP_execute_product(product, 0, NULL, alpha, a, b, beta, c, d);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
    return code;
}

/// op_D is of the whole sum, and each other operation of its tensor.
static void conjugation(void) {
    const double complex alpha = 2 - 3 * I, beta = 1 + 2 * I, a = 3 + 4 * I, b = -1 + 2 * I,
                         c = 5 - I;
    for (int ops = 0; ops < 16; ++ops) {
        request what = matrix_product(TAPP_C64);
        what.a = what.b = what.c = what.d = dense(TAPP_C64, "");
        what.a.op = ops & 1;
        what.b.op = ops >> 1 & 1;
        what.c.op = ops >> 2 & 1;
        what.d.op = ops >> 3 & 1;
        const double complex sum = alpha * (what.a.op ? conj(a) : a) * (what.b.op ? conj(b) : b) +
                                   beta * (what.c.op ? conj(c) : c);
        const double complex expected = what.d.op ? conj(sum) : sum;
        double complex d = NAN;
        CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &alpha, &a, &b, &beta, &c, &d));
        CHECK(d == expected);
        d = c; // in place, too
        CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &alpha, &a, &b, &beta, &d, &d));
        CHECK(d == expected);
    }
    request real = matrix_product(TAPP_F64);
    real.a.op = real.b.op = real.c.op = real.d.op = TAPP_CONJUGATE; // no effect
    const double two = 2, three = 3;
    matrix_data data = make_data();
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&real, &two, data.a, data.b, &three, data.c, data.d));
    CHECK(has_result(&data, 2, 3));
}

/// Sums of F32 lose what sums of them in F64 keep.
static void precisions(void) {
    enum { count = 3 };
    const float a[count] = {16777216, 1, -16777216}, b[count] = {1, 1, 1}, one = 1, zero = 0;
    const TAPP_prectype all[] = {TAPP_DEFAULT_PREC,     TAPP_F32F32_ACCUM_F32,
                                 TAPP_F64F64_ACCUM_F64, TAPP_F16F16_ACCUM_F16,
                                 TAPP_F16F16_ACCUM_F32, TAPP_BF16BF16_ACCUM_F32};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        request what = matrix_product(TAPP_F32);
        what.a = dense(TAPP_F32, "k", count);
        what.b = dense(TAPP_F32, "k", count);
        what.c = what.d = dense(TAPP_F32, "");
        what.precision = all[i];
        float d = NAN;
        CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &one, a, b, &zero, NULL, &d));
        CHECK(all[i] == TAPP_F64F64_ACCUM_F64 ? d == 1 : (d == 0 || d == 1 || d == 2));
    }
    // With a D of F64 the sum is in F64 by default: 2^-30 is beside 1 in no F32.
    const float small[] = {1, 0x1p-30f}, ones[] = {1, 1};
    const double alpha = 1, beta = 0;
    request wide = matrix_product(TAPP_F32);
    wide.a = dense(TAPP_F32, "k", 2);
    wide.b = dense(TAPP_F32, "k", 2);
    wide.c = wide.d = dense(TAPP_F64, "");
    double d = NAN;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&wide, &alpha, small, ones, &beta, NULL, &d));
    CHECK(d == 1 + 0x1p-30);
}

/// alpha and beta of F16 and BF16 are given in these types, sums are in F32, D is rounded once.
static void half_precision(void) {
    const uint16_t f16_one = 0x3c00, f16_two = 0x4000, bf16_one = 0x3f80, bf16_two = 0x4000;
    uint16_t d = 0;
    request what = matrix_product(TAPP_F16);
    what.a = dense(TAPP_F16, "k", 3);
    what.b = dense(TAPP_F16, "k", 3);
    what.c = what.d = dense(TAPP_F16, "");
    // 2048 + 1 + 1 = 2050, but 2048 + 1 is 2048 in F16.
    const uint16_t a[] = {0x6800, 0x3c00, 0x3c00}, b[] = {0x3c00, 0x3c00, 0x3c00};
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &f16_one, a, b, &f16_two, &f16_one, &d));
    CHECK(d == 0x6802); // 2052
    what.d.type = what.c.type = TAPP_BF16;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &bf16_two, a, b, &bf16_one, &bf16_one, &d));
    CHECK(d == 0x4580); // 4101 is 4096 in BF16
    what.b.type = TAPP_BF16;
    const uint16_t ones[] = {bf16_one, bf16_one, bf16_one};
    const float alpha = 1, beta = 0;
    float wide = NAN;
    what.d.type = what.c.type = TAPP_F32;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &alpha, a, ones, &beta, NULL, &wide));
    CHECK(wide == 2050);
}

/// F64 becomes F16 and BF16 in one step: by way of F32 these numbers would be rounded twice.
static void f64_is_rounded_once(void) {
    const struct {
        TAPP_datatype type;
        double value;
        uint16_t expected;
    } all[] = {{TAPP_F16, 1 + 0x1p-11 + 0x1p-40, 0x3c01},
               {TAPP_F16, 1 + 0x1p-11, 0x3c00},
               {TAPP_F16, 1 + 3 * 0x1p-11, 0x3c02},
               {TAPP_F16, -1 - 0x1p-11 - 0x1p-40, 0xbc01},
               {TAPP_F16, 1 + 3 * 0x1p-11 - 0x1p-40, 0x3c01},
               {TAPP_F16, 65520, 0x7c00},
               {TAPP_F16, 65520 - 0x1p-30, 0x7bff},
               {TAPP_F16, 1e300, 0x7c00},
               {TAPP_F16, 0x1p-25 + 0x1p-60, 0x0001},
               {TAPP_F16, 0x1p-25, 0x0000},
               {TAPP_F16, -1e-300, 0x8000},
               {TAPP_BF16, 1 + 0x1p-8 + 0x1p-40, 0x3f81},
               {TAPP_BF16, 1 + 0x1p-8, 0x3f80},
               {TAPP_BF16, 1e300, 0x7f80}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        request what = matrix_product(TAPP_F64);
        what.a = what.b = dense(TAPP_F64, "");
        what.c = what.d = dense(all[i].type, "");
        const uint16_t one = all[i].type == TAPP_F16 ? 0x3c00 : 0x3f80, zero = 0;
        const double b = 1;
        uint16_t d = 0xffff;
        CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &one, &all[i].value, &b, &zero, NULL, &d));
        CHECK(d == all[i].expected);
    }
}

/// C at D's address: as D lies, and of its type, it is in place; otherwise it is refused.
static void c_at_the_address_of_d(void) {
    const double two = 2, three = 3;
    matrix_data data = make_data();
    request what = matrix_product(TAPP_F64);
    memcpy(data.d, data.c, sizeof data.d);
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &two, data.a, data.b, &three, data.d, data.d));
    CHECK(has_result(&data, 2, 3));
    memcpy(data.d, data.c, sizeof data.d);
    CHECK_CODE(TENFOLD_TAPP_OK,
               compute(&what, &two, data.a, data.b, &three, TAPP_IN_PLACE, data.d));
    CHECK(has_result(&data, 2, 3));

    what.c.strides[0] = 4;
    what.c.strides[1] = 1;
    CHECK_CODE(TENFOLD_TAPP_OVERLAP, compute(&what, &two, data.a, data.b, &three, data.d, data.d));
    what.c = what.d;
    what.c.type = TAPP_F32;
    CHECK_CODE(TENFOLD_TAPP_OVERLAP,
               compute(&what, &two, data.a, data.b, &three, TAPP_IN_PLACE, data.d));
    CHECK_EXPLAINED("C shares elements with the output", TENFOLD_TAPP_OVERLAP);
    CHECK(has_result(&data, 2, 3));

    // In place with an A that is converted.
    float a[6];
    for (int i = 0; i < 6; ++i)
        a[i] = (float)data.a[i];
    what.a.type = TAPP_F32;
    what.c.type = TAPP_F64;
    memcpy(data.d, data.c, sizeof data.d);
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &two, a, data.b, &three, TAPP_IN_PLACE, data.d));
    CHECK(has_result(&data, 2, 3));
}

/// Null where an operand would be converted, which must not read it.
static void null_operands_of_mixed_types(void) {
    const double zero = 0, one = 1;
    const float a[6] = {0};
    matrix_data data = make_data();
    request what = matrix_product(TAPP_F64);
    what.a.type = TAPP_F32;
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, compute(&what, &one, NULL, data.b, &one, data.c, data.d));
    CHECK_EXPLAINED("A is null", TENFOLD_TAPP_NULL_POINTER);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, compute(&what, &one, a, NULL, &one, data.c, data.d));
    CHECK_CODE(TENFOLD_TAPP_C_IS_NULL, compute(&what, &one, a, data.b, &one, NULL, data.d));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, compute(&what, &one, a, data.b, &one, data.c, NULL));
    CHECK(data.d[0] == -1);
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &zero, NULL, NULL, &one, data.c, data.d));
    CHECK(has_result(&data, 0, 1));
    what.d.extents[0] = what.c.extents[0] = what.a.extents[0] = 0; // D is empty
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &one, NULL, NULL, &one, NULL, NULL));
    what = matrix_product(TAPP_F64); // the sum is empty
    what.a = dense(TAPP_F32, "ac", 2, 0);
    what.b = dense(TAPP_F64, "cb", 0, 4);
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &one, NULL, NULL, &one, data.c, data.d));
    CHECK(has_result(&data, 0, 1));
}

/// Larger than the blocks in which the library works, by rows, in four types.
static void larger_mixed_product(void) {
    enum { m = 70, n = 90, k = 300 };
    static float a[m * k], d[m * n];
    static double b[k * n];
    static uint16_t c[m * n];
    const uint16_t halves[] = {0x0000, 0x3f80, 0x4000, 0xc040}; // 0, 1, 2, -3 in BF16
    const double numbers[] = {0, 1, 2, -3};
    for (int i = 0; i < m * k; ++i)
        a[i] = (float)(i % 11 - 5);
    for (int i = 0; i < k * n; ++i)
        b[i] = i % 7 - 3;
    for (int i = 0; i < m * n; ++i)
        c[i] = halves[i % 4];
    request what = matrix_product(TAPP_F32);
    what.a = dense(TAPP_F32, "ac", m, k);
    what.b = dense(TAPP_F64, "cb", k, n);
    what.c = dense(TAPP_BF16, "ab", m, n);
    what.d = dense(TAPP_F32, "ab", m, n);
    what.a.strides[0] = k;
    what.a.strides[1] = 1;
    what.d.strides[0] = n;
    what.d.strides[1] = 1;
    const float alpha = 2, beta = -1;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &alpha, a, b, &beta, c, d));
    int wrong = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l)
                sum += a[l + k * i] * b[l + k * j];
            wrong += d[j + n * i] != 2 * sum - numbers[(i + m * j) % 4];
        }
    CHECK(wrong == 0);
}

void product_tests(void) {
    conjugation();
    precisions();
    half_precision();
    f64_is_rounded_once();
    c_at_the_address_of_d();
    null_operands_of_mixed_types();
    larger_mixed_product();
}

// What the README of TAPP's reference implementation lists: what is supported, the rules, the
// errors that are caught, and the corners on which it is silent or wrong (docs/tapp.md).
#include <stdint.h>
#include <string.h>

#include "check.h"

static const double one = 1, two = 2, three = 3;

/// Computes into d. Operands without extents of their own are scalars.
static TAPP_error compute(const request *what, const double *a, const double *b, double alpha,
                          double beta, const double *c, double *d) {
    TAPP_tensor_product product = 0;
    const TAPP_error code = plan(what, &product);
    if (code != TENFOLD_TAPP_OK)
        return code;
    const TAPP_error executed = TAPP_execute_product(product, 0, NULL, &alpha, a, b, &beta, c, d);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
    return executed;
}

/// A request of F64 tensors with these labels, whose extents are 2 for a, 3 for b and 4 for c.
static operand with_labels(const char *labels) {
    operand made = dense(TAPP_F64, "");
    int64_t stride = 1;
    made.order = (int)strlen(labels);
    for (int mode = 0; mode < made.order; ++mode) {
        made.idx[mode] = labels[mode];
        made.extents[mode] = labels[mode] - 'a' + 2;
        made.strides[mode] = stride;
        stride *= made.extents[mode];
    }
    return made;
}

static request product_of(const char *a, const char *b, const char *d) {
    request made = matrix_product(TAPP_F64);
    made.a = with_labels(a);
    made.b = with_labels(b);
    made.c = made.d = with_labels(d);
    return made;
}

// The first numbers, for data.
static const double numbers[24] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                   13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

static void supports_free_and_contracted_labels(void) {
    double d[8];
    const request what = product_of("ab", "bc", "ca");
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    for (int a = 0; a < 2; ++a)
        for (int c = 0; c < 4; ++c) {
            double sum = 0;
            for (int b = 0; b < 3; ++b)
                sum += numbers[a + 2 * b] * numbers[b + 3 * c];
            CHECK(d[c + 4 * a] == sum);
        }
}

static void supports_hadamard_products(void) {
    double d[6];
    const request what = product_of("ab", "ba", "ab");
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            CHECK(d[a + 2 * b] == numbers[a + 2 * b] * numbers[b + 3 * a]);
}

static void supports_labels_of_one_tensor(void) {
    double d[2];
    const request what = product_of("abc", "b", "a"); // c is summed over in A
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    for (int a = 0; a < 2; ++a) {
        double sum = 0;
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 4; ++c)
                sum += numbers[a + 2 * b + 6 * c] * numbers[b];
        CHECK(d[a] == sum);
    }
}

static void supports_diagonals_of_inputs(void) {
    double d[2];
    const request what = product_of("aab", "b", "a");
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    for (int a = 0; a < 2; ++a) {
        double sum = 0;
        for (int b = 0; b < 3; ++b)
            sum += numbers[3 * a + 4 * b] * numbers[b];
        CHECK(d[a] == sum);
    }
}

/// Other elements than the diagonal's stay as they are, whatever beta is.
static void supports_diagonals_of_d(void) {
    double d[4] = {-1, -1, -1, -1};
    const double c[4] = {5, 6, 7, 8};
    const request what = product_of("a", "a", "aa");
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 2, 3, c, d));
    CHECK(d[0] == 2 * 1 + 3 * 5 && d[1] == -1 && d[2] == -1 && d[3] == 2 * 4 + 3 * 8);
}

static void supports_scalars(void) {
    double d = -1;
    request what = product_of("ab", "ab", "");
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, &d));
    CHECK(d == 91);
    what = product_of("", "", "");
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, &two, &three, 1, 1, &one, &d));
    CHECK(d == 7);
}

static void supports_negative_and_mixed_strides(void) {
    double d[6];
    request what = product_of("ab", "b", "ab");
    what.a.strides[0] = -1;
    what.d.strides[1] = -2;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers + 1, numbers, 1, 0, NULL, d + 4));
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            CHECK(d[4 + a - 2 * b] == numbers[1 - a + 2 * b] * numbers[b]);
}

static void supports_strides_of_zero_in_inputs(void) {
    double d[2];
    request what = product_of("ab", "b", "a");
    what.a.strides[0] = 0;
    what.b.strides[0] = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers + 4, 1, 0, NULL, d));
    CHECK(d[0] == (1 + 3 + 5) * 5 && d[1] == d[0]);
    what = product_of("a", "", "a"); // C may have them, too
    what.c.strides[0] = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, &one, 1, 1, &three, d));
    CHECK(d[0] == 4 && d[1] == 5);
}

static void extents_of_zero(void) {
    double d[3] = {-1, -1, -1};
    request what = product_of("ab", "a", "b");
    what.a.extents[0] = what.b.extents[0] = 0; // an empty sum
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, NULL, NULL, 1, 2, numbers, d));
    CHECK(d[0] == 2 && d[1] == 4 && d[2] == 6);
    what.a.extents[1] = what.c.extents[0] = what.d.extents[0] = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, NULL, NULL, 1, 2, NULL, NULL));
}

/// "C must have the same structure as D": order, labels and extents; strides may differ.
static void rule_of_the_structure_of_c(void) {
    double d[6];
    request what = product_of("a", "b", "ab");
    what.c.strides[0] = 3;
    what.c.strides[1] = 1;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 1, numbers, d));
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            CHECK(d[a + 2 * b] == (a + 1) * (b + 1) + numbers[3 * a + b]);
    what.c = with_labels("a");
    CHECK_CODE(TENFOLD_TAPP_ORDER_OF_C, compute(&what, numbers, numbers, 1, 1, numbers, d));
    what.c = with_labels("ba");
    CHECK_CODE(TENFOLD_TAPP_LABELS_OF_C, compute(&what, numbers, numbers, 1, 1, numbers, d));
    what.c = with_labels("ab");
    what.c.extents[1] = 1; // no broadcasting
    CHECK_CODE(TENFOLD_TAPP_EXTENTS_OF_C, compute(&what, numbers, numbers, 1, 1, numbers, d));
}

/// "C must not be null unless beta is zero."
static void rule_of_a_null_c(void) {
    double d[6] = {-1};
    const request what = product_of("a", "b", "ab");
    CHECK_CODE(TENFOLD_TAPP_C_IS_NULL, compute(&what, numbers, numbers, 1, 1, NULL, d));
    CHECK(d[0] == -1);
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    CHECK(d[0] == 1);
}

/// "The input types of alpha and beta need to be the same as D."
static void rule_of_the_types_of_scalars(void) {
    const float alpha[2] = {2, 0}, beta[2] = {0, 3}, c = 5;
    float complex_d[2];
    request what = product_of("", "", "");
    TAPP_tensor_product product = 0;
    what.c.type = TAPP_F32;
    what.d.type = TAPP_C32;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_execute_product(product, 0, NULL, alpha, &three, &two, beta, &c, complex_d));
    CHECK(complex_d[0] == 12 && complex_d[1] == 15);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
}

/// "Indices must not only appear in D."
static void rule_of_labels_of_d_only(void) {
    double d[6];
    const request what = product_of("a", "a", "ab");
    CHECK_CODE(TENFOLD_TAPP_LABEL_OF_D_ONLY, compute(&what, numbers, numbers, 1, 0, NULL, d));
    CHECK_EXPLAINED("label 'b': D mode 1", TENFOLD_TAPP_LABEL_OF_D_ONLY);
}

/// "Aliasing within D": exactly that, where the reference compares neighbouring strides.
static void error_of_aliasing_in_d(void) {
    double d[24];
    request what = product_of("a", "b", "ab");
    what.d.strides[1] = 1;
    CHECK_CODE(TENFOLD_TAPP_ALIASING_IN_D, compute(&what, numbers, numbers, 1, 0, NULL, d));
    what.d.strides[1] = -1;
    CHECK_CODE(TENFOLD_TAPP_ALIASING_IN_D, compute(&what, numbers, numbers, 1, 0, NULL, d));
    what.d.strides[0] = 3; // positions 0, 2, 4, 3, 5, 7
    what.d.strides[1] = 2;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    CHECK(d[0] == 1 && d[2] == 2 && d[4] == 3 && d[3] == 2 && d[5] == 4 && d[7] == 6);
}

/// A stride of 0 does not matter where the extent is 1; the reference calls it aliasing.
static void stride_of_zero_and_extent_of_one(void) {
    double d[2] = {-1, -1};
    request what = product_of("ab", "b", "ab");
    what.a.extents[1] = what.b.extents[0] = what.c.extents[1] = what.d.extents[1] = 1;
    what.a.strides[1] = what.b.strides[0] = what.c.strides[1] = what.d.strides[1] = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, &three, 1, 2, numbers, d));
    CHECK(d[0] == 5 && d[1] == 10);
}

/// A D of one mode, all of whose elements lie at one address: the reference lets it pass.
static void one_mode_of_stride_zero_in_d(void) {
    double d[2] = {-1, -1};
    request what = product_of("a", "", "a");
    what.d.strides[0] = 0;
    CHECK_CODE(TENFOLD_TAPP_ALIASING_IN_D, compute(&what, numbers, &one, 1, 0, NULL, d));
    CHECK(d[0] == -1);
    what.d.extents[0] = what.c.extents[0] = what.a.extents[0] = 1;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, &one, 1, 0, NULL, d));
    CHECK(d[0] == 1);
}

/// Labels are any numbers, and matter by being equal only.
static void labels_are_any_numbers(void) {
    double d[8];
    request what = product_of("ab", "bc", "ac");
    what.a.idx[0] = what.c.idx[0] = what.d.idx[0] = INT64_MIN;
    what.a.idx[1] = what.b.idx[0] = 0;
    what.b.idx[1] = what.c.idx[1] = what.d.idx[1] = INT64_MAX;
    CHECK_CODE(TENFOLD_TAPP_OK, compute(&what, numbers, numbers, 1, 0, NULL, d));
    CHECK(d[0] == 1 * 1 + 3 * 2 + 5 * 3);
}

void rule_tests(void) {
    supports_free_and_contracted_labels();
    supports_hadamard_products();
    supports_labels_of_one_tensor();
    supports_diagonals_of_inputs();
    supports_diagonals_of_d();
    supports_scalars();
    supports_negative_and_mixed_strides();
    supports_strides_of_zero_in_inputs();
    extents_of_zero();
    rule_of_the_structure_of_c();
    rule_of_a_null_c();
    rule_of_the_types_of_scalars();
    rule_of_labels_of_d_only();
    error_of_aliasing_in_d();
    stride_of_zero_and_extent_of_one();
    one_mode_of_stride_zero_in_d();
    labels_are_any_numbers();
}

// Tests copies, sums, slices and functions of tensors, and random numbers.
#include <math.h>
#include <string.h>

#include "ranks.h"

static const int64_t extents[] = {6, 5};

/// A tensor of this type, kept whole on the last rank: all of its terms lie elsewhere.
static tenfold_dist_tensor *make_elsewhere(tenfold_type type) {
    tenfold_distribution *spread = NULL;
    tenfold_dist_tensor *tensor = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_on_rank(2, extents, rank_count,
                                                               rank_count - 1, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, type, 2, extents, spread, &tensor));
    tenfold_distribution_destroy(spread);
    return tensor;
}

/// Element i of the dense array that MAKE(salt, 6, 5) holds.
static double element(int salt, int64_t i) {
    const int64_t position[] = {i % 6, i / 6};
    return value_at(position, 2, salt);
}

static void copies_and_sums(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 5), *const b = MAKE(2, 6, 5);
    tenfold_dist_tensor *const d = make_elsewhere(TENFOLD_F64);
    const tenfold_scalar three = {3, 0};
    const tenfold_dist_term terms[] = {{{2, 0}, a}, {{-1, 0}, b}, {{0.5, 0}, d}};
    double expected[30];
    CHECK_CODE(TENFOLD_OK, tenfold_dist_copy(a, d));
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = element(1, i);
    CHECK(holds(d, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_combine(terms, 3, d));
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = 2.5 * element(1, i) - element(2, i);
    CHECK(holds(d, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_axpy(&three, b, d));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_axpy(NULL, a, d));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_scale(&three, d));
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = 3 * (3.5 * element(1, i) + 2 * element(2, i));
    CHECK(holds(d, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_combine(NULL, 0, d));
    memset(expected, 0, sizeof expected);
    CHECK(holds(d, expected));
    tenfold_dist_destroy(d);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(a);
}

/// D[1:4, 2:4] gets -2 A[2:4, 0:3] transposed, and then once more with what is there.
static void slices(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 5), *const d = MAKE(2, 6, 5);
    const int64_t of_a[] = {2, 0}, shape_a[] = {2, 3}, of_d[] = {1, 2}, shape_d[] = {3, 2};
    const tenfold_slice from = {2, of_a, shape_a}, to = {2, of_d, shape_d};
    const tenfold_scalar alpha = {-2, 0}, beta = {3, 0};
    tenfold_dist_transpose_options options = TENFOLD_INIT(tenfold_dist_transpose_options);
    double expected[30];
    options.alpha = &alpha;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_transpose("ba=ab", a, &from, d, &to, &options));
    options.beta = &beta;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_transpose("ba=ab", a, &from, d, &to, &options));
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = element(2, i);
    for (int64_t j = 0; j < 3; ++j)
        for (int64_t i = 0; i < 2; ++i)
            expected[1 + j + 6 * (2 + i)] = -8 * element(1, 2 + i + 6 * j);
    CHECK(holds(d, expected));
    // Whole tensors, and a slice that begins at the origin.
    CHECK_CODE(TENFOLD_OK, tenfold_dist_transpose("ij+=ij", a, NULL, d, NULL, NULL));
    const tenfold_slice corner = {2, NULL, shape_d};
    CHECK_CODE(TENFOLD_OK, tenfold_dist_transpose("ij=ij", a, &to, d, &corner, NULL));
    for (int64_t i = 0; i < 30; ++i)
        expected[i] += element(1, i);
    for (int64_t j = 0; j < 2; ++j)
        for (int64_t i = 0; i < 3; ++i)
            expected[i + 6 * j] = element(1, 1 + i + 6 * (2 + j));
    CHECK(holds(d, expected));
    tenfold_dist_destroy(d);
    tenfold_dist_destroy(a);
}

/// From an f64, a c32 and the position; `user` is added.
static int32_t mix(const int64_t *position, const void *const *inputs, void *to, void *user) {
    const double *const real = inputs[0];
    const float *const parts = inputs[1];
    *(double *)to = *real + 10 * parts[0] + 100 * parts[1] +
                    1000 * (double)(position[0] + 6 * position[1]) + *(const double *)user;
    return 0;
}

static int32_t stop_at_the_end(const int64_t *position, const void *const *inputs, void *to,
                               void *user) {
    (void)inputs;
    *(double *)to = 0;
    return position[0] == 5 && position[1] == 4 ? *(const int32_t *)user : 0;
}

static void functions(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 5);
    tenfold_dist_tensor *const complex_one = make_elsewhere(TENFOLD_C32);
    const tenfold_scalar parts = {2, -3};
    const tenfold_dist_tensor *const inputs[] = {a, complex_one};
    double expected[30], user = 0.5;
    int32_t code = 5;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(complex_one, &parts));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_map(a, inputs, 2, mix, &user)); // A is an input, too
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = element(1, i) + 20 - 300 + 1000 * (double)i + 0.5;
    CHECK(holds(a, expected));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT,
                 "the function that maps elements returned 5 at position (5, 4)",
                 tenfold_dist_map(a, NULL, 0, stop_at_the_end, &code));
    tenfold_dist_destroy(complex_one);
    tenfold_dist_destroy(a);
}

/// The same numbers wherever a tensor lies.
static void random_numbers(void) {
    for (tenfold_type type = TENFOLD_F32; type <= TENFOLD_C64; ++type) {
        const tenfold_scalar minus = {-1, 0};
        tenfold_dist_tensor *here = NULL, *const there = make_elsewhere(type);
        tenfold_scalar sum = {0, 0};
        double norm = -1, largest = -1;
        CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, type, 2, extents, NULL, &here));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_uniform(here, 7, 2, 3));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_uniform(there, 7, 2, 3));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_sum(here, &sum));
        CHECK(sum.re > 60 && sum.re < 90);
        CHECK(sum.im == 0 || (sum.im > 60 && sum.im < 90));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_axpy(&minus, here, there));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(there, &norm));
        CHECK(norm == 0);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_normal(here, 7, 100, 1));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_normal(there, 8, 100, 1));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_axpy(&minus, here, there));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_norm_max(there, &largest));
        CHECK(largest > 0 && largest < 20);
        tenfold_dist_destroy(there);
        tenfold_dist_destroy(here);
    }
}

static void errors(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 5), *const longer = MAKE(2, 6, 6);
    tenfold_dist_tensor *const other_type = make_elsewhere(TENFOLD_F32);
    const tenfold_scalar imaginary = {1, 2}, one = {1, 0};
    const int64_t shape[] = {2, 2}, far[] = {5, 0};
    const tenfold_slice corner = {2, NULL, shape}, outside = {2, far, shape};
    const tenfold_slice flat = {1, NULL, shape}, negative = {-1, NULL, shape};
    const tenfold_dist_term lacking[] = {{{1, 0}, a}, {{1, 0}, NULL}};
    const tenfold_dist_term turned[] = {{{1, 0}, a}, {{1, 2}, a}};
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "x is f32, y is f64", tenfold_dist_copy(other_type, a));
    CHECK_TEXT("x", last_details().first.name);
    CHECK(last_details().second.type == TENFOLD_F64);
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "X mode 1 has extent 6, Y mode 1 has extent 5",
                 tenfold_dist_copy(longer, a));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "alpha has an imaginary part, but the tensor is f64",
                 tenfold_dist_axpy(is_last() ? &imaginary : &one, a, a));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the factor of term 2 has an imaginary part",
                 tenfold_dist_combine(turned, 2, a));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "term 2 is NULL",
                 tenfold_dist_combine(lacking, is_last() ? 2 : 1, a));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "the number of terms is -1",
                 tenfold_dist_combine(lacking, is_last() ? -1 : 1, a));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "A",
                 tenfold_dist_transpose("ij=ij", a, &outside, longer, &corner, NULL));
    FAILS_ON_ALL(TENFOLD_ORDER_MISMATCH, "",
                 tenfold_dist_transpose("ij=ij", a, &corner, longer, &flat, NULL));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "order is -1",
        tenfold_dist_transpose("ij=ij", a, is_last() ? &negative : &corner, longer, &corner, NULL));
    FAILS_ON_ALL(TENFOLD_OVERLAP, "have elements in common",
                 tenfold_dist_transpose("ij=ji", a, &corner, a, &corner, NULL));
    FAILS_ON_ALL(TENFOLD_SYNTAX, "", tenfold_dist_transpose("ij=", a, NULL, longer, NULL, NULL));
    if (rank_count > 1) {
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "seed: rank 0 passed 1",
                     tenfold_dist_fill_uniform(a, is_last() ? 2 : 1, 0, 1));
    }
    tenfold_dist_destroy(other_type);
    tenfold_dist_destroy(longer);
    tenfold_dist_destroy(a);
}

void operations_tests(void) {
    copies_and_sums();
    slices();
    functions();
    random_numbers();
    errors();
}

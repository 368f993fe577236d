// Tests sums, norms, extreme elements and their positions.
#include <math.h>

#include "ranks.h"

static const int64_t extents[] = {6, 5};

/// Element (i, j) is i - 3 j.
static int32_t ramp(const int64_t *position, void *element, void *user) {
    (void)user;
    *(double *)element = (double)(position[0] - 3 * position[1]);
    return 0;
}

static void numbers(const tenfold_dist_tensor *tensor) {
    int64_t position[2] = {-1, -1};
    tenfold_scalar sum = {-1, -1};
    double norm = -1, value = 99;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_sum(tensor, &sum));
    CHECK(sum.re == -105 && sum.im == 0); // 5 * 15 - 3 * 6 * 10
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm1(tensor, &norm));
    double expected = 0;
    for (int i = 0; i < 30; ++i)
        expected += fabs(i % 6 - 3.0 * (i / 6));
    CHECK(norm == expected);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm_max(tensor, &norm));
    CHECK(norm == 12);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_minimum(tensor, &value, position));
    CHECK(value == -12 && position[0] == 0 && position[1] == 4);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_maximum(tensor, &value, position));
    CHECK(value == 5 && position[0] == 5 && position[1] == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_maximum(tensor, &value, NULL));
}

static int32_t is_even_row(const int64_t *position, void *user) {
    ++*(int *)user;
    return position[0] % 2 == 0;
}

static void largest(const tenfold_dist_tensor *tensor) {
    int64_t positions[2 * 40], found = -1;
    double values[40];
    int calls = 0;
    const tenfold_position_filter even_rows = {is_even_row, &calls};
    CHECK_CODE(TENFOLD_OK, tenfold_dist_largest(tensor, 3, NULL, positions, values, &found));
    CHECK(found == 3);
    CHECK(values[0] == -12 && positions[0] == 0 && positions[1] == 4);
    CHECK(values[1] == -11 && positions[2] == 1 && positions[3] == 4);
    CHECK(values[2] == -10 && positions[4] == 2 && positions[5] == 4);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_largest(tensor, 2, &even_rows, positions, values, &found));
    CHECK(found == 2 && values[0] == -12 && values[1] == -10);
    CHECK(positions[2] == 2 && positions[3] == 4);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_largest(tensor, 40, NULL, positions, values, &found));
    CHECK(found == 30 && values[29] == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_largest(tensor, 0, NULL, NULL, NULL, &found));
    CHECK(found == 0);
}

static void scalars(void) {
    const int64_t one[] = {1, 1};
    const tenfold_scalar value = {2, -3};
    tenfold_dist_tensor *number = NULL, *matrix = NULL;
    tenfold_scalar found = {0, 0};
    double least = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_C64, 0, NULL, NULL, &number));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_C32, 2, one, NULL, &matrix));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(number, &value));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(matrix, &value));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_scalar(number, &found));
    CHECK(found.re == 2 && found.im == -3);
    found.re = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_scalar(matrix, &found));
    CHECK(found.re == 2 && found.im == -3);
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the tensor is c32; complex numbers have no order",
                 tenfold_dist_minimum(matrix, &least, NULL));
    CHECK(last_details().first.type == TENFOLD_C32);
    tenfold_dist_destroy(matrix);
    tenfold_dist_destroy(number);
}

static void errors(const tenfold_dist_tensor *tensor) {
    int64_t positions[2], found = -1;
    double value, values[1];
    const int64_t none[] = {0};
    const tenfold_position_filter empty = {NULL, NULL};
    tenfold_scalar number;
    tenfold_dist_tensor *nothing = NULL;
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "(6, 5)", tenfold_dist_scalar(tensor, &number));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "-1 elements",
                 tenfold_dist_largest(tensor, -1, NULL, positions, values, &found));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "the filter's function is NULL",
        tenfold_dist_largest(tensor, 1, is_last() ? &empty : NULL, positions, values, &found));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "positions is NULL",
        tenfold_dist_largest(tensor, 1, NULL, is_last() ? NULL : positions, values, &found));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 1, none, NULL, &nothing));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "without elements",
                 tenfold_dist_maximum(nothing, &value, NULL));
    tenfold_dist_destroy(nothing);
}

void reduction_tests(void) {
    tenfold_dist_tensor *tensor = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_by(tensor, ramp, NULL));
    numbers(tensor);
    largest(tensor);
    scalars();
    errors(tensor);
    tenfold_dist_destroy(tensor);
}

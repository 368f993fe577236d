// Tests slices and whole arrays, with strides.
#include "ranks.h"

static const int64_t extents[] = {6, 5};

/// Every rank reads rows 1, 2 and 3 of its own column, from the last row to the first.
static void reading(const tenfold_dist_tensor *tensor) {
    const int64_t offsets[] = {1, this_rank % 5}, part[] = {3, 1}, strides[] = {-2, 1};
    const tenfold_tensor to = {TENFOLD_F64, 2, part, strides, 0};
    double data[] = {99, 99, 99, 99, 99, 99};
    CHECK_CODE(TENFOLD_OK, tenfold_dist_read(tensor, offsets, &to, data + 5));
    for (int64_t i = 0; i < 3; ++i) {
        const int64_t position[] = {1 + i, this_rank % 5};
        CHECK(data[5 - 2 * i] == value_at(position, 2, 3));
        CHECK(data[4 - 2 * i] == 99);
    }
    // Only the last rank reads, and from the origin.
    data[0] = data[1] = data[2] = 99;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_read(tensor, NULL, is_last() ? &to : NULL, data + 5));
    CHECK(is_last() == (data[1] != 99));
}

/// All ranks read columns 2 and 3 but for their first row, by rows.
static void reading_the_same(const tenfold_dist_tensor *tensor) {
    const int64_t offsets[] = {1, 2}, part[] = {5, 2}, row_major[] = {2, 1}, zeros[] = {0, 0};
    const tenfold_tensor to = {TENFOLD_F64, 2, part, row_major, 0};
    const tenfold_tensor narrow = {TENFOLD_F32, 2, part, row_major, 0};
    double data[10] = {0};
    CHECK_CODE(TENFOLD_OK, tenfold_dist_gather_slice(tensor, offsets, &to, data));
    for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 2; ++j) {
            const int64_t position[] = {1 + i, 2 + j};
            CHECK(data[2 * i + j] == value_at(position, 2, 3));
        }
    data[0] = 99;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "to is NULL",
                 tenfold_dist_gather_slice(tensor, NULL, is_last() ? NULL : &to, data));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the array is f32, the tensor f64",
                 tenfold_dist_gather_slice(tensor, NULL, is_last() ? &narrow : &to, data));
    FAILS_ON_ALL(TENFOLD_NULL_POINTER, "null",
                 tenfold_dist_gather_slice(tensor, NULL, &to, is_last() ? NULL : data));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_gather_slice(tensor, part, &to, data));
    if (rank_count > 1)
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "slice",
                     tenfold_dist_gather_slice(tensor, is_last() ? offsets : zeros, &to, data));
    CHECK(data[0] == 99);
}

/// Row-major on the last rank.
static void gathering(const tenfold_dist_tensor *tensor) {
    const int64_t row_major[] = {5, 1};
    const tenfold_tensor to = {TENFOLD_F64, 2, extents, row_major, 0};
    double data[30] = {0};
    CHECK_CODE(TENFOLD_OK, tenfold_dist_gather(tensor, rank_count - 1, is_last() ? &to : NULL,
                                               is_last() ? data : NULL));
    for (int64_t i = 0; is_last() && i < 6; ++i)
        for (int64_t j = 0; j < 5; ++j) {
            const int64_t position[] = {i, j};
            CHECK(data[5 * i + j] == value_at(position, 2, 3));
        }
}

static void writing(void) {
    tenfold_dist_tensor *const tensor = MAKE(3, 6, 5);
    const int64_t offsets[] = {2, 4}, part[] = {2, 1}, row_major[] = {5, 1};
    const tenfold_tensor from = {TENFOLD_F64, 2, part, NULL, 0};
    const tenfold_tensor whole = {TENFOLD_F64, 2, extents, row_major, 0};
    const double values[] = {100, 101};
    double expected[30], by_rows[30];
    for (int64_t i = 0; i < 30; ++i) {
        const int64_t position[] = {i % 6, i / 6};
        expected[i] = value_at(position, 2, 3);
    }
    expected[2 + 6 * 4] = 100;
    expected[3 + 6 * 4] = 101;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_write(tensor, offsets, this_rank == 0 ? &from : NULL,
                                              this_rank == 0 ? values : NULL));
    CHECK(holds(tensor, expected));
    for (int i = 0; i < 30; ++i) {
        by_rows[5 * (i % 6) + i / 6] = 1000 + i;
        expected[i] = 1000 + i;
    }
    CHECK_CODE(TENFOLD_OK, tenfold_dist_scatter(tensor, rank_count - 1, is_last() ? &whole : NULL,
                                                is_last() ? by_rows : NULL));
    CHECK(holds(tensor, expected));
    tenfold_dist_destroy(tensor);
}

static void errors(tenfold_dist_tensor *tensor) {
    const int64_t part[] = {3, 2}, offsets[] = {4, 0}, zeros[] = {0, 0}, fixed[] = {0, 1};
    const tenfold_tensor to = {TENFOLD_F64, 2, part, NULL, 0};
    const tenfold_tensor other_type = {TENFOLD_F32, 2, part, NULL, 0};
    const tenfold_tensor one_mode = {TENFOLD_F64, 1, part, NULL, 0};
    const tenfold_tensor overlapping = {TENFOLD_F64, 2, part, fixed, 0};
    const tenfold_tensor conjugated = {TENFOLD_F64, 2, part, NULL, 1};
    const tenfold_tensor negative = {TENFOLD_F64, -2, part, NULL, 0};
    double data[6] = {0};
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "",
                 tenfold_dist_read(tensor, is_last() ? offsets : zeros, &to, data));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the array is f32, the tensor f64",
                 tenfold_dist_read(tensor, zeros, is_last() ? &other_type : &to, data));
    FAILS_ON_ALL(TENFOLD_ORDER_MISMATCH, "",
                 tenfold_dist_read(tensor, zeros, is_last() ? &one_mode : &to, data));
    FAILS_ON_ALL(TENFOLD_OVERLAP, "overlaps itself",
                 tenfold_dist_read(tensor, zeros, is_last() ? &overlapping : &to, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "conjugated",
                 tenfold_dist_read(tensor, zeros, is_last() ? &conjugated : &to, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "order is -2",
                 tenfold_dist_read(tensor, zeros, is_last() ? &negative : &to, data));
    FAILS_ON_ALL(TENFOLD_NULL_POINTER, "null",
                 tenfold_dist_read(tensor, zeros, &to, is_last() ? NULL : data));
    FAILS_ON_ALL(TENFOLD_NULL_POINTER, "null",
                 tenfold_dist_write(tensor, zeros, &to, is_last() ? NULL : data));
    if (rank_count > 1)
        FAILS_ON_ALL(TENFOLD_OVERLAP, "write the same elements",
                     tenfold_dist_write(tensor, zeros, &to, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "root",
                 tenfold_dist_gather(tensor, rank_count, &to, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "root", tenfold_dist_scatter(tensor, -1, &to, data));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_gather(tensor, 0, &to, data));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_scatter(tensor, 0, &to, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "to is NULL",
                 tenfold_dist_gather(tensor, 0, NULL, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "from is NULL",
                 tenfold_dist_scatter(tensor, 0, NULL, data));
    if (rank_count > 1) {
        const tenfold_tensor whole = {TENFOLD_F64, 2, extents, NULL, 0};
        double all[30];
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "root: rank 0 passed 0",
                     tenfold_dist_gather(tensor, is_last() ? 1 : 0, &whole, all));
    }
}

void slice_tests(void) {
    tenfold_dist_tensor *const tensor = MAKE(3, 6, 5);
    reading(tensor);
    reading_the_same(tensor);
    gathering(tensor);
    writing();
    errors(tensor);
    tenfold_dist_destroy(tensor);
}

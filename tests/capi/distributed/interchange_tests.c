// Tests lists of elements, boxes, and matrices as ScaLAPACK distributes them.
#include <stdlib.h>

#include "ranks.h"

/// Every rank reads, sets and adds to elements of its own column and to one that all share.
static void lists(void) {
    tenfold_dist_tensor *const tensor = MAKE(1, 6, 5);
    const int64_t mine = this_rank % 5;
    const int64_t positions[] = {1, mine, 4, mine, 0, 0, 1, mine};
    const int64_t first[] = {5, 4};
    const double ones[] = {1, 1, 1, 1}, hundred[] = {100};
    double values[] = {99, 99, 99, 99}, expected[30];
    CHECK_CODE(TENFOLD_OK, tenfold_dist_read_elements(tensor, 4, positions, values));
    for (int i = 0; i < 4; ++i)
        CHECK(values[i] == value_at(positions + 2 * i, 2, 1));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_add_elements(tensor, 4, positions, ones));
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_write_elements(tensor, is_last() ? 1 : 0, is_last() ? first : NULL,
                                           is_last() ? hundred : NULL));
    for (int64_t i = 0; i < 30; ++i) {
        const int64_t position[] = {i % 6, i / 6};
        expected[i] = value_at(position, 2, 1);
    }
    for (int rank = 0; rank < rank_count; ++rank) {
        expected[1 + 6 * (rank % 5)] += 2;
        expected[4 + 6 * (rank % 5)] += 1;
        expected[0] += 1;
    }
    expected[29] = 100;
    CHECK(holds(tensor, expected));
    tenfold_dist_destroy(tensor);
}

/// A number has no positions.
static void number(void) {
    const tenfold_scalar two = {2, 0};
    const float one = 1;
    tenfold_dist_tensor *tensor = NULL;
    float value = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F32, 0, NULL, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(tensor, &two));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_add_elements(tensor, 1, NULL, &one));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_read_elements(tensor, 1, NULL, &value));
    CHECK(value == (float)(2 + rank_count));
    tenfold_dist_destroy(tensor);
}

/// Rank r holds row r of the matrix in two boxes, the second one backwards.
static void boxes(void) {
    const int64_t matrix[] = {rank_count, 5};
    const int64_t begin[] = {this_rank, 0}, middle[] = {this_rank, 2};
    const int64_t two[] = {1, 2}, three[] = {1, 3}, forwards[] = {9, 1}, backwards[] = {9, -1};
    double row[] = {10, 11, 14, 13, 12};
    double *const expected = malloc(5 * sizeof *expected * (size_t)rank_count);
    const tenfold_dist_box held[] = {{begin, {TENFOLD_F64, 2, two, forwards, 0}, row},
                                     {middle, {TENFOLD_F64, 2, three, backwards, 0}, row + 4}};
    tenfold_dist_tensor *tensor = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 2, matrix, NULL, &tensor));
    for (int i = 0; i < 5; ++i)
        row[i] += 100 * this_rank;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_import_boxes(tensor, held, 2));
    for (int rank = 0; rank < rank_count; ++rank)
        for (int i = 0; i < 5; ++i)
            expected[rank + rank_count * i] = 100 * rank + 10 + i;
    CHECK(holds(tensor, expected));
    for (int i = 0; i < 5; ++i)
        row[i] = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_export_boxes(tensor, held, is_last() ? 1 : 2));
    CHECK(row[0] == 100 * this_rank + 10 && row[1] == 100 * this_rank + 11);
    CHECK(row[2] == (is_last() ? 0 : 100 * this_rank + 14));
    free(expected);
    tenfold_dist_destroy(tensor);
}

/// Columns in blocks of two, dealt to all ranks.
static void block_cyclic(void) {
    const int32_t descriptor[] = {1, 99, 6, 5, 4, 2, 0, 0, 7};
    const tenfold_process_grid grid = {1, rank_count, 0, this_rank};
    tenfold_block_cyclic where;
    tenfold_dist_tensor *const tensor = MAKE(1, 6, 5);
    double local[7 * 5], expected[30];
    int64_t rows = -1, columns = -1, column = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_block_cyclic_from_descriptor(descriptor, &grid, &where));
    CHECK(where.rows == 6 && where.columns == 5 && where.row_block == 4);
    CHECK(where.column_block == 2 && where.leading == 7 && where.grid.columns == rank_count);
    CHECK_CODE(TENFOLD_OK, tenfold_block_cyclic_local(&where, &rows, &columns));
    CHECK(rows == 6);
    for (int i = 0; i < 35; ++i)
        local[i] = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_export_block_cyclic(tensor, &where, local));
    for (int64_t j = 0; j < 5; ++j)
        if (j / 2 % rank_count == this_rank) {
            for (int64_t i = 0; i < 6; ++i) {
                const int64_t position[] = {i, j};
                CHECK(local[i + 7 * column] == value_at(position, 2, 1));
                local[i + 7 * column] = (double)(i + 6 * j);
            }
            CHECK(local[6 + 7 * column] == -1);
            ++column;
        }
    CHECK(column == columns);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_import_block_cyclic(tensor, &where, local));
    for (int i = 0; i < 30; ++i)
        expected[i] = i;
    CHECK(holds(tensor, expected));

    where.row_block = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_block_cyclic_local(&where, &rows, &columns));
    CHECK(rows == 0);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "blocks of 0 rows",
                 tenfold_dist_import_block_cyclic(tensor, &where, local));
    where.row_block = 4;
    where.rows = 7;
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "(7, 5)",
                 tenfold_dist_export_block_cyclic(tensor, &where, local));
    tenfold_dist_destroy(tensor);
}

static void errors(void) {
    tenfold_dist_tensor *const tensor = MAKE(1, 6, 5);
    const int64_t outside[] = {6, 0}, inside[] = {5, 0}, shape[] = {1, 1};
    const int32_t sparse[] = {501, 0, 6, 5, 4, 2, 0, 0, 7};
    const tenfold_process_grid grid = {1, 1, 0, 0};
    tenfold_block_cyclic where;
    double values[] = {0, 0};
    const tenfold_dist_box right = {NULL, {TENFOLD_F64, 2, shape, NULL, 0}, values};
    const tenfold_dist_box of_f32 = {NULL, {TENFOLD_F32, 2, shape, NULL, 0}, values};
    const tenfold_dist_box conjugated = {NULL, {TENFOLD_F64, 2, shape, NULL, 1}, values};
    const tenfold_dist_box twice[] = {right, right};
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "element 0 of the list, mode 0: index 6",
                 tenfold_dist_read_elements(tensor, 1, is_last() ? outside : inside, values));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "the number of values is -1",
                 tenfold_dist_add_elements(tensor, is_last() ? -1 : 0, NULL, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "positions is NULL",
                 tenfold_dist_write_elements(tensor, 1, is_last() ? NULL : inside, values));
    FAILS_ON_ALL(TENFOLD_OVERFLOW, "2^63 - 1 indices",
                 tenfold_dist_write_elements(tensor, is_last() ? INT64_MAX : 1, inside, values));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "box 1 is f32, the tensor f64",
                 tenfold_dist_import_boxes(tensor, is_last() ? &of_f32 : &right, is_last()));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "box 1 is conjugated",
                 tenfold_dist_export_boxes(tensor, is_last() ? &conjugated : &right, 1));
    FAILS_ON_ALL(TENFOLD_OVERLAP, "elements in common",
                 tenfold_dist_import_boxes(tensor, twice, is_last() ? 2 : 0));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_block_cyclic_from_descriptor(sparse, &grid, &where));
    CHECK_MESSAGE("type 501");
    tenfold_dist_destroy(tensor);
}

void interchange_tests(void) {
    lists();
    number();
    boxes();
    block_cyclic();
    errors();
}

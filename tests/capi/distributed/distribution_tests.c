// Tests distributions, which are local.
#include <string.h>

#include "ranks.h"

static const int64_t extents[] = {7, 4};

static void of_a_grid(void) {
    const int32_t grid[] = {2, 3}, owners[] = {5, 4, 3, 2, 1, 0};
    const int64_t position[] = {3, 2};
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *spread = NULL;
    const char *text = NULL;
    int64_t offsets[2], block[2], elements = -1;
    int32_t rank = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create(2, extents, grid, 8, owners, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &parts));
    CHECK(parts.order == 2 && parts.ranks == 8 && parts.cells == 6);
    CHECK(memcmp(parts.extents, extents, sizeof extents) == 0);
    CHECK(memcmp(parts.grid, grid, sizeof grid) == 0);
    CHECK(memcmp(parts.rank_of_cell, owners, sizeof owners) == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_text(spread, &text));
    CHECK(text != NULL && strstr(text, "extents (7, 4), grid 2x3") != NULL);

    // Cell (1, 2) is number 5, which rank 0 has: rows 3 to 6, columns 2 and 3.
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_block(spread, 0, offsets, block, &elements));
    CHECK(offsets[0] == 3 && offsets[1] == 2 && block[0] == 4 && block[1] == 2 && elements == 8);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_owner(spread, position, &rank));
    CHECK(rank == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_block(spread, 7, NULL, block, &elements));
    CHECK(block[0] == 0 && elements == 0);
    tenfold_distribution_destroy(spread);
}

static void by_default_and_on_one_rank(void) {
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *spread = NULL;
    int64_t elements = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(2, extents, 4, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &parts));
    CHECK(parts.cells == 4);
    tenfold_distribution_destroy(spread);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_on_rank(2, extents, 4, 3, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_block(spread, 3, NULL, NULL, &elements));
    CHECK(elements == 28);
    tenfold_distribution_destroy(spread);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_on_rank(0, NULL, 4, 3, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_block(spread, 2, NULL, NULL, &elements));
    CHECK(elements == 0); // of a scalar
    tenfold_distribution_destroy(spread);
}

static void errors(void) {
    const int32_t grid[] = {2, 3}, large[] = {3, 3}, twice[] = {0, 1, 2, 3, 4, 4};
    const int64_t negative[] = {7, -4}, outside[] = {7, 0};
    tenfold_distribution *spread = (tenfold_distribution *)&spread;
    int64_t elements;
    int32_t rank;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, large, 8, NULL, &spread));
    CHECK(spread == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, large, 8, twice, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, grid, 8, twice, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, negative, grid, 8, NULL, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(-1, extents, grid, 8, NULL, &spread));
    CHECK_MESSAGE("order is -1");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, NULL, 8, NULL, &spread));
    CHECK_MESSAGE("grid is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_block(2, NULL, 8, &spread));
    CHECK_MESSAGE("extents is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_block(2, extents, 0, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_on_rank(2, extents, 4, 4, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create(2, extents, grid, 8, NULL, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_block(spread, 8, NULL, NULL, &elements));
    CHECK_MESSAGE("rank 8 of 8");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_owner(spread, outside, &rank));
    CHECK_MESSAGE("index 7 of mode 0, which has extent 7");
    tenfold_distribution_destroy(spread);
}

void distribution_tests(void) {
    of_a_grid();
    by_default_and_on_one_rank();
    errors();
}

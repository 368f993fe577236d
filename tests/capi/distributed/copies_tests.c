// Tests distributions with copies, and tensors that have them.
#include <stddef.h>
#include <string.h>

#include "ranks.h"

static const int64_t extents[] = {4, 6};

static void distributions(void) {
    const int32_t owners[] = {7, 6, 5, 4, 3, 2}, grid[] = {1, 3};
    const int64_t position[] = {0, 5};
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution_parts again = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *spread = NULL, *same = NULL;
    const char *text = NULL;
    int64_t elements = -1;
    int32_t cell = -1, copy = -1, rank = -1, equal = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_replicated(2, extents, 8, 3, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &parts));
    CHECK(parts.ranks == 8 && parts.copies == 3 && parts.cells == 2);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_text(spread, &text));
    CHECK(strstr(text, "copies") != NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_cell(spread, 5, &cell, &copy));
    CHECK(cell == 1 && copy == 2);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_cell(spread, 7, &cell, &copy));
    CHECK(cell == -1 && copy == -1);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_cell(spread, 5, NULL, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_largest_block(spread, &elements));
    CHECK(elements == 12);

    // What is described makes the same again.
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_from_parts(&parts, &same));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(spread, same, &equal));
    CHECK(equal == 1);
    tenfold_distribution_destroy(same);
    parts.rank_of_cell = NULL; // the same by default
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_from_parts(&parts, &same));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(spread, same, &equal));
    CHECK(equal == 1);
    tenfold_distribution_destroy(same);

    parts.grid = grid;
    parts.rank_of_cell = owners;
    parts.copies = 2;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_from_parts(&parts, &same));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(spread, same, &equal));
    CHECK(equal == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(same, &again));
    CHECK(again.cells == 3 && again.copies == 2);
    CHECK(memcmp(again.rank_of_cell, owners, sizeof owners) == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_owner(same, position, &rank));
    CHECK(rank == 5); // cell 2 of the first copy
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_cell(same, 2, &cell, &copy));
    CHECK(cell == 2 && copy == 1);
    tenfold_distribution_destroy(same);
    tenfold_distribution_destroy(spread);
}

/// A caller that was compiled before parts had copies.
static void shorter_parts(void) {
    tenfold_distribution_parts older = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *spread = NULL;
    const int32_t grid[] = {2, 1};
    older.size = offsetof(tenfold_distribution_parts, copies);
    older.copies = -7; // beyond its end
    older.order = 2;
    older.ranks = 2;
    older.extents = extents;
    older.grid = grid;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_from_parts(&older, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &older));
    CHECK(older.cells == 2 && older.copies == -7);
    tenfold_distribution_destroy(spread);
}

static void errors(void) {
    const int32_t grid[] = {2, 2};
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *spread = (tenfold_distribution *)&spread;
    int32_t cell;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_replicated(2, extents, 4, 5, &spread));
    CHECK_MESSAGE("5 copies on 4 ranks");
    CHECK(spread == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_replicated(2, extents, 4, 0, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_replicated(2, NULL, 4, 1, &spread));
    CHECK_MESSAGE("extents is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(NULL, &spread));
    CHECK_MESSAGE("parts is NULL");
    parts.order = 2;
    parts.ranks = 7;
    parts.extents = extents;
    parts.copies = 2;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(&parts, &spread));
    CHECK_MESSAGE("grid is NULL");
    parts.grid = grid;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(&parts, &spread));
    CHECK_MESSAGE("in 2 copies needs 8 ranks, but there are 7");
    parts.copies = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(&parts, &spread));
    parts.copies = 1;
    parts.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(&parts, &spread));
    CHECK_MESSAGE("parts: size is 1");
    parts.size = sizeof parts;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_from_parts(&parts, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_cell(spread, 7, &cell, NULL));
    CHECK_MESSAGE("rank 7 of 7");
    tenfold_distribution_destroy(spread);
}

static int32_t fill_element(const int64_t *position, void *element, void *user) {
    const int *const salt = user;
    *(double *)element = value_at(position, 2, *salt);
    return 0;
}

/// A tensor of which every rank has a copy.
static tenfold_dist_tensor *everywhere(int salt) {
    tenfold_distribution *spread = NULL;
    tenfold_dist_tensor *tensor = NULL;
    CHECK_CODE(TENFOLD_OK,
               tenfold_distribution_create_replicated(2, extents, rank_count, rank_count, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, spread, &tensor));
    tenfold_distribution_destroy(spread);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_by(tensor, fill_element, &salt));
    return tensor;
}

/// Whether this rank's part is whole and has the values of fill_element().
static int is_whole(const tenfold_dist_tensor *tensor, int salt) {
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    int equal;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(tensor, &part));
    equal = part.elements == 24;
    for (int64_t i = 0; equal && i < part.elements; ++i)
        equal = ((const double *)part.data)[i] ==
                value_at((const int64_t[]){i % extents[0], i / extents[0]}, 2, salt);
    return equal;
}

static void written_by_functions(void) {
    tenfold_dist_tensor *const tensor = everywhere(5), *const once = MAKE(6, 4, 6);
    const tenfold_dist_input input = {once, 0};
    double norm = -1, norm_of_one = -2;
    CHECK(is_whole(tensor, 5));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("ab=ab", &input, 1, tensor, NULL, NULL));
    CHECK(is_whole(tensor, 6));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(once, &norm_of_one));
    CHECK(norm == norm_of_one); // each element counts once
    tenfold_dist_destroy(tensor);
    tenfold_dist_destroy(once);
}

/// Until they are refreshed, nobody reads copies that one rank has written.
static void written_by_hand(void) {
    tenfold_dist_tensor *const tensor = everywhere(5);
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    tenfold_dist_part other = TENFOLD_INIT(tenfold_dist_part);
    double norm = -1;
    // Access on one rank is enough.
    if (is_last()) {
        CHECK_CODE(TENFOLD_OK, tenfold_dist_local_to_write(tensor, &part));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_local(tensor, &other));
        CHECK(part.data == other.data && part.elements == other.elements);
    }
    if (rank_count > 1) {
        FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "call refresh()", tenfold_dist_norm(tensor, &norm));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_refresh(tensor));
    }
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
    CHECK(is_whole(tensor, 5));

    // The first copy, which rank 0 has, is the one that counts.
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local_to_write(tensor, &part));
    for (int64_t i = 0; i < part.elements; ++i)
        ((double *)part.data)[i] =
            this_rank == 0 ? value_at((const int64_t[]){i % extents[0], i / extents[0]}, 2, 8)
                           : -77;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_refresh(tensor));
    CHECK(is_whole(tensor, 8));

    // A struct that is refused gives no access.
    part.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_local_to_write(tensor, &part));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
    tenfold_dist_destroy(tensor);
}

static void of_one_copy(void) {
    tenfold_dist_tensor *const tensor = MAKE(5, 4, 6), *const other = MAKE(5, 4, 6);
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    tenfold_dist_part of_other = TENFOLD_INIT(tenfold_dist_part);
    uint64_t least = 0;
    double norm = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local_to_write(tensor, &part));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm)); // nothing can differ
    CHECK_CODE(TENFOLD_OK, tenfold_dist_refresh(tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(other, &of_other));
    CHECK(part.number != of_other.number);
    MPI_Allreduce(&part.number, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    CHECK(part.number == least); // the same on all ranks
    if (rank_count > 1)
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "refresh",
                     tenfold_dist_refresh(is_last() ? other : tensor));
    tenfold_dist_destroy(tensor);
    tenfold_dist_destroy(other);
}

/// A contraction whose D has copies says what they cost.
static void in_plans(void) {
    tenfold_context *const context = make_context();
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_distribution *one = NULL, *many = NULL;
    tenfold_dist_plan *plan = NULL;
    const int64_t square[] = {40, 40};
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(2, square, 4, &one));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_replicated(2, square, 4, 4, &many));
    const tenfold_distribution *const once[] = {one, one, one}, *const copied[] = {one, one, many};
    options.context = context;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, once, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.keeping_copies_equal_bytes == 0);
    tenfold_dist_plan_destroy(plan);
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, copied, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.keeping_copies_equal_bytes > 0);
    CHECK(summary.keeping_copies_equal_bytes <= summary.redistribution_bytes);
    tenfold_dist_plan_destroy(plan);
    tenfold_distribution_destroy(one);
    tenfold_distribution_destroy(many);
    tenfold_context_destroy(context);
}

void copies_tests(void) {
    distributions();
    shorter_parts();
    errors();
    written_by_functions();
    written_by_hand();
    of_one_copy();
    in_plans();
}

// Tests worlds of some ranks, tensors that move between them and the world of all, and pairs of
// modes.
#include "ranks.h"

/// Element i of the dense array that MAKE(salt, 6, 5) holds.
static double element(int salt, int64_t i) {
    const int64_t position[] = {i % 6, i / 6};
    return value_at(position, 2, salt);
}

/// A tensor of f64 in the default distribution of a world.
static tenfold_dist_tensor *make_on(const tenfold_world *world) {
    const int64_t extents[] = {6, 5};
    tenfold_dist_tensor *tensor = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(world, TENFOLD_F64, 2, extents, NULL, &tensor));
    return tensor;
}

static void worlds(void) {
    tenfold_world *half = NULL, *last = (tenfold_world *)&last, *node = NULL, *none = NULL;
    int32_t rank = -1, size = -1, threads = 0, usual = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_world_split(everyone, this_rank % 2, &half));
    CHECK_CODE(TENFOLD_OK, tenfold_world_rank(half, &rank));
    CHECK_CODE(TENFOLD_OK, tenfold_world_size(half, &size));
    CHECK(rank == this_rank / 2 && size == (rank_count + 1 - this_rank % 2) / 2);
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(half, &threads));
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(everyone, &usual));
    CHECK(threads == usual);
    CHECK_CODE(TENFOLD_OK, tenfold_world_split(everyone, is_last() ? 3 : -1, &last));
    CHECK((last != NULL) == is_last());
    CHECK_CODE(TENFOLD_OK, tenfold_world_split_by_node(everyone, &node));
    CHECK_CODE(TENFOLD_OK, tenfold_world_size(node, &size));
    CHECK(size >= 1 && size <= rank_count);
    tenfold_world_destroy(node);
    tenfold_world_destroy(last);
    tenfold_world_destroy(half);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "part is NULL",
                 tenfold_world_split(everyone, 0, is_last() ? NULL : &none));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "part is NULL",
                 tenfold_world_split_by_node(everyone, is_last() ? NULL : &none));
    CHECK(none == NULL);
}

/// Through all ranks but the last one, or through the only one.
static void copies(void) {
    const tenfold_scalar two = {2, 0};
    const int is_in = rank_count == 1 || !is_last();
    tenfold_dist_tensor *const x = MAKE(1, 6, 5), *s = NULL;
    tenfold_world *part = NULL;
    double expected[30];
    CHECK_CODE(TENFOLD_OK, tenfold_world_split(everyone, is_in ? 0 : -1, &part));
    if (is_in)
        s = make_on(part);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_copy_to_part(x, s));
    if (is_in)
        CHECK_CODE(TENFOLD_OK, tenfold_dist_scale(&two, s));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_copy_from_part(s, x));
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = 2 * element(1, i);
    CHECK(holds(x, expected));
    tenfold_dist_destroy(s);
    tenfold_world_destroy(part);
    tenfold_dist_destroy(x);
}

static void wrong_copies(void) {
    const int64_t extents[] = {6, 5};
    tenfold_dist_tensor *const x = MAKE(1, 6, 5), *const longer = MAKE(2, 6, 6);
    tenfold_dist_tensor *const same = MAKE(2, 6, 5), *narrow = NULL;
    double expected[30];
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = element(1, i);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F32, 2, extents, NULL, &narrow));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "s is f32, x is f64",
                 tenfold_dist_copy_to_part(x, is_last() ? narrow : same));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "s is f32, x is f64",
                 tenfold_dist_copy_from_part(narrow, x));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "S mode 1 has extent 6, X mode 1 has extent 5",
                 tenfold_dist_copy_to_part(x, longer));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "no rank has", tenfold_dist_copy_from_part(NULL, x));
    if (rank_count > 1) {
        tenfold_world *half = NULL;
        tenfold_dist_tensor *of_half;
        FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "is in S's world, too, and passed no tensor",
                     tenfold_dist_copy_to_part(x, is_last() ? NULL : same));
        CHECK_CODE(TENFOLD_OK, tenfold_world_split(everyone, this_rank % 2, &half));
        of_half = make_on(half);
        FAILS_ON_ALL(TENFOLD_OVERLAP, "", tenfold_dist_copy_from_part(of_half, x));
        tenfold_dist_destroy(of_half);
        tenfold_world_destroy(half);
    }
    CHECK(holds(x, expected));
    tenfold_dist_destroy(narrow);
    tenfold_dist_destroy(same);
    tenfold_dist_destroy(longer);
    tenfold_dist_destroy(x);
}

/// Element (p, q, k) of MAKE(1, 4, 4, 3).
static double of_pair(int64_t p, int64_t q, int64_t k) {
    const int64_t position[] = {p, q, k};
    return value_at(position, 3, 1);
}

static void pairs(void) {
    tenfold_dist_tensor *const x = MAKE(1, 4, 4, 3), *const y = MAKE(2, 4, 4, 3);
    tenfold_dist_tensor *const plus = MAKE(3, 10, 3), *const minus = MAKE(4, 6, 3);
    const tenfold_scalar zero = {0, 0};
    double sums[30], differences[18], whole[48];
    for (int64_t k = 0; k < 3; ++k)
        for (int64_t p = 0; p < 4; ++p)
            for (int64_t q = 0; q < 4; ++q) {
                whole[p + 4 * q + 16 * k] = of_pair(p, q, k);
                if (p >= q)
                    sums[p * (p + 1) / 2 + q + 10 * k] = of_pair(p, q, k) + of_pair(q, p, k);
                if (p > q)
                    differences[p * (p - 1) / 2 + q + 6 * k] = of_pair(p, q, k) - of_pair(q, p, k);
            }
    CHECK_CODE(TENFOLD_OK, tenfold_dist_pack_pairs(x, 0, TENFOLD_PAIRS_SYMMETRIC, plus));
    CHECK(holds(plus, sums));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_pack_pairs(x, 0, TENFOLD_PAIRS_ANTISYMMETRIC, minus));
    CHECK(holds(minus, differences));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(y, &zero));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_unpack_pairs(plus, 0, TENFOLD_PAIRS_SYMMETRIC, y));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_unpack_pairs(minus, 0, TENFOLD_PAIRS_ANTISYMMETRIC, y));
    CHECK(holds(y, whole));

    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "",
                 tenfold_dist_pack_pairs(x, 0, TENFOLD_PAIRS_SYMMETRIC, minus));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "",
                 tenfold_dist_pack_pairs(x, 1, TENFOLD_PAIRS_SYMMETRIC, plus));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_unpack_pairs(plus, 2, TENFOLD_PAIRS_SYMMETRIC, x));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "kind is 2, which is no value of its enumeration",
                 tenfold_dist_pack_pairs(x, 0, is_last() ? 2 : TENFOLD_PAIRS_SYMMETRIC, plus));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "x is NULL",
                 tenfold_dist_pack_pairs(is_last() ? NULL : x, 0, TENFOLD_PAIRS_SYMMETRIC, plus));
    CHECK(holds(plus, sums) && holds(x, whole));
    tenfold_dist_destroy(minus);
    tenfold_dist_destroy(plus);
    tenfold_dist_destroy(y);
    tenfold_dist_destroy(x);
}

static void pairs_of_other_types(void) {
    const int64_t square[] = {3, 3}, packed[] = {6};
    tenfold_dist_tensor *x = NULL, *p = NULL, *wide = MAKE(1, 6);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_BF16, 2, square, NULL, &x));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_BF16, 1, packed, NULL, &p));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "pairs are packed of f32, f64, c32, c64, not of bf16",
                 tenfold_dist_pack_pairs(x, 0, TENFOLD_PAIRS_SYMMETRIC, p));
    CHECK_TEXT("x", last_details().first.name);
    CHECK(last_details().first.type == TENFOLD_BF16);
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "x is bf16, p is f64",
                 tenfold_dist_pack_pairs(x, 0, TENFOLD_PAIRS_SYMMETRIC, wide));
    tenfold_dist_destroy(wide);
    tenfold_dist_destroy(p);
    tenfold_dist_destroy(x);
}

void part_tests(void) {
    worlds();
    copies();
    wrong_copies();
    pairs();
    pairs_of_other_types();
}

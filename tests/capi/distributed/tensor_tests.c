// Tests the creation of tensors, their parts, filling, redistribution and norms.
#include <string.h>

#include "ranks.h"

static const int64_t extents[] = {6, 5};

static void parts(void) {
    tenfold_dist_tensor *const tensor = MAKE(1, 6, 5);
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    tenfold_distribution *spread = NULL;
    int64_t offsets[2], block[2], elements, sum = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(tensor, &part));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_distribution(tensor, &spread));
    CHECK_CODE(TENFOLD_OK,
               tenfold_distribution_block(spread, this_rank, offsets, block, &elements));
    CHECK(part.type == TENFOLD_F64 && part.order == 2);
    CHECK(memcmp(part.tensor_extents, extents, sizeof extents) == 0);
    CHECK(memcmp(part.offsets, offsets, sizeof offsets) == 0);
    CHECK(memcmp(part.extents, block, sizeof block) == 0);
    CHECK(part.elements == elements);
    for (int64_t j = 0; j < block[1]; ++j)
        for (int64_t i = 0; i < block[0]; ++i) {
            const int64_t position[] = {offsets[0] + i, offsets[1] + j};
            CHECK(((const double *)part.data)[i + block[0] * j] == value_at(position, 2, 1));
        }
    MPI_Allreduce(&elements, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 30);
    tenfold_distribution_destroy(spread);
    tenfold_dist_destroy(tensor);
}

/// All types: filled with a number, norm and dot product.
static void types(void) {
    for (tenfold_type type = TENFOLD_F32; type <= TENFOLD_C64; ++type) {
        const int is_complex = type == TENFOLD_C32 || type == TENFOLD_C64;
        const tenfold_scalar value = {3, is_complex ? 4 : 0};
        tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
        tenfold_dist_tensor *tensor = NULL;
        tenfold_scalar dot = {0, 0};
        double norm = 0;
        CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, type, 2, extents, NULL, &tensor));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
        CHECK(norm == 0); // zeros
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(tensor, &value));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_local(tensor, &part));
        CHECK(part.type == type);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_dot(tensor, tensor, &dot));
        CHECK(dot.re == 30 * (is_complex ? 25 : 9) && dot.im == 0);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
        CHECK(norm * norm > 0.9999999 * dot.re && norm * norm < 1.0000001 * dot.re);
        tenfold_dist_destroy(tensor);
    }
}

static void scalars(void) {
    const tenfold_scalar value = {-2, 0};
    tenfold_dist_tensor *tensor = NULL;
    double norm = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 0, NULL, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(tensor, &value));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
    CHECK(norm == 2);
    tenfold_dist_destroy(tensor);
}

static void redistribution(void) {
    tenfold_dist_tensor *const tensor = MAKE(2, 6, 5);
    tenfold_dist_tensor *moved = NULL;
    tenfold_distribution *spread = NULL;
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_on_rank(2, extents, rank_count,
                                                               rank_count - 1, &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_redistribute(tensor, spread, &moved));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(moved, &part));
    CHECK(part.elements == (is_last() ? 30 : 0));
    for (int64_t i = 0; is_last() && i < 30; ++i) {
        const int64_t position[] = {i % 6, i / 6};
        CHECK(((const double *)part.data)[i] == value_at(position, 2, 2));
    }
    tenfold_dist_destroy(moved);
    // Made there to begin with.
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, spread, &moved));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(moved, &part));
    CHECK(part.elements == (is_last() ? 30 : 0));
    tenfold_dist_destroy(moved);
    tenfold_distribution_destroy(spread);
    tenfold_dist_destroy(tensor);
}

static void creation_errors(void) {
    const int64_t negative[] = {6, -5}, huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    tenfold_distribution *other = NULL, *fewer = NULL;
    tenfold_dist_tensor *tensor = (tenfold_dist_tensor *)&tensor;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "f16, i8, u8, i32, not of unknown (6)",
                 tenfold_dist_create(everyone, TENFOLD_F16 + 1, 2, extents, NULL, &tensor));
    CHECK(tensor == NULL);
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "not of unknown (1000)",
        tenfold_dist_create(everyone, is_last() ? 1000 : TENFOLD_F64, 2, extents, NULL, &tensor));
    CHECK(tensor == NULL);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_create(everyone, TENFOLD_F64, 2, negative, NULL, &tensor));
    FAILS_ON_ALL(TENFOLD_OVERFLOW, "",
                 tenfold_dist_create(everyone, TENFOLD_F64, 2, huge, NULL, &tensor));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "order is -1",
        tenfold_dist_create(everyone, TENFOLD_F64, is_last() ? -1 : 2, extents, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(1, extents, rank_count, &other));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(2, extents, rank_count + 1, &fewer));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "",
                 tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, other, &tensor));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "ranks in a world",
                 tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, fewer, &tensor));
    if (rank_count > 1) {
        const int64_t longer[] = {6, is_last() ? 7 : 5};
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "extents: rank 0 passed (6, 5)",
                     tenfold_dist_create(everyone, TENFOLD_F64, 2, longer, NULL, &tensor));
    }
    CHECK(tensor == NULL);
    tenfold_distribution_destroy(fewer);
    tenfold_distribution_destroy(other);
}

static int32_t refuse_some(const int64_t *position, void *element, void *user) {
    (void)element;
    return position[0] == 5 && position[1] == 4 ? *(const int32_t *)user : 0;
}

static void other_errors(void) {
    const tenfold_scalar imaginary = {1, 2}, one = {1, 0};
    tenfold_dist_tensor *const a = MAKE(1, 6, 5);
    tenfold_dist_tensor *const longer = MAKE(1, 6, 6);
    tenfold_world *other = NULL;
    tenfold_dist_tensor *foreign = NULL, *b = NULL, *made = (tenfold_dist_tensor *)&made;
    tenfold_distribution *spread = NULL;
    tenfold_scalar dot;
    int32_t code = 7;
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "imaginary part, but the tensor is f64",
                 tenfold_dist_fill(a, is_last() ? &imaginary : &one));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "returned 7 at position (5, 4)",
                 tenfold_dist_fill_by(a, refuse_some, &code));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F32, 2, extents, NULL, &b));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "a is f64, b is f32", tenfold_dist_dot(a, b, &dot));
    CHECK_TEXT("a", last_details().first.name);
    CHECK(last_details().first.type == TENFOLD_F64 && last_details().second.type == TENFOLD_F32);
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_dot(a, longer, &dot));
    CHECK_CODE(TENFOLD_OK, tenfold_world_create(MPI_COMM_WORLD, &other));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(other, TENFOLD_F64, 2, extents, NULL, &foreign));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "different worlds", tenfold_dist_dot(a, foreign, &dot));
    tenfold_dist_destroy(foreign);
    tenfold_world_destroy(other);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(1, extents, rank_count, &spread));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_redistribute(a, spread, &made));
    CHECK(made == NULL);
    tenfold_distribution_destroy(spread);
    tenfold_dist_destroy(longer);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(a);
}

void tensor_tests(void) {
    parts();
    types();
    scalars();
    redistribution();
    creation_errors();
    other_errors();
}

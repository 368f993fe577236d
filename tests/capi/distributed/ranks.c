#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tenfold_world *everyone = NULL;
int this_rank = 0, rank_count = 1;

int is_last(void) { return this_rank == rank_count - 1; }

/// Whether all ranks pass the same text.
static int is_same_on_all(const char *text) {
    char own[400] = "", zero[400] = "";
    int same, all_same = 0;
    strncpy(own, text, sizeof own - 1);
    memcpy(zero, own, sizeof own);
    MPI_Bcast(zero, (int)sizeof zero, MPI_CHAR, 0, MPI_COMM_WORLD);
    same = memcmp(own, zero, sizeof own) == 0;
    MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all_same;
}

void fails_on_all(tenfold_error expected, const char *part, tenfold_error code, const char *call,
                  const char *file, int line) {
    tenfold_dist_tensor *const probe = MAKE(0, 3);
    double norm = -1;
    check_code(expected, code, call, file, line);
    check_message(part, file, line);
    check(is_same_on_all(tenfold_last_error()), "the message is the same on all ranks", file, line);
    check_code(TENFOLD_OK, tenfold_dist_norm(probe, &norm), "a call after the failure", file, line);
    tenfold_dist_destroy(probe);
}

double value_at(const int64_t *position, int order, int salt) {
    uint64_t mixed = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(salt + 1);
    for (int mode = 0; mode < order; ++mode) {
        mixed = (mixed ^ (uint64_t)(position[mode] + 1)) * UINT64_C(0xff51afd7ed558ccd);
        mixed ^= mixed >> 29;
    }
    return (double)(mixed % 9) - 4;
}

/// Order and salt of a tensor that is filled.
typedef struct filling {
    int order, salt;
} filling;

static int32_t fill_element(const int64_t *position, void *element, void *user) {
    const filling *const how = user;
    *(double *)element = value_at(position, how->order, how->salt);
    return 0;
}

tenfold_dist_tensor *make_tensor(int salt, int32_t order, const int64_t *extents) {
    filling how;
    tenfold_dist_tensor *tensor = NULL;
    how.order = order;
    how.salt = salt;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_create(everyone, TENFOLD_F64, order, extents, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_by(tensor, fill_element, &how));
    return tensor;
}

int holds(const tenfold_dist_tensor *tensor, const double *expected) {
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    tenfold_tensor whole = {TENFOLD_F64, 0, NULL, NULL, 0};
    size_t size = 1;
    double *data;
    int equal;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(tensor, &part));
    whole.order = part.order;
    whole.extents = part.tensor_extents;
    for (int32_t mode = 0; mode < part.order; ++mode)
        size *= (size_t)part.tensor_extents[mode];
    data = malloc(size * sizeof *data + 1);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_gather(tensor, 0, &whole, data));
    equal = 1;
    for (size_t i = 0; this_rank == 0 && i < size; ++i)
        equal = equal && data[i] == expected[i];
    free(data);
    return equal;
}

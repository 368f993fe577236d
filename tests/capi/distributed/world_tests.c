// Tests worlds, and the fatal function.
#include <string.h>

#include "ranks.h"

static void numbers(void) {
    int32_t rank = -1, size = -1, threads = 0, ranks_per_node = -1;
    MPI_Comm comm = MPI_COMM_NULL;
    int relation = MPI_UNEQUAL;
    CHECK_CODE(TENFOLD_OK, tenfold_world_rank(everyone, &rank));
    CHECK_CODE(TENFOLD_OK, tenfold_world_size(everyone, &size));
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(everyone, &threads));
    CHECK_CODE(TENFOLD_OK, tenfold_world_ranks_per_node(everyone, &ranks_per_node));
    CHECK(ranks_per_node == 0 || (ranks_per_node > 0 && ranks_per_node < rank_count));
    CHECK_CODE(TENFOLD_OK, tenfold_world_comm(everyone, &comm));
    CHECK(rank == this_rank && size == rank_count && threads >= 1);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &relation);
    CHECK(relation == MPI_CONGRUENT); // a duplicate
}

static void from_a_handle_of_fortran(void) {
    tenfold_world *world = NULL;
    int32_t size = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_world_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), &world));
    CHECK_CODE(TENFOLD_OK, tenfold_world_size(world, &size));
    CHECK(size == rank_count);
    tenfold_world_destroy(world);
}

static void with_a_context(void) {
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    tenfold_context *context = NULL;
    tenfold_world *world = NULL, *same = NULL, *own = NULL;
    tenfold_dist_tensor *tensor = NULL;
    const int64_t extents[] = {5, 3};
    int32_t threads = 0, usual = 0;
    double norm = -1;
    settings.threads = 3;
    settings.calibration = "off";
    settings.presence_seconds = TENFOLD_NO_SECONDS;
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(&settings, &context));
    CHECK_CODE(TENFOLD_OK, tenfold_world_create_with(MPI_COMM_WORLD, context, &world));
    CHECK_CODE(TENFOLD_OK,
               tenfold_world_create_with_f(MPI_Comm_c2f(MPI_COMM_WORLD), context, &same));
    tenfold_context_destroy(context); // the worlds do not need it
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(world, &threads));
    CHECK(threads == 3);
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(same, &threads));
    CHECK(threads == 3);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(world, TENFOLD_F32, 2, extents, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
    CHECK(norm == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_world_create_with(MPI_COMM_WORLD, NULL, &own));
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(own, &threads));
    CHECK_CODE(TENFOLD_OK, tenfold_world_threads(everyone, &usual));
    CHECK(threads == usual);
    tenfold_dist_destroy(tensor);
    tenfold_world_destroy(own);
    tenfold_world_destroy(same);
    tenfold_world_destroy(world);
}

static void some_of_the_ranks(void) {
    const int64_t extents[] = {5, 3};
    const tenfold_scalar two = {2, 0};
    tenfold_world *half = NULL;
    tenfold_dist_tensor *tensor = NULL;
    MPI_Comm comm;
    double norm = 0;
    MPI_Comm_split(MPI_COMM_WORLD, this_rank % 2, this_rank, &comm);
    CHECK_CODE(TENFOLD_OK, tenfold_world_create(comm, &half));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(half, TENFOLD_F64, 2, extents, NULL, &tensor));
    tenfold_world_destroy(half); // the tensor keeps what it needs
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(tensor, &two));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(tensor, &norm));
    CHECK(norm * norm > 59.999 && norm * norm < 60.001);
    tenfold_dist_destroy(tensor);
    MPI_Comm_free(&comm);
}

static void errors(void) {
    tenfold_world *world = (tenfold_world *)&world;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_world_create(MPI_COMM_NULL, &world));
    CHECK_MESSAGE("MPI_COMM_NULL");
    CHECK(world == NULL);
    if (rank_count > 1) {
        MPI_Comm half, both;
        MPI_Comm_split(MPI_COMM_WORLD, this_rank % 2, this_rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - this_rank % 2, 7, &both);
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_world_create(both, &world));
        CHECK_MESSAGE("intercommunicator");
        CHECK(world == NULL);
        MPI_Comm_free(&both);
        MPI_Comm_free(&half);
    }
    // One rank has no place for the world: nobody has one.
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "world is NULL",
                 tenfold_world_create(MPI_COMM_WORLD, is_last() ? NULL : &world));
    CHECK(world == NULL);
}

/// A rank that fails before a call lets the call fail on all ranks.
static void agreement(void) {
    tenfold_dist_tensor *const tensor = MAKE(1, 4);
    tenfold_world *own = NULL;
    int32_t rank = -1;
    double norm = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_world(tensor, &own));
    CHECK_CODE(TENFOLD_OK, tenfold_world_rank(own, &rank));
    CHECK(rank == this_rank);
    CHECK_CODE(TENFOLD_OK, tenfold_world_agree(own, TENFOLD_OK, NULL));
    FAILS_ON_ALL(TENFOLD_IO, "no such file",
                 is_last() ? tenfold_world_agree(own, TENFOLD_IO, "no such file")
                           : tenfold_dist_norm(tensor, &norm));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_world_rank(own, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "rank is NULL",
                 tenfold_world_agree(own, TENFOLD_INVALID_ARGUMENT, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "code is 99",
                 tenfold_world_agree(own, is_last() ? 99 : TENFOLD_OK, NULL));
    tenfold_world_destroy(own);
    tenfold_dist_destroy(tensor);
}

void world_tests(void) {
    agreement();
    numbers();
    from_a_handle_of_fortran();
    with_a_context();
    some_of_the_ranks();
    errors();
}

/// What the fatal function was told.
typedef struct told {
    int count;
    int32_t rank;
    char message[400];
} told;

static void note(int32_t rank, const char *message, void *user) {
    told *const what = user;
    ++what->count;
    what->rank = rank;
    strncpy(what->message, message, sizeof what->message - 1);
}

/// Rank 0 of two comes late to a call, and the watchdog, which the environment sets, barks on
/// rank 1.
void fatal_tests(void) {
    const int64_t extents[] = {4};
    const tenfold_scalar one = {1, 0};
    tenfold_world *world = NULL;
    tenfold_dist_tensor *tensor = NULL;
    told what;
    memset(&what, 0, sizeof what);
    CHECK_CODE(TENFOLD_OK, tenfold_set_fatal_function(note, &what));
    CHECK_CODE(TENFOLD_OK, tenfold_world_create(MPI_COMM_WORLD, &world));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(world, TENFOLD_F64, 1, extents, NULL, &tensor));
    if (this_rank == 1) {
        CHECK_CODE(TENFOLD_COMMUNICATION, tenfold_dist_fill(tensor, &one));
        CHECK(what.count == 1 && what.rank == 1);
        CHECK(strstr(what.message, "fill, collective call") != NULL);
        CHECK(strstr(what.message, "waiting for rank 0, which has not made this call") != NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (this_rank == 0) { // so that no message is left over
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(tensor, &one));
        CHECK(what.count == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD); // rank 0 needs the other until then
    CHECK_CODE(TENFOLD_OK, tenfold_set_fatal_function(NULL, NULL));
    tenfold_dist_destroy(tensor);
    tenfold_world_destroy(world);
}

// Tests the distributed C interface from C on every rank. Exits with 1 if a check failed on any
// rank. With "fatal" as its argument it runs the test that needs a watchdog.
#include <stdio.h>
#include <string.h>

#include "ranks.h"

/// What outlives MPI can only be destroyed. Returns how many checks failed.
static int checks_after_the_end(tenfold_dist_tensor *kept) {
    const int before = failed_checks();
    tenfold_world *too_late = (tenfold_world *)&too_late;
    double norm;
    CHECK_CODE(TENFOLD_COMMUNICATION, tenfold_dist_norm(kept, &norm));
    CHECK_CODE(TENFOLD_COMMUNICATION, tenfold_dist_refresh(kept));
    CHECK_CODE(TENFOLD_COMMUNICATION, tenfold_world_create(MPI_COMM_WORLD, &too_late));
    CHECK(too_late == NULL);
    tenfold_dist_destroy(kept);
    return failed_checks() - before;
}

int main(int argc, char **argv) {
    tenfold_world *too_early = (tenfold_world *)&too_early;
    tenfold_dist_tensor *kept = NULL;
    int failed, failed_anywhere = 0;
    CHECK_CODE(TENFOLD_COMMUNICATION, tenfold_world_create(MPI_COMM_WORLD, &too_early));
    CHECK_MESSAGE("MPI is not initialised");
    CHECK(too_early == NULL);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &this_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    if (argc > 1 && strcmp(argv[1], "fatal") == 0) {
        fatal_tests();
    } else {
        CHECK_CODE(TENFOLD_OK, tenfold_world_create(MPI_COMM_WORLD, &everyone));
        world_tests();
        distribution_tests();
        tensor_tests();
        slice_tests();
        operations_tests();
        reduction_tests();
        interchange_tests();
        list_tests();
        part_tests();
        contract_tests();
        contract_error_tests();
        type_tests();
        record_tests();
        async_tests();
        copies_tests();
        plan_tests();
        layout_tests();
        program_tests();
        trace_tests();
        file_tests();
        null_tests();
        wrong_number_tests();
        check_was_returned(TENFOLD_IO); // what calls on one node do not return
        check_was_returned(TENFOLD_COMMUNICATION);
        if (rank_count > 1)
            check_was_returned(TENFOLD_DISAGREEMENT);
        kept = MAKE(1, 4);
        tenfold_world_destroy(everyone);
    }
    failed = failed_checks() > 0;
    MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (this_rank == 0)
        printf("%s on %d ranks\n", failed_anywhere ? "checks failed" : "all checks passed",
               rank_count);
    MPI_Finalize();
    return failed_anywhere || (kept != NULL && checks_after_the_end(kept) > 0);
}

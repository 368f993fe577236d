// Runs GoogleTest on every rank at once: rank 0 prints, the others print only failures, and a
// failure on any rank fails the program on all.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "mpi/hang_report.hpp"
#include "mpi/ranks.hpp"
#include "support/no_calibration.hpp"
#include "support/random.hpp"
#include "support/thrown_cases.hpp"

namespace tenfold::testing {
namespace {

class failure_printer : public ::testing::EmptyTestEventListener {
public:
    explicit failure_printer(int rank) : rank_(rank) {}
    void OnTestPartResult(const ::testing::TestPartResult &result) override {
        if (result.failed()) // nobody knows where an exception comes from
            std::printf("rank %d: %s:%d: %s\n", rank_,
                        result.file_name() == nullptr ? "unknown file" : result.file_name(),
                        result.line_number(), result.message());
    }

private:
    int rank_;
};

/// Gives all ranks the same seed.
void share_seed(int rank) {
    unsigned long long value = rank == 0 ? seed() : 0;
    MPI_Bcast(&value, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("seed: TENFOLD_TEST_SEED=%llu\n", value);
    else
        setenv("TENFOLD_TEST_SEED", std::to_string(value).c_str(), 1);
}

std::optional<world> shared_world;

} // namespace

const world &ranks() { return *shared_world; }

} // namespace tenfold::testing

int main(int argc, char **argv) {
    using namespace tenfold::testing;
    ignore_calibrations();
    MPI_Init(&argc, &argv); // the lowest level, MPI_THREAD_SINGLE, must suffice
    ::testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        auto &listeners = ::testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new failure_printer(rank));
    }
    tell_cases_that_throw(rank == 0 ? "" : "rank " + std::to_string(rank) + ": ");
    share_seed(rank);
    report_hangs(rank);

    shared_world.emplace(MPI_COMM_WORLD);
    report_state_of(&*shared_world);
    const int failed_here = RUN_ALL_TESTS();
    report_state_of(nullptr);
    shared_world.reset();
    int failed = 0;
    MPI_Allreduce(&failed_here, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}

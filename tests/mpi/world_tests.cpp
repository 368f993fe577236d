#include "mpi/ranks.hpp"

#include <cstdlib>

namespace tenfold::testing {
namespace {

TEST(World, KnowsItsRanks) {
    int rank = -1;
    int size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(ranks().rank(), rank);
    EXPECT_EQ(ranks().size(), size);
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(ranks().comm(), MPI_COMM_WORLD, &relation);
    EXPECT_EQ(relation, MPI_CONGRUENT) << "the communicator is a duplicate";
}

TEST(World, TakesThreadsFromTheEnvironment) {
    // The tests' environment says TENFOLD_NUM_THREADS=1.
    if (const char *text = std::getenv("TENFOLD_NUM_THREADS")) {
        EXPECT_EQ(ranks().threads(), std::atoi(text));
    }
    EXPECT_GE(ranks().threads(), 1);
}

TEST(World, LivesOnASubsetOfRanks) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ranks().rank() % 2, ranks().rank(), &half);
    {
        world part(half);
        dist_tensor<double> a(part, {5, 3});
        fill_values(a, 1);
        EXPECT_TRUE(equal(a.gather_all(), make_values<double>({5, 3}, 1)));
    }
    MPI_Comm_free(&half);
}

} // namespace
} // namespace tenfold::testing

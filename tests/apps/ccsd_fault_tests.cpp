// Tests tenfold-ccsd if one rank fails within (T), or in a call of MPI: all ranks end, and one
// error is printed.
#include <cstdlib>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string water = TENFOLD_TEST_DATA "/h2o_sto3g.FCIDUMP";

std::size_t count_of(const std::string &what, const std::string &text) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++count;
    return count;
}

program_result run_with_fault(int ranks, const std::string &fault, const std::string &more) {
    setenv("CCSD_FAULT", fault.c_str(), 1);
    const program_result result = run_ranks(ranks, TENFOLD_CCSD_FAULTS_PROGRAM, water + more);
    unsetenv("CCSD_FAULT");
    return result;
}

/// Makes the CALL-th call of WHAT on `rank` fail. Returns false if there are fewer calls.
bool fails(int ranks, int rank, const std::string &what, int call, const std::string &more) {
    const std::string fault = std::to_string(rank) + " " + what + " " + std::to_string(call);
    SCOPED_TRACE(std::to_string(ranks) + " ranks, CCSD_FAULT='" + fault + "' " + more);
    const program_result result = run_with_fault(ranks, fault, more);
    if (result.status == 0)
        return false;
    const std::string said = result.out + result.err;
    EXPECT_EQ(result.status, 1) << said;
    EXPECT_EQ(count_of("error: ", said), 1U) << said;
    EXPECT_EQ(count_of("fault of rank " + std::to_string(rank) + " in " + what, said), 1U) << said;
    return true;
}

TEST(CcsdFaults, NoneIsTheProgram) {
    EXPECT_EQ(run_ranks(2, TENFOLD_CCSD_FAULTS_PROGRAM, water).status, 0);
}

TEST(CcsdFaults, WhilePlansAreMade) {
    EXPECT_TRUE(fails(1, 0, "setup", 0, ""));
    EXPECT_TRUE(fails(2, 0, "setup", 0, ""));
    EXPECT_TRUE(fails(3, 2, "setup", 0, ""));
}

TEST(CcsdFaults, WhereverMemoryIsTaken) {
    EXPECT_TRUE(fails(2, 0, "memory", 0, ""));
    int call = 1;
    while (call < 1000 && fails(2, 1, "memory", call, ""))
        call = 2 * call + 1;
    EXPECT_GE(call, 3);
    EXPECT_LT(call, 1000);
}

TEST(CcsdFaults, WithinTriples) {
    EXPECT_TRUE(fails(2, 0, "triple", 0, "")); // rank 0 assigns the triples
    EXPECT_TRUE(fails(2, 1, "triple", 0, ""));
    EXPECT_TRUE(fails(3, 0, "triple", 3, ""));
    EXPECT_TRUE(fails(3, 2, "triple", 1, ""));
    const temporary_directory directory; // between tenths
    EXPECT_TRUE(fails(2, 1, "triple", 3, " --checkpoint " + directory.file("c")));
}

/// In an MPI function, from the first call of the program on. Other ranks cannot know of it, and so
/// the rank on which it happens ends the program on all.
TEST(CcsdFaults, InCallsOfMpi) {
    setenv("TENFOLD_TEST_TIMEOUT", "60", 1);
    struct mpi_call {
        int ranks;
        const char *function;
        int number;
    };
    for (const auto &[ranks, function, number] :
         {mpi_call{2, "MPI_Allreduce", 0}, mpi_call{3, "MPI_Comm_dup", 0},
          mpi_call{2, "MPI_Comm_split_type", 0}, mpi_call{3, "MPI_Isend", 150},
          mpi_call{2, "MPI_Irecv", 90}, mpi_call{3, "MPI_Test", 3000},
          mpi_call{2, "MPI_Testany", 20}}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + function + " " + std::to_string(number));
        const program_result result =
            run_with_fault(ranks, std::string("1 ") + function + " " + std::to_string(number), "");
        const std::string said = result.out + result.err;
        EXPECT_NE(result.status, 0) << said;
        EXPECT_EQ(count_of(std::string("tenfold: rank 1: ") + function + ": ", said), 1U) << said;
        EXPECT_EQ(count_of("no end after", said), 0U) << said;
    }
    unsetenv("TENFOLD_TEST_TIMEOUT");
}

} // namespace
} // namespace tenfold::testing

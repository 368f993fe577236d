// tenfold-ccsd: what ranks hold against what was planned before anything was read.
#include <cstdlib>

#include <gtest/gtest.h>

#include "fcidump_file.hpp"
#include "model_molecule.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// Iterations fill the vectors of DIIS; (T) follows.
constexpr int vectors = 6;
const std::string arguments = " --diis 6 --convergence 1e-7";

/// Peak and plan of one rank.
struct memory {
    double planned;
    double peak;
};

memory memory_of(int ranks, const std::string &what) {
    const temporary_directory directory;
    const program_result result =
        run_ranks(ranks, TENFOLD_CCSD_PROGRAM, what + " --json " + directory.file("out.json"));
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    const auto json = nlohmann::json::parse(read_text(directory.file("out.json")), nullptr, false);
    if (!json.is_object())
        return {0, 0};
    EXPECT_GE(json["iterations"].size(), vectors);
    EXPECT_TRUE(json["energies"]["t_correction"].is_number());
    const nlohmann::json &found = json["memory"];
    return {found["planned_bytes_per_rank"].get<double>(),
            found["peak_bytes_per_rank"].get<double>()};
}

class CcsdMemory : public ::testing::TestWithParam<int> {
protected:
    CcsdMemory() { write_text(model, model_molecule(5, 19)); }
    ~CcsdMemory() override { unsetenv("TENFOLD_REPRODUCIBLE"); }

    static void expect_planned(const std::string &what) {
        const auto [planned, peak] = memory_of(GetParam(), what);
        EXPECT_LE(peak, 1.02 * planned);
        EXPECT_GE(peak, 0.9 * planned);
    }

    const temporary_directory directory;
    const std::string model = directory.file("FCIDUMP");
};

TEST_P(CcsdMemory, IsWhatWasPlanned) { expect_planned(model + arguments); }

TEST_P(CcsdMemory, IsWhatWasPlannedOfReproducibleRuns) {
    setenv("TENFOLD_REPRODUCIBLE", "1", 1);
    expect_planned(model + arguments);
}

INSTANTIATE_TEST_SUITE_P(Ranks, CcsdMemory, ::testing::Values(1, 2, 3, 4, 7, 13, 16));

} // namespace
} // namespace tenfold::testing

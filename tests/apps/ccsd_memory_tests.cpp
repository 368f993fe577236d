// Compares the memory of tenfold-ccsd's ranks with the plan that it makes before it reads
// integrals.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "fcidump_file.hpp"
#include "model_molecule.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// Iterations fill the vectors of DIIS, and (T) follows.
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

/// The least memory that suffices, as the program says when it refuses less.
std::string least_memory(int ranks, const std::string &what) {
    const program_result refused =
        run_ranks(ranks, TENFOLD_CCSD_PROGRAM, what + " --memory 100KiB");
    EXPECT_NE(refused.status, 0);
    const std::string text = refused.out + refused.err; // launchers may join them
    const std::string says = "at least ";
    const std::size_t at = text.find(says);
    EXPECT_NE(at, std::string::npos) << text;
    if (at == std::string::npos)
        return "0";
    const std::size_t begin = at + says.size();
    return text.substr(begin, text.find(' ', begin) - begin);
}

class CcsdMemory : public ::testing::TestWithParam<int> {
protected:
    CcsdMemory() { write_text(model, model_molecule(5, 19)); }
    ~CcsdMemory() override { unsetenv("TENFOLD_REPRODUCIBLE"); }

    /// Returns what was planned.
    static double expect_planned(const std::string &what) {
        const auto [planned, peak] = memory_of(GetParam(), what);
        EXPECT_LE(peak, 1.02 * planned) << what;
        EXPECT_GE(peak, 0.98 * planned) << what;
        return planned;
    }
    /// The same with `share` of the memory that was planned.
    static void expect_limited(const std::string &what, double planned, double share) {
        const double limit = std::floor(share * planned);
        EXPECT_LE(expect_planned(what + " --memory " + std::to_string(static_cast<long>(limit))),
                  limit);
    }

    const temporary_directory directory;
    const std::string model = directory.file("FCIDUMP");
};

TEST_P(CcsdMemory, IsWhatWasPlanned) {
    const double planned = expect_planned(model + arguments);
    expect_limited(model + arguments, planned, GetParam() <= 7 ? 0.9 : 0.95);
}

TEST_P(CcsdMemory, IsWhatWasPlannedOfReproducibleRuns) {
    setenv("TENFOLD_REPRODUCIBLE", "1", 1);
    const double planned = expect_planned(model + arguments);
    if (GetParam() <= 4)
        expect_limited(model + arguments, planned, 0.9);
    else // hardly less suffices on more ranks
        EXPECT_LE(expect_planned(model + arguments + " --memory " +
                                 least_memory(GetParam(), model + arguments)),
                  planned);
}

/// On one rank and on three, where vectors take about a third of the memory.
TEST(CcsdMemoryLimit, ShortensDiisWhereThatIsEnough) {
    const temporary_directory directory;
    const std::string model = directory.file("FCIDUMP");
    write_text(model, model_molecule(5, 19));
    const auto run = [&](int ranks, const std::string &more) {
        const std::string json = directory.file("json");
        const program_result result =
            run_ranks(ranks, TENFOLD_CCSD_PROGRAM, model + more + " --json " + json);
        EXPECT_EQ(result.status, 0) << result.out << result.err;
        const bool says = result.out.find("DIIS keeps") != std::string::npos;
        auto found = nlohmann::json::parse(read_text(json), nullptr, false);
        EXPECT_TRUE(found.is_object());
        EXPECT_EQ(says, more.find("--memory") != std::string::npos) << result.out;
        return found;
    };
    for (const int ranks : {1, 3}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json all = run(ranks, "");
        EXPECT_EQ(all["diis_vectors"], 8);
        setenv("TENFOLD_REPRODUCIBLE", "1", 1); // tensors are spread, as with little memory
        const nlohmann::json enough = run(ranks, " --diis 4")["memory"]["planned_bytes_per_rank"];
        const nlohmann::json fewer = run(ranks, " --memory " + std::to_string(enough.get<long>()));
        unsetenv("TENFOLD_REPRODUCIBLE");
        EXPECT_EQ(fewer["diis_vectors"], 4);
        EXPECT_LE(fewer["memory"]["peak_bytes_per_rank"].get<double>(),
                  1.02 * enough.get<double>());
        EXPECT_NEAR(fewer["energies"]["total"].get<double>(),
                    all["energies"]["total"].get<double>(), 1e-7);
    }
    EXPECT_EQ(run(1, " --memory " + least_memory(1, model))["diis_vectors"], 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, CcsdMemory, ::testing::Values(1, 2, 3, 4, 7, 13, 16));

} // namespace
} // namespace tenfold::testing

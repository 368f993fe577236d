// Compares diagnostics, largest amplitudes and energies by spin of tenfold-ccsd with a program over
// spin orbitals (tests/apps/data/spin_orbital_ccsd).
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "ccsd_water.hpp"
#include "fcidump_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

constexpr double close = 1e-8;

struct expected_amplitude {
    std::vector<int> from, to;
    double value;
};

void expect_amplitudes(const nlohmann::json &found,
                       const std::vector<expected_amplitude> &expected) {
    ASSERT_GE(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE(found[i].dump());
        EXPECT_EQ(found[i]["from"], expected[i].from);
        EXPECT_EQ(found[i]["to"], expected[i].to);
        EXPECT_NEAR(found[i]["value"].get<double>(), expected[i].value, close);
    }
}

void expect_energies_by_spin(const nlohmann::json &json) {
    const nlohmann::json &mp2 = json["mp2"];
    EXPECT_NEAR(mp2["opposite_spin"].get<double>(), -0.046043415110, close);
    EXPECT_NEAR(mp2["same_spin"].get<double>(), -0.003106221010, close);
    EXPECT_NEAR(mp2["scs_correlation"].get<double>(), -0.056287505135, close);
    const nlohmann::json &ccsd = json["ccsd"];
    EXPECT_NEAR(ccsd["opposite_spin"].get<double>(), -0.068403415079, close);
    EXPECT_NEAR(ccsd["same_spin"].get<double>(), -0.002276673297, close);
    EXPECT_NEAR(ccsd["singles"].get<double>(), 0, close);
    EXPECT_NEAR(ccsd["t1_diagnostic"].get<double>(), 0.007009761585, close);
    EXPECT_NEAR(ccsd["d1_diagnostic"].get<double>(), 0.022025262504, close);
}

void expect_diagnostics(const nlohmann::json &json) {
    ASSERT_TRUE(json.contains("ccsd"));
    expect_energies_by_spin(json);
    const nlohmann::json &ccsd = json["ccsd"];
    expect_amplitudes(ccsd["largest_t1"], {{{4}, {6}, 0.0217781251},
                                           {{2}, {6}, 0.0032898425},
                                           {{3}, {7}, -0.0025010770},
                                           {{1}, {6}, 0.0000489093}});
    EXPECT_EQ(ccsd["largest_t1"].size(), 4U); // others are 0 by symmetry
    expect_amplitudes(ccsd["largest_t2"], {{{3, 3}, {7, 7}, -0.1001570419},
                                           {{4, 4}, {6, 6}, -0.0798183830},
                                           {{3, 4}, {7, 6}, 0.0722548567},
                                           {{3, 3}, {6, 6}, -0.0584531825},
                                           {{4, 4}, {7, 7}, -0.0553799293},
                                           {{3, 4}, {6, 7}, 0.0553648317},
                                           {{2, 4}, {6, 6}, 0.0386747500},
                                           {{2, 2}, {6, 6}, -0.0318277803},
                                           {{2, 3}, {6, 7}, -0.0316263549},
                                           {{5, 5}, {6, 6}, -0.0264730324}});
    EXPECT_EQ(ccsd["largest_t2"].size(), 10U);
}

const std::string tight = " --method ccsd --convergence 1e-10";

TEST(CcsdDiagnostics, AreThoseOfSpinOrbitalsOnAnyNumberOfRanks) {
    for (const int ranks : {0, 2, 3, 4, 7}) {
        SCOPED_TRACE(ranks);
        expect_diagnostics(run_ccsd(ranks, water + tight));
    }
}

TEST(CcsdDiagnostics, ReproducibleOnes) {
    setenv("TENFOLD_REPRODUCIBLE", "1", 1);
    const nlohmann::json alone = run_ccsd(0, water + tight);
    expect_diagnostics(alone);
    const nlohmann::json together = run_ccsd(3, water + tight);
    EXPECT_EQ(together["ccsd"], alone["ccsd"]);
    EXPECT_EQ(together["mp2"], alone["mp2"]);
    unsetenv("TENFOLD_REPRODUCIBLE");
}

TEST(CcsdDiagnostics, NumberOrbitalsAsTheFileDoes) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    fcidump_file file(water);
    file.reorder({6, 2, 0, 5, 4, 1, 3}); // orbital 1 is 7 of water's file, ..
    write_text(path, file.text());
    const nlohmann::json json = run_ccsd(2, path + tight);
    expect_energies_by_spin(json);
    const nlohmann::json &first = json["ccsd"]["largest_t1"][0];
    EXPECT_EQ(first["from"], std::vector<int>{7}); // 4 of water's
    EXPECT_EQ(first["to"], std::vector<int>{4});   // 6 of water's
    EXPECT_NEAR(std::abs(first["value"].get<double>()), 0.0217781251, close);
}

TEST(CcsdDiagnostics, OfCheckpointsToo) {
    const temporary_directory directory;
    const std::string path = directory.file("checkpoint");
    run_ccsd(0, water + tight + " --checkpoint " + path);
    expect_diagnostics(run_ccsd(3, water + tight + " --restart " + path));
}

/// With orbitals that are not Hartree-Fock's, singles contribute, and the parts still add up.
TEST(CcsdDiagnostics, SinglesOfOtherOrbitals) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    fcidump_file file(water);
    file.rotate(3, 5, 0.05);
    write_text(path, file.text());
    const nlohmann::json json = run_ccsd(2, path + tight);
    const nlohmann::json &ccsd = json["ccsd"];
    const double singles = ccsd["singles"].get<double>();
    EXPECT_LT(singles, -1e-4);
    EXPECT_NEAR(ccsd["opposite_spin"].get<double>() + ccsd["same_spin"].get<double>() + singles,
                json["energies"]["ccsd_correlation"].get<double>(), 1e-12);
}

TEST(CcsdDiagnostics, AreTold) {
    const program_result result = run_command(TENFOLD_CCSD_PROGRAM, water + tight);
    for (const char *told :
         {"SCS-MP2 correlation energy        -0.0562875051", "T1 diagnostic 0.007010",
          "D1 diagnostic 0.022025", "pairs of opposite spins", "4 -> 6", "3 4 -> 7 6"})
        EXPECT_NE(result.out.find(told), std::string::npos) << told << '\n' << result.out;
}

} // namespace
} // namespace tenfold::testing

// tenfold-ccsd: energies against other programs', files in many shapes.
#include <cstdlib>

#include <gtest/gtest.h>

#include "fcidump_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string water = TENFOLD_TEST_DATA "/h2o_sto3g.FCIDUMP";

/// Hartree; psi4 1.3.2 (tests/apps/data/README.md).
struct energies {
    double hf = -74.94207992819231;
    double mp2 = -0.04914963612001595;
    double ccsd = -0.07068008837662638;
    double t = -9.987727236021026e-05;
};
const energies all_electrons;
const energies frozen_core{-74.94207992819231, -0.04906028087547199, -0.07061681644369781,
                           -9.995747596126766e-05};
constexpr double tolerance = 1e-9;

void expect_energies(const nlohmann::json &json, const energies &expected) {
    const nlohmann::json &found = json["energies"];
    EXPECT_NEAR(found["hf_total"].get<double>(), expected.hf, tolerance);
    EXPECT_NEAR(found["mp2_correlation"].get<double>(), expected.mp2, tolerance);
    EXPECT_NEAR(found["ccsd_correlation"].get<double>(), expected.ccsd, tolerance);
    EXPECT_NEAR(found["t_correction"].get<double>(), expected.t, tolerance);
    EXPECT_NEAR(found["total"].get<double>(), expected.hf + expected.ccsd + expected.t, tolerance);
}

/// Runs alone (0) or on so many ranks; what --json wrote.
nlohmann::json run_ccsd(int ranks, const std::string &arguments) {
    const temporary_directory directory;
    const std::string all = arguments + " --json " + directory.file("out.json");
    const program_result result = ranks == 0 ? run_command(TENFOLD_CCSD_PROGRAM, all)
                                             : run_ranks(ranks, TENFOLD_CCSD_PROGRAM, all);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    const auto json = nlohmann::json::parse(read_text(directory.file("out.json")), nullptr, false);
    EXPECT_TRUE(json.is_object());
    return json.is_object() ? json : nlohmann::json::object();
}

TEST(Ccsd, EnergiesOnAnyNumberOfRanks) {
    nlohmann::json alone;
    for (const int ranks : {0, 1, 2, 3, 4}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json json = run_ccsd(ranks, water);
        ASSERT_TRUE(json.contains("energies"));
        expect_energies(json, all_electrons);
        EXPECT_EQ(json["ranks"], std::max(ranks, 1));
        EXPECT_EQ(json["converged"], true);
        EXPECT_NEAR(json["first_update_ccsd_correlation"].get<double>(), -0.062758205955, 1e-11);
        EXPECT_NEAR(json["t1_norm"].get<double>(), 0.0221668125, 1e-9);
        EXPECT_NEAR(json["t2_norm"].get<double>(), 0.2184139322, 1e-9);
        if (ranks == 0)
            alone = json;
        for (const auto &[name, value] : json["energies"].items())
            EXPECT_NEAR(value.get<double>(), alone["energies"][name].get<double>(), 1e-12) << name;
    }
}

TEST(Ccsd, ReproducibleEnergiesInEveryBit) {
    setenv("TENFOLD_REPRODUCIBLE", "1", 1);
    const nlohmann::json alone = run_ccsd(0, water);
    expect_energies(alone, all_electrons);
    for (const int ranks : {1, 2, 3, 4})
        EXPECT_EQ(run_ccsd(ranks, water)["energies"], alone["energies"]) << ranks << " ranks";
    unsetenv("TENFOLD_REPRODUCIBLE");
}

TEST(Ccsd, FrozenCore) {
    for (const int ranks : {0, 2})
        expect_energies(run_ccsd(ranks, water + " --frozen-core 1"), frozen_core);
    const nlohmann::json json = run_ccsd(0, water + " --frozen-core 5");
    EXPECT_EQ(json["energies"]["ccsd_correlation"], nullptr);
    EXPECT_NEAR(json["energies"]["total"].get<double>(), all_electrons.hf, tolerance);
}

TEST(Ccsd, MethodsUpTo) {
    const nlohmann::json hf = run_ccsd(0, water + " --method hf")["energies"];
    EXPECT_EQ(hf["mp2_correlation"], nullptr);
    EXPECT_NEAR(hf["total"].get<double>(), all_electrons.hf, tolerance);
    const nlohmann::json mp2 = run_ccsd(0, water + " --method mp2")["energies"];
    EXPECT_EQ(mp2["ccsd_correlation"], nullptr);
    EXPECT_NEAR(mp2["total"].get<double>(), all_electrons.hf + all_electrons.mp2, tolerance);
    const nlohmann::json ccsd = run_ccsd(0, water + " --method ccsd")["energies"];
    EXPECT_EQ(ccsd["t_correction"], nullptr);
    EXPECT_NEAR(ccsd["total"].get<double>(), all_electrons.hf + all_electrons.ccsd, tolerance);
}

TEST(Ccsd, EveryFieldOfTheJson) {
    const nlohmann::json json = run_ccsd(0, water);
    for (const char *key :
         {"file", "method", "ranks", "threads", "orbitals", "occupied", "virtual", "frozen_core",
          "energies", "first_update_ccsd_correlation", "t1_norm", "t2_norm", "converged",
          "iterations", "seconds", "contractions", "memory", "level_shift"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["method"], "ccsd(t)");
    EXPECT_EQ(json["orbitals"], 7);
    EXPECT_EQ(json["occupied"], 5);
    EXPECT_EQ(json["virtual"], 2);
    for (const char *key : {"energy", "change", "residual", "seconds", "gflops"})
        EXPECT_TRUE(json["iterations"][0].contains(key)) << key;
    for (const char *key : {"read", "ccsd", "triples", "total"})
        EXPECT_TRUE(json["seconds"].contains(key)) << key;
    for (const char *key : {"line", "calls", "seconds", "gflops", "bytes"})
        EXPECT_TRUE(json["contractions"][0].contains(key)) << key;
    EXPECT_GT(json["memory"]["peak_bytes_per_rank"].get<long>(), 0);
    EXPECT_LT(json["iterations"].back()["residual"].get<double>(), 1e-8);
}

TEST(Ccsd, FilesInManyShapes) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    const fcidump_file file(water);
    const fcidump_file::style styles[] = {
        {},
        {.header = "$FCI norb= 7 ,\n nelec=10\n  , ORBSYM=3*1, \n 4*2 MS2 = 0 /\n"},
        {.header = "\n &fci NORB=7, NELEC=10, IUHF=0 ! closed shell\n UHF=.FALSE. $END\n"},
        {.constant_first = true, .fortran_exponents = true},
        {.twice = true, .orbital_energies = true}};
    for (const fcidump_file::style &style : styles) {
        SCOPED_TRACE(&style - styles);
        write_text(path, file.text(style));
        expect_energies(run_ccsd(0, path), all_electrons);
    }
}

TEST(Ccsd, CompressedFiles) {
    const temporary_directory directory;
    for (const std::string &tool : packers()) {
        SCOPED_TRACE(tool);
        const std::string path = directory.file(tool); // by content, not by name
        const program_result packed = run_command(tool, "--stdout " + water);
        if (packed.status != 0)
            continue; // not installed
        write_text(path, packed.out);
        expect_energies(run_ccsd(0, path), all_electrons);
        write_text(path, packed.out.substr(0, packed.out.size() / 2));
        const program_result cut = run_command(TENFOLD_CCSD_PROGRAM, path);
        EXPECT_EQ(cut.status, 2);
        EXPECT_NE(cut.err.find("cut short"), std::string::npos) << cut.err;
        write_text(path, packed.out.substr(0, 200) + "garbage" + packed.out.substr(207));
        EXPECT_EQ(run_command(TENFOLD_CCSD_PROGRAM, path).status, 2);
    }
}

TEST(Ccsd, OrbitalsInAnyOrder) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    fcidump_file file(water);
    file.reorder({6, 2, 0, 5, 4, 1, 3}); // virtual ones among the occupied
    write_text(path, file.text());
    expect_energies(run_ccsd(0, path), all_electrons);
    expect_energies(run_ccsd(0, path + " --frozen-core 1"), frozen_core);
}

TEST(Ccsd, OrbitalsThatAreNotCanonical) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    fcidump_file file(water);
    file.rotate(0, 3, 0.3);
    file.rotate(1, 4, -0.4);
    file.rotate(2, 3, 0.2);
    file.rotate(5, 6, 0.5);
    write_text(path, file.text());
    for (const int ranks : {0, 2, 3}) // two: some tensors are whole on each rank
        expect_energies(run_ccsd(ranks, path + " --convergence 1e-9"), all_electrons);
}

TEST(Ccsd, NoConvergenceIsAnError) {
    const program_result result = run_command(TENFOLD_CCSD_PROGRAM, water + " --max-iterations 3");
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("did not converge in 3 iterations"), std::string::npos) << result.err;
    EXPECT_EQ(run_ccsd(0, water + " --diis 0 --max-iterations 60")["converged"], true);
}

TEST(Ccsd, LevelShiftDampsUpdatesAndLeavesTheResult) {
    const nlohmann::json plain = run_ccsd(0, water);
    for (const int ranks : {0, 3}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json json = run_ccsd(ranks, water + " --level-shift 0.3");
        expect_energies(json, all_electrons);
        EXPECT_EQ(json["level_shift"], 0.3);
        // The first residual is that of the same amplitudes, and what is made of it less.
        EXPECT_NEAR(json["iterations"][0]["residual"].get<double>(),
                    plain["iterations"][0]["residual"].get<double>(), 1e-12);
        const auto change = [](const nlohmann::json &one) {
            return one["iterations"][0]["change"].get<double>();
        };
        EXPECT_LT(change(plain), 0);
        EXPECT_LT(change(json), 0.5 * change(plain));
        EXPECT_GT(change(json), 0.9 * change(plain)); // both are negative
    }
}

TEST(Ccsd, TooLittleMemoryIsAnErrorThatStatesTheLeast) {
    const program_result result = run_command(TENFOLD_CCSD_PROGRAM, water + " --memory 1KiB");
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.err.find("at least"), std::string::npos) << result.err;
}

/// Iterations of a run, energies only.
std::vector<double> iterations_of(const nlohmann::json &json) {
    std::vector<double> energies;
    for (const nlohmann::json &one : json["iterations"])
        energies.push_back(one["energy"]);
    return energies;
}

TEST(Ccsd, GoesOnFromACheckpointOnAnyNumberOfRanks) {
    const temporary_directory directory;
    const std::string path = directory.file("checkpoint");
    fcidump_file rotated(water);
    rotated.rotate(1, 4, -0.4);
    rotated.rotate(5, 6, 0.5);
    write_text(directory.file("rotated"), rotated.text());
    for (const std::string &file : {water, directory.file("rotated")}) {
        SCOPED_TRACE(file);
        const nlohmann::json whole = run_ccsd(0, file);
        const auto goes_on = [&](int ranks, const std::string &more = "") {
            SCOPED_TRACE(ranks);
            const nlohmann::json json = run_ccsd(ranks, file + " --restart " + path + more);
            for (const auto &[name, value] : json["energies"].items())
                EXPECT_NEAR(value.get<double>(), whole["energies"][name].get<double>(), 1e-12)
                    << name;
            const std::vector<double> one = iterations_of(json);
            const std::vector<double> other = iterations_of(whole);
            EXPECT_EQ(one.size(), other.size());
            for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
                EXPECT_NEAR(one[i], other[i], 1e-12) << i;
            return json["restarted_after_iteration"];
        };
        const program_result stopped =
            run_command(TENFOLD_CCSD_PROGRAM, file + " --max-iterations 7 --checkpoint " + path);
        EXPECT_NE(stopped.err.find("did not converge"), std::string::npos) << stopped.err;
        for (const int ranks : {0, 2, 3})
            EXPECT_EQ(goes_on(ranks), 7);
        EXPECT_EQ(goes_on(4, " --checkpoint " + path), 7); // the same file, and (T) in it
        EXPECT_EQ(goes_on(2), whole["iterations"].size());
        // A tighter threshold takes more iterations from there, and (T) anew.
        const nlohmann::json tighter = run_ccsd(2, file + " --convergence 1e-10 --restart " + path);
        EXPECT_GT(tighter["iterations"].size(), whole["iterations"].size());
        expect_energies(tighter, all_electrons);
        EXPECT_EQ(run_ccsd(0, file + " --diis 3 --restart " + path)["converged"], true);
    }
}

TEST(Ccsd, RefusesCheckpointsOfOtherCalculations) {
    const temporary_directory directory;
    const std::string path = directory.file("checkpoint");
    run_ccsd(0, water + " --checkpoint " + path);
    const std::string other = directory.file("FCIDUMP");
    std::string text = read_text(water);
    ASSERT_NE(text.find("8.002"), std::string::npos);
    write_text(other, text.replace(text.find("8.002"), 5, "8.003")); // another geometry
    const struct {
        std::string arguments;
        const char *message;
        int status;
    } cases[] = {
        {water + " --frozen-core 1 --restart " + path, "0 frozen; here are", 2},
        {other + " --restart " + path, "other integrals", 2},
        {water + " --restart " + directory.file("missing"), "cannot be opened", 1},
        {water + " --restart " + water, "not a checkpoint", 1},
        {water + " --checkpoint /nonexistent/file", "/nonexistent/file", 1},
    };
    for (const auto &one : cases) {
        SCOPED_TRACE(one.arguments);
        const program_result alone = run_command(TENFOLD_CCSD_PROGRAM, one.arguments);
        EXPECT_EQ(alone.status, one.status);
        EXPECT_EQ(alone.out, "");
        EXPECT_NE(alone.err.find(one.message), std::string::npos) << alone.err;
        EXPECT_EQ(run_ranks(3, TENFOLD_CCSD_PROGRAM, one.arguments).status, one.status);
    }
}

TEST(Ccsd, StaysWithinItsMemoryPlan) {
    for (const int ranks : {0, 2, 3}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json memory = run_ccsd(ranks, water)["memory"];
        const auto planned = memory["planned_bytes_per_rank"].get<long>();
        const auto peak = memory["peak_bytes_per_rank"].get<long>();
        EXPECT_LE(peak, 1.05 * static_cast<double>(planned));
        EXPECT_GE(peak, 0.5 * static_cast<double>(planned));
        expect_energies(run_ccsd(ranks, water + " --memory " + std::to_string(planned)),
                        all_electrons);
    }
}

TEST(Ccsd, WrongUsage) {
    for (const std::string &arguments : std::vector<std::string>{
             std::string("--method ccsdt ") + water, "--frozen-core 6 " + water,
             "--frozen-core -1 " + water, "--convergence 0 " + water, "--max-iterations 0 " + water,
             "--checkpoint file --method mp2 " + water, "--restart file --method hf " + water,
             "--level-shift -0.1 " + water, "--level-shift nan " + water,
             "--level-shift inf " + water, "--level-shift 0.3i " + water,
             "--level-shift much " + water, std::string(), water + " " + water}) {
        SCOPED_TRACE(arguments);
        const program_result result = run_command(TENFOLD_CCSD_PROGRAM, arguments);
        EXPECT_EQ(result.status, 2) << result.out << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find("error: "), std::string::npos);
    }
    EXPECT_EQ(run_command(TENFOLD_CCSD_PROGRAM, "--help").status, 0);
}

} // namespace
} // namespace tenfold::testing

// Compares energies of tenfold-ccsd with those of other programs, from files in many formats.
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "ccsd_water.hpp"
#include "fcidump_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

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
    EXPECT_NEAR(json["energies"]["total"].get<double>(), all_electrons.hf, energy_tolerance);
}

TEST(Ccsd, MethodsUpTo) {
    const nlohmann::json hf = run_ccsd(0, water + " --method hf")["energies"];
    EXPECT_EQ(hf["mp2_correlation"], nullptr);
    EXPECT_NEAR(hf["total"].get<double>(), all_electrons.hf, energy_tolerance);
    const nlohmann::json mp2 = run_ccsd(0, water + " --method mp2")["energies"];
    EXPECT_EQ(mp2["ccsd_correlation"], nullptr);
    EXPECT_NEAR(mp2["total"].get<double>(), all_electrons.hf + all_electrons.mp2, energy_tolerance);
    const nlohmann::json ccsd = run_ccsd(0, water + " --method ccsd")["energies"];
    EXPECT_EQ(ccsd["t_correction"], nullptr);
    EXPECT_NEAR(ccsd["total"].get<double>(), all_electrons.hf + all_electrons.ccsd,
                energy_tolerance);
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
    // Every energy has the remark, and the output suggests what to try.
    int energies = 0;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  CCSD correlation") || line.starts_with("  CCSD total") ||
            line.starts_with("  total energy")) {
            ++energies;
            EXPECT_NE(line.find("NOT CONVERGED"), std::string::npos) << line;
        }
    EXPECT_EQ(energies, 3) << result.out;
    for (const char *advice : {"--level-shift", "--max-iterations", "--restart"})
        EXPECT_NE(result.out.find(advice), std::string::npos) << result.out;
    const program_result converged = run_command(TENFOLD_CCSD_PROGRAM, water);
    EXPECT_EQ(converged.out.find("NOT CONVERGED"), std::string::npos) << converged.out;
}

/// A method of the user's, with every kind of input, and orbitals beside spin orbitals.
TEST(Ccsd, EquationsOfTheUser) {
    const temporary_directory directory;
    const std::string path = directory.file("mine.tenfold");
    write_text(path, "index i, j: occupied\n"
                     "index a, b: virtual\n"
                     "index I, J: spin_occupied\n"
                     "index A, B: spin_virtual\n"
                     "input vovo[a,i,b,j], eo[i], ev[a], hf, fvo[a,i], Avvoo[A,B,I,J]\n"
                     "output MP2, total, coupling, difference\n"
                     "T[a,b,i,j] = vovo[a,i,b,j] / (eo[i] + eo[j] - ev[a] - ev[b])\n"
                     "MP2 = 2*vovo[a,i,b,j]*T[a,b,i,j] - vovo[b,i,a,j]*T[a,b,i,j]\n"
                     "total = hf + MP2\n"
                     "coupling = fvo[a,i]*fvo[a,i]\n"
                     "D[a,i,b,j] = vovo[a,i,b,j] - vovo[a,j,b,i]\n"
                     "difference = Avvoo[A,B,I,J]*Avvoo[A,B,I,J] - 2*D[a,i,b,j]*D[a,i,b,j]\n"
                     "           - 4*vovo[a,i,b,j]*vovo[a,i,b,j]\n");
    const nlohmann::json json =
        run_ccsd(2, water + " --frozen-core 1 --equations " + path)["scalars"];
    EXPECT_NEAR(json["MP2"].get<double>(), frozen_core.mp2, energy_tolerance);
    EXPECT_NEAR(json["total"].get<double>(), frozen_core.hf + frozen_core.mp2, energy_tolerance);
    EXPECT_NEAR(json["coupling"].get<double>(), 0, 1e-12);
    EXPECT_NEAR(json["difference"].get<double>(), 0, 1e-12);

    const nlohmann::json ccd = run_ccsd(0, water + " --equations " TENFOLD_METHODS "/ccd.tenfold");
    EXPECT_NEAR(ccd["scalars"]["E"].get<double>(), -0.07015048716, 1e-10);
    EXPECT_EQ(ccd["converged"], true);
    EXPECT_EQ(ccd["lines"].size(), 18U); // the block's own included
    for (const char *key : {"line", "text", "times", "seconds", "planned_seconds",
                            "bytes_received_per_rank", "peak_bytes_per_rank"})
        EXPECT_TRUE(ccd["lines"][0].contains(key)) << key;
    EXPECT_GT(ccd["lines"].back()["times"].get<int>(), 5);
}

TEST(Ccsd, EquationsThatCannotBeRun) {
    const temporary_directory directory;
    const std::string path = directory.file("mine.tenfold");
    const auto told = [&](const std::string &text, const std::string &more = "") {
        write_text(path, text);
        const program_result result =
            run_command(TENFOLD_CCSD_PROGRAM, water + " --equations " + path + more);
        return std::to_string(result.status) + " " + result.err;
    };
    const auto expect = [](const std::string &found, const std::string &part) {
        EXPECT_NE(found.find(part), std::string::npos) << found;
    };
    expect(told("index i: row\ninput eo[i]\n"), "2 tenfold-ccsd: error: --equations: range 'row'");
    expect(told("index i: occupied\nindex a: virtual\ninput ev[i]\n"),
           "input 'ev[occupied]': expected the name eo");
    expect(told("index i: occupied\nE = V[i]\n"), "line 2, column 5: 'V' is read here");
    expect(told("", " --method mp2"),
           "2 tenfold-ccsd: error: --equations FILE says what is computed");
    const std::string endless = told("index i: occupied\ninput eo[i]\noutput n\nn = 0\n"
                                     "repeat until n < 0 at most 2 { n = eo[i]*eo[i] }\n");
    expect(endless, "1 tenfold-ccsd: error: ");
    expect(endless, "did not converge");
}

/// MP2 and (T) omit the terms in f_ia, which are not 0 here.
TEST(Ccsd, SaysWhatIsNotStandardForOrbitalsThatAreNotHartreeFocks) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    fcidump_file mixed(water);
    mixed.rotate(4, 5, 0.05); // an occupied and a virtual orbital
    write_text(path, mixed.text());
    const nlohmann::json json = run_ccsd(0, path);
    EXPECT_EQ(json["mp2"]["standard"], false);
    EXPECT_EQ(json["triples"]["standard"], false);
    const program_result told = run_command(TENFOLD_CCSD_PROGRAM, path);
    std::istringstream lines(told.out);
    int energies = 0;
    for (std::string line; std::getline(lines, line);)
        if (line.find("MP2 correlation") != std::string::npos ||
            line.find("(T) correction") != std::string::npos) {
            ++energies;
            EXPECT_NE(line.find("not standard"), std::string::npos) << line;
        }
    EXPECT_EQ(energies, 3) << told.out; // SCS-MP2's, too

    mixed = fcidump_file(water);
    mixed.rotate(1, 4, -0.4); // still Hartree-Fock's
    write_text(path, mixed.text());
    for (const std::string &file : {water, path}) {
        EXPECT_EQ(run_command(TENFOLD_CCSD_PROGRAM, file).out.find("not standard"),
                  std::string::npos);
        const nlohmann::json standard = run_ccsd(0, file);
        EXPECT_EQ(standard["mp2"]["standard"], true);
        EXPECT_EQ(standard["triples"]["standard"], true);
    }
    const nlohmann::json ccsd = run_ccsd(0, water + " --method ccsd");
    EXPECT_EQ(ccsd["triples"], nullptr);
}

TEST(Ccsd, LevelShiftDampsUpdatesAndLeavesTheResult) {
    const nlohmann::json plain = run_ccsd(0, water);
    for (const int ranks : {0, 3}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json json = run_ccsd(ranks, water + " --level-shift 0.3");
        expect_energies(json, all_electrons);
        EXPECT_EQ(json["level_shift"], 0.3);
        // The first residual belongs to the same amplitudes; the shift makes their change smaller.
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

TEST(Ccsd, StaysWithinItsMemoryPlan) {
    for (const int ranks : {0, 2, 3}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json memory = run_ccsd(ranks, water)["memory"];
        const auto planned = memory["planned_bytes_per_rank"].get<long>();
        const auto peak = memory["peak_bytes_per_rank"].get<long>();
        EXPECT_LE(peak, 1.02 * static_cast<double>(planned));
        EXPECT_GE(peak, 0.5 * static_cast<double>(planned));
        expect_energies(run_ccsd(ranks, water + " --memory " + std::to_string(planned)),
                        all_electrons);
    }
}

TEST(Ccsd, TellsWhatItPlansBeforeItReadsIntegrals) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    std::string text = read_text(water);
    text.replace(text.rfind("8.00"), 4, "8,,0"); // the constant, on the last line
    write_text(path, text);
    const program_result result = run_command(TENFOLD_CCSD_PROGRAM, path);
    EXPECT_EQ(result.status, 2) << result.err;
    for (const char *told : {"7 orbitals, 5 occupied", "planned memory per rank"})
        EXPECT_NE(result.out.find(told), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("Hartree-Fock"), std::string::npos) << result.out;
    const std::string all = run_command(TENFOLD_CCSD_PROGRAM, water + " --frozen-core 5").out;
    EXPECT_EQ(all.find("planned memory"), all.rfind("planned memory")) << all; // once
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

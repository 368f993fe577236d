// Tests tenfold-ccsd: calculations that continue from files, and files that cannot be written.
#include <filesystem>

#include <gtest/gtest.h>

#include "ccsd_water.hpp"
#include "fcidump_file.hpp"
#include "model_molecule.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// Returns the energies of a run's iterations.
std::vector<double> iterations_of(const nlohmann::json &json) {
    std::vector<double> energies;
    for (const nlohmann::json &one : json["iterations"])
        energies.push_back(one["energy"]);
    return energies;
}

TEST(CcsdCheckpoint, GoesOnFromACheckpointOnAnyNumberOfRanks) {
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
        // A smaller threshold needs more iterations from there, and (T) is computed anew.
        const nlohmann::json tighter = run_ccsd(2, file + " --convergence 1e-10 --restart " + path);
        EXPECT_GT(tighter["iterations"].size(), whole["iterations"].size());
        expect_energies(tighter, all_electrons);
        EXPECT_EQ(run_ccsd(0, file + " --diis 3 --restart " + path)["converged"], true);
    }
}

TEST(CcsdCheckpoint, RefusesCheckpointsOfOtherCalculations) {
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
        {water + " --restart " + directory.file("missing"), "--restart-if-present", 1},
        {water + " --restart " + water, "not a checkpoint", 1},
        {water + " --checkpoint /nonexistent/file", "/nonexistent/file", 1},
    };
    for (const auto &one : cases) {
        SCOPED_TRACE(one.arguments);
        const program_result alone = run_command(TENFOLD_CCSD_PROGRAM, one.arguments);
        EXPECT_EQ(alone.status, one.status);
        EXPECT_EQ(alone.out.find("Hartree-Fock"), std::string::npos) << alone.out;
        EXPECT_NE(alone.err.find(one.message), std::string::npos) << alone.err;
        EXPECT_EQ(run_ranks(3, TENFOLD_CCSD_PROGRAM, one.arguments).status, one.status);
    }
}

TEST(CcsdCheckpoint, BeginsAnewWhereItMay) {
    const temporary_directory directory;
    const std::string path = directory.file("checkpoint");
    const std::string arguments = water + " --checkpoint " + path + " --restart-if-present " + path;
    for (const int ranks : {0, 3}) {
        SCOPED_TRACE(ranks);
        const nlohmann::json anew = run_ccsd(ranks, arguments);
        expect_energies(anew, all_electrons);
        EXPECT_EQ(anew["restarted_after_iteration"], nullptr);
        const nlohmann::json again = run_ccsd(ranks, arguments);
        expect_energies(again, all_electrons);
        EXPECT_EQ(again["restarted_after_iteration"], anew["iterations"].size());
        std::filesystem::remove(path);
        const program_result told = run_command(TENFOLD_CCSD_PROGRAM, arguments);
        EXPECT_NE(told.out.find("begins anew"), std::string::npos) << told.out;
        std::filesystem::remove(path);
    }
    // A file that exists but is not a checkpoint is an error.
    EXPECT_NE(run_command(TENFOLD_CCSD_PROGRAM, water + " --restart-if-present " + water).status,
              0);
    EXPECT_EQ(
        run_command(TENFOLD_CCSD_PROGRAM, arguments + " --restart " + directory.file("c")).status,
        2);
}

/// A limit on file sizes acts as a full disk: the first checkpoints fit, those with more vectors do
/// not.
TEST(CcsdCheckpoint, AFullDiskIsAWarning) {
    const temporary_directory directory;
    const std::string model = directory.file("FCIDUMP");
    const std::string path = directory.file("checkpoint");
    write_text(model, model_molecule(5, 19));
    const std::string calculation = model + " --method ccsd";
    const nlohmann::json whole = run_ccsd(0, calculation);
    const program_result full =
        run_command("trap '' XFSZ; ulimit -f 1000; " TENFOLD_CCSD_PROGRAM,
                    calculation + " --checkpoint " + path + " --json " + directory.file("json"));
    EXPECT_EQ(full.status, 0) << full.out << full.err;
    EXPECT_NE(full.err.find("warning"), std::string::npos) << full.err;
    EXPECT_NE(full.err.find(path), std::string::npos) << full.err;
    const auto json = nlohmann::json::parse(read_text(directory.file("json")), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json["energies"], whole["energies"]);
    EXPECT_GT(json["checkpoint"]["saved"], 0);
    EXPECT_GT(json["checkpoint"]["failed"], 0);

    // The last checkpoint that was saved remains.
    const nlohmann::json later = run_ccsd(0, calculation + " --restart " + path);
    EXPECT_GT(later["restarted_after_iteration"], 0);
    EXPECT_LT(later["restarted_after_iteration"], whole["iterations"].size());
    EXPECT_NEAR(later["energies"]["total"].get<double>(), whole["energies"]["total"].get<double>(),
                1e-12);
}

TEST(CcsdCheckpoint, NeitherIsAFileInTheWayAnErrorOnRanks) {
    const temporary_directory directory;
    const std::string path = directory.file("checkpoint");
    std::filesystem::create_directory(path + ".saving");
    const program_result result =
        run_ranks(3, TENFOLD_CCSD_PROGRAM,
                  water + " --checkpoint " + path + " --json " + directory.file("json"));
    const std::string said = result.out + result.err; // the launcher's wrapper prints to stdout
    EXPECT_NE(said.find("warning"), std::string::npos) << said;
    EXPECT_EQ(said.find("error:"), std::string::npos) << said;
    const auto json = nlohmann::json::parse(read_text(directory.file("json")), nullptr, false);
    ASSERT_TRUE(json.is_object());
    expect_energies(json, all_electrons);
    EXPECT_EQ(json["checkpoint"]["saved"], 0);
    EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace tenfold::testing

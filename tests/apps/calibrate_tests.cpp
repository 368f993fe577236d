// Tests tenfold calibrate, and how the other programs use its file. No test depends on the
// machine's speed.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// Contexts of child programs read this file while it lives.
class calibration_in_force {
public:
    explicit calibration_in_force(const std::string &file) {
        setenv("TENFOLD_CALIBRATION", file.c_str(), 1);
    }
    ~calibration_in_force() { setenv("TENFOLD_CALIBRATION", "off", 1); }
};

/// Calibrates in the shortest possible time.
program_result calibrate(const std::string &arguments) {
    return run_tenfold_until_measured("calibrate --threads 2 --seconds 0.01 " + arguments);
}

TEST(Calibrate, WritesWhatItPrints) {
    const temporary_directory directory;
    const std::string file = directory.file("rates");
    const program_result result = calibrate("--json --file " + file);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const nlohmann::json printed = result.json();
    EXPECT_EQ(printed["file"], file);
    EXPECT_EQ(printed["threads"], 2);
    EXPECT_GT(printed["seconds"], 0.0);
    ASSERT_GE(printed["rates"].size(), 16U);
    for (const auto &[name, value] : printed["rates"].items()) {
        ASSERT_TRUE(value.is_number()) << name;
        EXPECT_GE(value.get<double>(), 0.0) << name;
        EXPECT_TRUE(printed["typical"].contains(name)) << name;
    }

    const nlohmann::json written = nlohmann::json::parse(read_text(file));
    ASSERT_EQ(written["calibrations"].size(), 1U);
    const nlohmann::json &entry = written["calibrations"][0];
    for (const char *field : {"cpu", "isa", "threads", "rates"})
        EXPECT_EQ(entry[field], printed[field]) << field;

    const calibration_in_force in_force(file);
    const nlohmann::json info = run_tenfold("info --json").json();
    EXPECT_EQ(info["rates"], printed["rates"]) << "some rate was refused: " << info["rates_reason"];
    EXPECT_EQ(info["rates_reason"], "measured with 2 threads, " + file);
}

TEST(Calibrate, PrintsATableForPeople) {
    const program_result result = calibrate("");
    ASSERT_EQ(result.status, 0) << result.err;
    for (const char *part : {"measured", "typical", "ratio", "multiply-adds of f64, per core",
                             "copy in memory, all threads", "start and join two threads",
                             "not written\nTENFOLD_CALIBRATION is 'off'"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part << " in\n" << result.out;
}

TEST(Calibrate, TheUsersOwnFileComesIntoBeing) {
    const temporary_directory directory;
    const std::string file = directory.file("tenfold/calibration.json");
    unsetenv("TENFOLD_CALIBRATION");
    const char *former = std::getenv("XDG_CACHE_HOME");
    const std::string caches = former == nullptr ? "" : former;
    setenv("XDG_CACHE_HOME", directory.file("").c_str(), 1);
    const program_result result = calibrate("");
    const std::string info = run_tenfold("info").out;
    if (former == nullptr)
        unsetenv("XDG_CACHE_HOME");
    else
        setenv("XDG_CACHE_HOME", caches.c_str(), 1);
    setenv("TENFOLD_CALIBRATION", "off", 1);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("calibration.json\n"), std::string::npos) << result.out;
    EXPECT_FALSE(read_text(file).empty());
    EXPECT_NE(info.find("\nrates    measured with 2 threads, "), std::string::npos) << info;
}

TEST(Calibrate, DamagedFilesAreToldOfAndLeft) {
    const temporary_directory directory;
    const std::string file = directory.file("rates");
    write_text(file, "{");
    const calibration_in_force in_force(file);
    const std::string reason = file + ": it is damaged, or no calibration file";
    EXPECT_NE(run_tenfold("info").out.find(reason), std::string::npos);
    const program_result explained = run_tenfold("explain ab=ak*kb --extents a=4,b=4,k=4");
    EXPECT_EQ(explained.status, 0);
    EXPECT_EQ(explained.err, "");
    const program_result result = calibrate("");
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.out.find("measured"), std::string::npos) << "what was measured is shown";
    EXPECT_NE(result.err.find("it is left as it is"), std::string::npos) << result.err;
    EXPECT_EQ(read_text(file), "{");
}

TEST(Calibrate, PlansArePricedByIt) {
    const temporary_directory directory;
    const std::string file = directory.file("rates");
    nlohmann::json printed = calibrate("--json --file " + file).json();
    const std::string explain = "explain abc=cdb*ad --extents a=40,b=40,c=40,d=40 --json";
    const auto seconds_with = [&](double factor) {
        nlohmann::json content = nlohmann::json::parse(read_text(file));
        for (auto &[name, value] : content["calibrations"][0]["rates"].items()) {
            const bool time = name == "call" || name == "strided_line" || name == "message" ||
                              name.starts_with("fork");
            const double typical = printed["typical"][name].get<double>();
            const bool share = name == "kernel_efficiency" || name == "fmas_per_cycle" ||
                               name.starts_with("transpose");
            value = share ? typical : time ? typical / factor : typical * factor;
        }
        write_text(file, content.dump());
        const calibration_in_force in_force(file);
        return run_tenfold(explain).json()["seconds"].get<double>();
    };
    const double typical = run_tenfold(explain).json()["seconds"].get<double>();
    EXPECT_NEAR(seconds_with(1) / typical, 1, 1e-9);
    // A machine that does everything twice as fast; a few costs are the same on all machines.
    const double ratio = typical / seconds_with(2);
    EXPECT_GT(ratio, 1.5);
    EXPECT_LT(ratio, 2.01);
}

/// Predictions follow the calibration, results do not.
TEST(Calibrate, ReproducibleResultsDoNotDependOnIt) {
    const temporary_directory directory;
    const std::string file = directory.file("rates");
    const program_result result = calibrate("--json --file " + file);
    ASSERT_EQ(result.status, 0) << result.err;
    const std::string extents = "abc=cdb*ad --extents a=40,b=40,c=40,d=900 ";
    const auto contract_into = [&](const char *name) {
        EXPECT_EQ(run_tenfold("contract " + extents + "--out " + directory.file(name)).status, 0);
        return read_text(directory.file(name));
    };
    setenv("TENFOLD_REPRODUCIBLE", "1", 1);
    const double typical = run_tenfold("explain " + extents + "--json").json()["seconds"];
    const std::string bytes = contract_into("typical.npy");
    {
        const calibration_in_force in_force(file);
        EXPECT_NE(run_tenfold("explain " + extents + "--json").json()["seconds"].get<double>(),
                  typical);
        EXPECT_TRUE(contract_into("calibrated.npy") == bytes);
    }
    unsetenv("TENFOLD_REPRODUCIBLE");
}

TEST(Calibrate, RefusesWhatItCannotServe) {
    for (const char *arguments : {"--seconds 0", "--seconds -1", "--seconds soon", "--seconds 1e9",
                                  "--threads 0", "--file ''", "somewhere"}) {
        const program_result result = run_tenfold("calibrate " + std::string(arguments));
        EXPECT_EQ(result.status, 2) << arguments;
        EXPECT_EQ(result.out, "") << arguments;
        EXPECT_NE(result.err.find("tenfold calibrate: error: "), std::string::npos) << result.err;
    }
}

} // namespace
} // namespace tenfold::testing

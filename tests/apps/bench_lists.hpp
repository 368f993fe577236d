// Runs suites of tenfold-bench on lists of a test's own.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {

/// Behind `--peer NAME`: the library that replaces the real peers.
inline const std::string fake = std::string("=") + TENFOLD_FAKE_PEERS + " ";

class Bench : public ::testing::Test {
protected:
    /// Writes the list, runs the suite on it and returns the JSON file's object.
    nlohmann::json run(const std::string &suite, const std::string &list,
                       const std::string &more = "", int status = 0) {
        const std::string list_file = directory_.file("list");
        const std::string json_file = directory_.file("results.json");
        write_text(list_file, list);
        result_ = run_bench(suite + " --repeat 1 --verify --file " + list_file + " --json " +
                            json_file + " " + more);
        EXPECT_EQ(result_.status, status) << result_.out << result_.err;
        const auto json =
            nlohmann::json::parse(read_text(json_file), nullptr, /*allow_exceptions=*/false);
        EXPECT_TRUE(json.is_object()) << read_text(json_file);
        return json.is_object() ? json : nlohmann::json::object();
    }

    void expect_fields(const nlohmann::json &json, std::size_t cases) {
        const nlohmann::json &machine = json["machine"];
        EXPECT_TRUE(machine["cpu"].is_string());
        EXPECT_TRUE(machine["isa"].is_string());
        EXPECT_GE(machine["threads"], 1);
        EXPECT_GT(machine["fma_peak_gflops"].get<double>(), 0);
        EXPECT_GT(machine["copy_gbps"].get<double>(), 0);
        ASSERT_EQ(json["cases"].size(), cases);
        for (const nlohmann::json &one : json["cases"]) {
            for (const char *field : {"suite", "case", "spec", "type", "algorithm"})
                EXPECT_TRUE(one[field].is_string()) << field;
            for (const char *field : {"threads", "beta", "seconds_min", "seconds_median", "gbps",
                                      "of_ceiling", "max_relative_error"})
                EXPECT_TRUE(one[field].is_number()) << field;
            EXPECT_TRUE(one.contains("gflops"));
            EXPECT_GT(one["seconds_min"].get<double>(), 0);
            EXPECT_GE(one["seconds_median"], one["seconds_min"]);
            EXPECT_TRUE(one["peers"].is_object());
            for (const auto &[name, peer] : one["peers"].items())
                EXPECT_NEAR(peer["ratio"].get<double>(),
                            peer["seconds_min"].get<double>() / one["seconds_min"].get<double>(),
                            1e-9);
        }
        EXPECT_TRUE(json["summary"]["geomean_of_ceiling"].is_number());
        EXPECT_TRUE(json["summary"]["peers"].is_object());
    }

    /// Checks that all cases were predicted, and that the summary agrees with them.
    void expect_predictions(const nlohmann::json &json) {
        int close = 0;
        for (const nlohmann::json &one : json["cases"]) {
            ASSERT_TRUE(one["predicted_seconds"].is_number());
            const double predicted = one["predicted_seconds"];
            EXPECT_GT(predicted, 0);
            const double ratio = one["seconds_min"].get<double>() / predicted;
            close += ratio <= 1.5 && ratio >= 1 / 1.5;
        }
        const nlohmann::json &summary = json["summary"]["predictions"];
        EXPECT_EQ(summary["cases"], json["cases"].size());
        EXPECT_EQ(summary["cases_within"], close);
        EXPECT_GT(summary["geomean_ratio"].get<double>(), 0);
        const std::string line = "predicted within a factor 1.5 in " + std::to_string(close) +
                                 " of " + std::to_string(json["cases"].size()) + " cases";
        EXPECT_NE(result_.out.find(line), std::string::npos) << result_.out;
    }

    void expect_no_predictions(const nlohmann::json &json) {
        for (const nlohmann::json &one : json["cases"])
            EXPECT_TRUE(one["predicted_seconds"].is_null());
        EXPECT_FALSE(json["summary"].contains("predictions"));
        EXPECT_EQ(result_.out.find("predicted within"), std::string::npos) << result_.out;
    }

    temporary_directory directory_;
    program_result result_;
};

} // namespace tenfold::testing

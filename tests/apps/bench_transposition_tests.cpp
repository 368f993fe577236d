// Tests what is particular to transpositions in tenfold-bench.
#include <algorithm>

#include <gtest/gtest.h>
#include <unistd.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string fake_hptt = std::string(" --peer hptt=") + TENFOLD_FAKE_PEERS;
const std::string tiny_list = "swap 1,0 50,60\ncycle 2,0,1 4,50,6\nkept 0,2,1 16,5,6\n";

class BenchTranspositions : public ::testing::Test {
protected:
    /// Runs ttc, one sample per case, and returns the JSON file's object.
    nlohmann::json run(const std::string &arguments) {
        const std::string json_file = directory_.file("results.json");
        result_ = run_bench("ttc --repeat 1 --json " + json_file + " " + arguments);
        EXPECT_EQ(result_.status, 0) << result_.out << result_.err;
        EXPECT_EQ(result_.err, "");
        const auto json =
            nlohmann::json::parse(read_text(json_file), nullptr, /*allow_exceptions=*/false);
        EXPECT_TRUE(json.is_object()) << read_text(json_file);
        return json.is_object() ? json : nlohmann::json::object();
    }
    nlohmann::json run_list(const std::string &list, const std::string &arguments) {
        const std::string list_file = directory_.file("list");
        write_text(list_file, list);
        return run("--verify --file " + list_file + " " + arguments);
    }
    void expect_printed(const std::string &text) const {
        EXPECT_NE(result_.out.find(text), std::string::npos) << text << "\n" << result_.out;
    }

    temporary_directory directory_;
    program_result result_;
};

TEST_F(BenchTranspositions, ConvertBetweenPrecisions) {
    struct conversion {
        const char *types;
        double bytes_a, bytes_b; ///< of one element
        const char *beta;
    };
    for (const auto &[types, bytes_a, bytes_b, beta] :
         {conversion{"f32-f64", 4, 8, "0"}, conversion{"f64-f32", 8, 4, "0.5"},
          conversion{"c32-c64", 8, 16, "2"}, conversion{"c64-c32", 16, 8, "0"},
          conversion{"bf16-f32", 2, 4, "0"}, conversion{"f32-f16", 4, 2, "0.5"}}) {
        SCOPED_TRACE(types);
        const nlohmann::json json =
            run_list(tiny_list, std::string("--type ") + types + " --beta " + beta + fake_hptt);
        ASSERT_EQ(json["cases"].size(), 3U);
        const nlohmann::json &swap = json["cases"][0];
        EXPECT_EQ(swap["type"], types);
        EXPECT_TRUE(swap["peers"].empty());
        const bool reads_b = swap["beta"] != 0.0;
        const double bytes = 50 * 60 * (bytes_a + (reads_b ? 2 : 1) * bytes_b);
        const double seconds = swap["seconds_min"];
        EXPECT_NEAR(swap["gbps"].get<double>(), bytes / seconds * 1e-9, 1e-6);
        // The ceiling is the time of these bytes at the rate of a copy, or of saxpy.
        const double rate = swap[reads_b ? "saxpy_gbps" : "copy_gbps"];
        EXPECT_NEAR(swap["of_ceiling"].get<double>(), bytes / rate * 1e-9 / seconds, 1e-6);
        expect_printed("hptt: no conversions");
    }
}

TEST_F(BenchTranspositions, BeginWhereTheyAreTold) {
    for (const char *more : {"--offset 16", "--offset 8 --type c64 --beta 0.5",
                             "--offset 4 --type f32", "--offset 4088 --flush"}) {
        SCOPED_TRACE(more);
        const nlohmann::json json = run_list(tiny_list, more + fake_hptt);
        ASSERT_EQ(json["cases"].size(), 3U);
        expect_printed("A and B begin " + std::to_string(json["machine"]["offset"].get<int>()) +
                       " bytes past 64-byte boundaries");
        EXPECT_EQ(json["machine"]["pages"], "default");
    }
    run_list(tiny_list, "");
    expect_printed("A and B begin at 64-byte boundaries; pages as the allocator gives them");
}

TEST_F(BenchTranspositions, LieInThePagesThatWereAskedFor) {
    const nlohmann::json small = run_list(tiny_list, "--pages small --offset 16");
    expect_printed("; " + std::to_string(sysconf(_SC_PAGESIZE) / 1024) + " KiB pages");
    EXPECT_EQ(small["machine"]["pages"], "small");
    if (small["machine"].contains("in_huge_pages")) { // not on every system
        EXPECT_EQ(small["machine"]["in_huge_pages"], 0.0);
    }

    const std::string huge_pages = read_text("/sys/kernel/mm/transparent_hugepage/enabled");
    if (huge_pages.empty() || huge_pages.find("[never]") != std::string::npos)
        GTEST_SKIP() << "no transparent huge pages here";
    const nlohmann::json huge = run_list(tiny_list, "--pages huge --type f32-f64");
    expect_printed("; huge pages");
    EXPECT_EQ(huge["machine"]["pages"], "huge");
}

TEST_F(BenchTranspositions, RandomOnesFollowFromTheirSeed) {
    // Cases that are published with a seed must be the same on other machines and in later years.
    struct pinned_case {
        const char *name;
        std::vector<int> permutation;
        std::vector<int> extents;
    };
    const std::vector<pinned_case> pinned = {{"r002", {2, 3, 0, 1}, {4, 3, 55, 234}},
                                             {"r003", {2, 5, 4, 3, 0, 1}, {1, 3, 24, 7, 58, 21}},
                                             {"r004", {3, 0, 5, 4, 2, 1}, {1, 14, 5, 2, 20, 85}}};
    const nlohmann::json json =
        run("--random 4:7 --verify --cases 'r00[2-4]' --type f32" + fake_hptt);
    expect_printed("again with --random 4:7");
    EXPECT_EQ(json["machine"]["random_seed"], 7);
    ASSERT_EQ(json["cases"].size(), pinned.size());
    for (std::size_t i = 0; i < pinned.size(); ++i) {
        EXPECT_EQ(json["cases"][i]["case"], pinned[i].name);
        EXPECT_EQ(json["cases"][i]["permutation"], pinned[i].permutation);
        EXPECT_EQ(json["cases"][i]["extents"], pinned[i].extents);
    }
    EXPECT_EQ(json["cases"][0]["spec"], "cdab=abcd");
    expect_printed("  4,3,55,234\n");

    const nlohmann::json of_more = run("--random 100:7 --cases r003");
    ASSERT_EQ(of_more["cases"].size(), 1U);
    EXPECT_EQ(of_more["cases"][0]["extents"], pinned[1].extents);
}

TEST_F(BenchTranspositions, RandomOnesKeepTheirLimits) {
    // The largest of 300 take too long here; only their names are matched.
    const nlohmann::json json = run("--random 300:1 --cases 'r0?5' --type f32");
    for (const nlohmann::json &one : json["cases"]) {
        SCOPED_TRACE(one["case"]);
        const auto extents = one["extents"].get<std::vector<std::int64_t>>();
        auto permutation = one["permutation"].get<std::vector<int>>();
        EXPECT_GE(extents.size(), 2U);
        EXPECT_LE(extents.size(), 8U);
        std::int64_t elements = 1;
        for (const std::int64_t extent : extents) {
            EXPECT_GE(extent, 1);
            EXPECT_LE(extent, 500);
            elements *= extent;
        }
        EXPECT_GE(elements, 1 << 14);
        EXPECT_LE(elements, 1 << 25);
        EXPECT_FALSE(std::is_sorted(permutation.begin(), permutation.end()));
        std::sort(permutation.begin(), permutation.end());
        ASSERT_EQ(permutation.size(), extents.size());
        for (std::size_t mode = 0; mode < permutation.size(); ++mode)
            EXPECT_EQ(permutation[mode], static_cast<int>(mode));
    }
}

TEST_F(BenchTranspositions, RandomOnesDifferWithoutASeed) {
    const auto seed_of_a_run = [this] {
        return run("--random 1000 --cases r001")["machine"]["random_seed"].get<std::uint32_t>();
    };
    // One in 2^32 pairs of runs has the same seed.
    EXPECT_NE(seed_of_a_run(), seed_of_a_run());
}

TEST_F(BenchTranspositions, TellWhatPlansCost) {
    for (const char *level : {"estimate", "measure", "patient"}) {
        SCOPED_TRACE(level);
        const nlohmann::json json =
            run_list(tiny_list, std::string("--threads 1 --tuning ") + level);
        expect_printed(std::string("tuning ") + level);
        EXPECT_EQ(json["machine"]["tuning"], level);
        expect_printed("making a plan takes ");
        std::vector<double> seconds;
        for (const nlohmann::json &one : json["cases"]) {
            seconds.push_back(one["plan_seconds"]);
            EXPECT_GT(seconds.back(), 0);
        }
        ASSERT_EQ(seconds.size(), 3U);
        std::sort(seconds.begin(), seconds.end());
        EXPECT_NEAR(json["summary"]["plan_microseconds"].get<double>(), seconds[1] * 1e6, 1e-6);
        EXPECT_GT(json["summary"]["execute_overhead_ns"].get<double>(), 0);
    }
}

TEST_F(BenchTranspositions, RunOnEveryInstructionSet) {
    const std::string csv_file = directory_.file("results.csv");
    const nlohmann::json json = run_list(tiny_list, "--threads 1 --portability --csv " + csv_file);
    const nlohmann::json &table = json["portability"];
    const auto isas = table["isas"].get<std::vector<std::string>>();
    ASSERT_FALSE(isas.empty());
    EXPECT_EQ(isas.back(), "generic");
    ASSERT_EQ(json["cases"].size(), 3 * isas.size());
    ASSERT_EQ(table["cases"].size(), 3U);
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const nlohmann::json &one = table["cases"][i];
        double inverses = 0;
        for (std::size_t k = 0; k < isas.size(); ++k) {
            const nlohmann::json &row = json["cases"][i * isas.size() + k];
            EXPECT_EQ(row["isa"], isas[k]);
            EXPECT_EQ(row["case"], one["case"]);
            EXPECT_EQ(row["of_ceiling"], one["efficiencies"][k]);
            inverses += 1 / row["of_ceiling"].get<double>();
        }
        const double portability = one["performance_portability"];
        EXPECT_NEAR(portability, static_cast<double>(isas.size()) / inverses, 1e-9);
        EXPECT_LE(table["worst"], one["performance_portability"]);
        sum += portability;
    }
    EXPECT_NEAR(table["mean"].get<double>(), sum / 3, 1e-9);
    for (const std::string &isa : isas) {
        expect_printed("\n" + isa + ": geometric mean ");
        EXPECT_GT(table["geomean_of_ceiling"][isa].get<double>(), 0);
    }
    expect_printed("(Pennycook, Sewall, Lee 2019): mean ");
    EXPECT_NE(read_text(csv_file).find(",max_relative_error,isa\n"), std::string::npos);
}

} // namespace
} // namespace tenfold::testing

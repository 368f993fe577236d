// What tenfold-bench does for transpositions beyond the other suites.
#include <gtest/gtest.h>

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
    };
    for (const auto &[types, bytes_a, bytes_b] :
         {conversion{"f32-f64", 4, 8}, conversion{"f64-f32", 8, 4}, conversion{"c32-c64", 8, 16},
          conversion{"c64-c32", 16, 8}})
        for (const double beta : {0.0, 0.5}) {
            SCOPED_TRACE(std::string(types) + " beta " + std::to_string(beta));
            const nlohmann::json json =
                run_list(tiny_list, std::string("--type ") + types + " --beta " +
                                        std::to_string(beta) + fake_hptt);
            ASSERT_EQ(json["cases"].size(), 3U);
            const nlohmann::json &swap = json["cases"][0];
            EXPECT_EQ(swap["type"], types);
            EXPECT_TRUE(swap["peers"].empty());
            const double bytes = 50 * 60 * (bytes_a + (beta != 0 ? 2 : 1) * bytes_b);
            const double seconds = swap["seconds_min"];
            EXPECT_NEAR(swap["gbps"].get<double>(), bytes / seconds * 1e-9, 1e-6);
            // The ceiling is those bytes at the rate of a copy, or of a saxpy.
            const double rate = swap[beta != 0 ? "saxpy_gbps" : "copy_gbps"];
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
    expect_printed("; 4 KiB pages");
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

} // namespace
} // namespace tenfold::testing

// Tests tenfold explain, for one process and for ranks.
#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string command = "explain abcd=aebf*dfce --extents a=24,b=20,c=20,d=24,e=20,f=20 ";

void expect_common_fields(const nlohmann::json &json) {
    EXPECT_TRUE(json["algorithm"].is_string());
    EXPECT_EQ(json["m"], 480);
    EXPECT_EQ(json["n"], 480);
    EXPECT_EQ(json["k"], 400);
    EXPECT_EQ(json["batch"], 1);
    EXPECT_EQ(json["flops"], 2.0 * 480 * 480 * 400);
    EXPECT_EQ(json["bytes"], 8.0 * (2 * 480 * 400 + 480 * 480));
    EXPECT_GT(json["seconds"].get<double>(), 0);
    EXPECT_TRUE(json["workspace_bytes"].is_number_integer());
    ASSERT_TRUE(json["candidates"].is_array());
    bool chosen = false;
    for (const auto &candidate : json["candidates"]) {
        EXPECT_TRUE(candidate["algorithm"].is_string());
        EXPECT_TRUE(candidate.contains("seconds"));
        chosen = chosen || candidate["algorithm"] == json["algorithm"];
    }
    EXPECT_TRUE(chosen);
    for (const char *field :
         {"ranks", "bytes_received_per_rank", "redistribution_bytes_per_rank",
          "bound_bytes_per_rank", "total_bytes_received_per_rank", "peak_bytes_per_rank"})
        EXPECT_TRUE(json[field].is_number_integer()) << field;
    EXPECT_EQ(json["total_bytes_received_per_rank"].get<int>(),
              json["bytes_received_per_rank"].get<int>() +
                  json["redistribution_bytes_per_rank"].get<int>());
    for (const char *factor : {"batch", "m", "n", "k"})
        EXPECT_GE(json["grid"][factor], 1) << factor;
    EXPECT_TRUE(json.contains("ratio_to_bound"));
    EXPECT_TRUE(json.contains("total_ratio_to_bound"));
}

TEST(Explain, JsonHasItsFieldsAndTypes) {
    const program_result result = run_tenfold(command + "--json");
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    expect_common_fields(json);
    EXPECT_EQ(json["ranks"], 1);
    EXPECT_EQ(json["bytes_received_per_rank"], 0);
}

TEST(Explain, JsonSaysWhatTheLimitCosts) {
    const nlohmann::json free = run_tenfold(command + "--algorithm ttgt --json").json();
    EXPECT_TRUE(free["without_limit"].is_null());
    const nlohmann::json limited =
        run_tenfold(command + "--algorithm ttgt --workspace-limit 256KiB --json").json();
    EXPECT_EQ(limited["without_limit"]["algorithm"], "ttgt");
    EXPECT_EQ(limited["without_limit"]["seconds"], free["seconds"]);
    EXPECT_EQ(limited["without_limit"]["workspace_bytes"], free["workspace_bytes"]);
    EXPECT_LE(limited["workspace_bytes"], 256 << 10);
}

TEST(Explain, RanksGiveGridAndBytes) {
    const program_result result = run_tenfold(command + "--ranks 4 --json");
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    expect_common_fields(json);
    EXPECT_EQ(json["ranks"], 4);
    // Two cuts of two: a rank receives half of two panels. With m and n cut, A's row block and B's
    // column block, it receives least; with k cut, less has to be redistributed.
    EXPECT_EQ(json["grid"]["batch"], 1);
    EXPECT_EQ(json["grid"]["m"].get<int>() * json["grid"]["n"].get<int>() *
                  json["grid"]["k"].get<int>(),
              4);
    EXPECT_GE(json["bytes_received_per_rank"], 8 * (480 * 400 / 4 + 480 * 400 / 4));
    EXPECT_LE(json["bytes_received_per_rank"].get<int>() +
                  json["redistribution_bytes_per_rank"].get<int>(),
              3 * 8 * (480 * 400 / 4));
    EXPECT_GE(json["ratio_to_bound"].get<double>(), 1);
    EXPECT_GE(json["total_ratio_to_bound"].get<double>(), json["ratio_to_bound"].get<double>());
    EXPECT_EQ(run_tenfold(command + "--ranks 4").status, 0);
}

TEST(Explain, CopiesOfInputsSaveBytesAndThoseOfTheOutputCostThem) {
    const auto planned = [](const std::string &copies) {
        const program_result result = run_tenfold(
            "explain mn=mk*kn --extents m=4000,n=40,k=40 --ranks 4 --copies " + copies + " --json");
        EXPECT_EQ(result.status, 0) << result.err;
        return result.json();
    };
    const nlohmann::json once = planned("1,1,1");
    EXPECT_GT(once["total_bytes_received_per_rank"], 0);
    EXPECT_EQ(once["keeping_copies_equal_bytes_per_rank"], 0);
    EXPECT_EQ(planned("1,4,1")["total_bytes_received_per_rank"], 0);
    const nlohmann::json everywhere = planned("1,4,4");
    EXPECT_EQ(everywhere["keeping_copies_equal_bytes_per_rank"], 8 * 3000 * 40);
    EXPECT_EQ(everywhere["redistribution_bytes_per_rank"], 8 * 3000 * 40);
    const std::string base = "explain mn=mk*kn --extents m=4,n=4,k=4 --copies ";
    for (const char *wrong : {"1,4,1", "1,4 --ranks 4", "1,5,1 --ranks 4", "1,0,1 --ranks 4"})
        EXPECT_EQ(run_tenfold(base + wrong).status, 2) << wrong;
}

TEST(Explain, TuningIsMeasuredAndKept) {
    const temporary_directory directory;
    const std::string wisdom = directory.file("wisdom");
    setenv("TENFOLD_WISDOM", wisdom.c_str(), 1);
    const auto explained = [](const std::string &level) {
        return run_tenfold_until_measured(
            "explain abcd=aebf*dfce --extents a=8,b=6,c=5,d=7,e=4,f=9 --tuning " + level);
    };
    EXPECT_EQ(explained("estimate").out.find("tuning"), std::string::npos);
    const program_result measured = explained("measure");
    EXPECT_EQ(measured.status, 0) << measured.err;
    EXPECT_EQ(measured.err, "");
    EXPECT_NE(measured.out.find("\n  tuning: measure: "), std::string::npos) << measured.out;
    EXPECT_EQ(measured.out.find("not measured"), std::string::npos) << measured.out;
    EXPECT_EQ(measured.out.find("from wisdom"), std::string::npos) << measured.out;
    EXPECT_NE(explained("estimate").out.find(", from wisdom " + wisdom + "\n"), std::string::npos);
    EXPECT_EQ(run_tenfold("contract abcd=aebf*dfce --extents a=8,b=6,c=5,d=7,e=4,f=9 --verify "
                          "--tuning measure")
                  .status,
              0);

    write_text(wisdom, "{");
    const program_result ignored = explained("estimate");
    EXPECT_EQ(ignored.status, 0) << ignored.err;
    EXPECT_NE(ignored.out.find("\n  wisdom ignored: " + wisdom), std::string::npos) << ignored.out;
    unsetenv("TENFOLD_WISDOM");
}

TEST(Explain, TooManyRanksAreRefused) {
    const program_result result = run_tenfold(command + "--ranks 2147483647");
    EXPECT_NE(result.status, 0);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("1048576 is the most"), std::string::npos) << result.err;
}

TEST(Explain, TooLittleMemoryPerRankNamesTheLeast) {
    const program_result result = run_tenfold(command + "--ranks 4 --memory-per-rank 1KiB");
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("error: "), std::string::npos) << result.err;
}

TEST(Explain, ReadsHeadersOnly) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    const std::string b = directory.file("B.npy");
    write_text(a, integer_array({3, 4}, 1, false).file_bytes("<f4", false));
    write_text(b, integer_array({4, 5}, 2, false).file_bytes("<f4", true));
    const program_result result = run_tenfold("explain ab=ac*cb --json --a " + a + " --b " + b);
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["m"], 3);
    EXPECT_EQ(json["n"], 5);
    EXPECT_EQ(json["k"], 4);
    EXPECT_EQ(json["bytes"], 4.0 * (12 + 20 + 15));
}

} // namespace
} // namespace tenfold::testing

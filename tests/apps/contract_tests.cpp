// Tests tenfold contract with generated operands.
#include <gtest/gtest.h>

#include <tenfold/types.hpp>

#include "npy_file.hpp"
#include "run_program.hpp"
#include "support/error_bound.hpp"

namespace tenfold::testing {
namespace {

const std::string small = "contract abcd=aebf*dfce --extents a=6,b=5,c=4,d=7,e=3,f=2 ";

TEST(Contract, JsonHasItsFieldsAndTypes) {
    const program_result result = run_tenfold(small + "--threads 1 --json");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["spec"], "abcd=aebf*dfce");
    EXPECT_EQ(json["extents"],
              (nlohmann::json{{"a", 6}, {"b", 5}, {"c", 4}, {"d", 7}, {"e", 3}, {"f", 2}}));
    EXPECT_EQ(json["type"], "f64");
    EXPECT_EQ(json["ranks"], 1);
    EXPECT_EQ(json["threads"], 1);
    EXPECT_TRUE(json["algorithm"].is_string());
    EXPECT_GT(json["seconds_min"].get<double>(), 0);
    EXPECT_EQ(json["first_call"], false); // it took less than a second, and another one is timed
    EXPECT_GT(json["gflops"].get<double>(), 0);
    EXPECT_EQ(json["predicted_seconds"],
              run_tenfold("explain" + small.substr(8) + "--threads 1 --json").json()["seconds"]);
    ASSERT_TRUE(json.contains("max_relative_error"));
    EXPECT_TRUE(json["max_relative_error"].is_null());
    EXPECT_TRUE(json["workspace_bytes"].is_number_integer());
    EXPECT_EQ(json["bytes_received_max"], 0);
    // At least A, B and D.
    EXPECT_GE(json["peak_bytes_per_rank"].get<long>(),
              8 * (6 * 3 * 5 * 2 + 7 * 2 * 4 * 3 + 6 * 5 * 4 * 7));
}

TEST(Contract, MeasuredSecondsStandBesidePredictedOnes) {
    const program_result result = run_tenfold(small + "--threads 1");
    ASSERT_EQ(result.status, 0) << result.err;
    const std::size_t took = result.out.find("\n  took ");
    ASSERT_NE(took, std::string::npos) << result.out;
    const std::string line = result.out.substr(took + 1, result.out.find('\n', took + 1) - took);
    EXPECT_NE(line.find(" on 1 process with 1 thread, "), std::string::npos) << line;
    EXPECT_NE(line.find(" x the predicted "), std::string::npos) << line;
}

TEST(Contract, VerifiesEveryTypeAndNotation) {
    constexpr index_t terms = 3 * 2;
    for (const auto &[type, bound] :
         {std::pair("f32", error_bound<float>(terms)), std::pair("f64", error_bound<double>(terms)),
          std::pair("c32", error_bound<c32>(terms)), std::pair("c64", error_bound<c64>(terms))})
        for (const char *spec :
             {"'abcd=aebf*dfce'", "'aebf,dfce->abcd'", "'abcd-aebf-dfce'",
              "'D[a,b,c,d]=A[a,e,b,f]*B[d,f,c,e]'", "'abcd+=aebf*dfce'", "'abcd-=0.5*aebf*dfce'"}) {
            SCOPED_TRACE(std::string(spec) + " " + type);
            const program_result result = run_tenfold(
                "contract " + std::string(spec) +
                " --extents a=6,b=5,c=4,d=7,e=3,f=2 --verify --repeat 2 --json --type " + type);
            ASSERT_EQ(result.status, 0) << result.err;
            const nlohmann::json json = result.json();
            EXPECT_EQ(json["type"], type);
            ASSERT_TRUE(json["max_relative_error"].is_number());
            EXPECT_LE(json["max_relative_error"].get<double>(), bound);
            EXPECT_EQ(json["verified_elements"], 6 * 5 * 4 * 7);
        }
}

TEST(Contract, ScalarsAlgorithmsAndLimitsAreTaken) {
    for (const char *more : {"--alpha -0.5 --beta 2", "--alpha=1e-3", "--beta -1 --type f32",
                             "--type c64 --alpha 1+2i --beta -i", "--type c32 --alpha '(0.5,-1)'",
                             "--algorithm reference", "--algorithm ttgt", "--algorithm gemm-loop",
                             "--workspace-limit 64MiB", "--threads 2", "--backend native"}) {
        SCOPED_TRACE(more);
        const program_result result = run_tenfold(small + "--verify " + more);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.out.find("verification passed"), std::string::npos) << result.out;
    }
    EXPECT_EQ(run_tenfold(small + "--algorithm reference --json").json()["algorithm"], "reference");
}

TEST(Contract, ExtentZeroScalarsAndOneInputWork) {
    for (const char *arguments :
         {"ab=ac*cb --extents a=2,b=3,c=0", "ab=ac*cb --extents a=0,b=3,c=4",
          "'ab,ab->' --extents a=5,b=3", "'ab = ac * cb' --extents 'a=2, b=3, c=4'",
          "a=ab --extents a=5,b=3", "ba=ab --extents a=5,b=3",
          "'C[virt,occ]=A[virt,x]*B[x,occ]' --extents virt=4,occ=3,x=5"}) {
        SCOPED_TRACE(arguments);
        const program_result result =
            run_tenfold("contract " + std::string(arguments) + " --verify --json");
        EXPECT_EQ(result.status, 0) << result.err;
        result.json();
    }
}

TEST(Contract, MadeUpValuesDependOnThePositionOnly) {
    const temporary_directory directory;
    for (const int threads : {1, 2})
        ASSERT_EQ(run_tenfold("contract ab=ab --extents a=300,b=70 --threads " +
                              std::to_string(threads) + " --out " +
                              directory.file("D" + std::to_string(threads) + ".npy"))
                      .status,
                  0);
    EXPECT_EQ(read_text(directory.file("D1.npy")), read_text(directory.file("D2.npy")));
    const test_array values = read_npy_file(directory.file("D1.npy")).array;
    double sum = 0;
    double largest = 0;
    for (const std::complex<double> value : values.values) {
        sum += value.real();
        largest = std::max(largest, std::abs(value.real()));
    }
    EXPECT_LE(largest, 1);
    EXPECT_GE(largest, 0.99);
    // Uniform in [-1, 1]: the mean of 21000 values has a standard deviation of 0.004.
    EXPECT_LT(std::abs(sum / 21000), 0.02);
}

TEST(Contract, PrintsThePlanAndTheCeiling) {
    const program_result result = run_tenfold(small + "--verify");
    ASSERT_EQ(result.status, 0) << result.err;
    for (const char *part : {"chosen:", "GFLOP/s", "of the ceiling", "verification passed"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
    EXPECT_EQ(result.err, "");
}

} // namespace
} // namespace tenfold::testing

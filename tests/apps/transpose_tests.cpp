// Tests tenfold transpose.
#include <cstdlib>

#include <gtest/gtest.h>

#include <tenfold/types.hpp>

#include "npy_file.hpp"
#include "run_program.hpp"
#include "support/error_bound.hpp"

namespace tenfold::testing {
namespace {

TEST(Transpose, MadeUpTensorsAreVerified) {
    for (const char *arguments :
         {"ba=ab --extents a=50,b=33", "cab=abc --extents a=7,b=9,c=5 --type f32",
          "dcba=abcd --extents a=3,b=4,c=5,d=6 --type c64 --alpha 2+1i --beta 0.5",
          "ba=ab --extents a=50,b=33 --beta -1 --threads 2", "ba+=ab --extents a=5,b=3",
          "ba=2*ab --extents a=5,b=3 --type c32", "ab=ab --extents a=50,b=33 --tuning estimate",
          "ba=ab --extents a=0,b=3"}) {
        SCOPED_TRACE(arguments);
        const program_result result =
            run_tenfold("transpose " + std::string(arguments) + " --verify --json --repeat 2");
        ASSERT_EQ(result.status, 0) << result.err;
        const nlohmann::json json = result.json();
        const std::string type = json["type"]; // a sum of one term, and beta B
        const double bound = type == "f32"   ? error_bound<float>(1)
                             : type == "c32" ? error_bound<c32>(1)
                             : type == "c64" ? error_bound<c64>(1)
                                             : error_bound<double>(1);
        EXPECT_LE(json["max_relative_error"].get<double>(), bound);
        for (const char *field : {"seconds_min", "gbps", "predicted_seconds", "threads"})
            EXPECT_TRUE(json[field].is_number()) << field;
    }
}

TEST(Transpose, ConvertsFromOneTypeToAnother) {
    for (const auto &[type, bound] :
         {std::pair("f32-f64", error_bound<double>(1)), std::pair("f64-f32", error_bound<float>(1)),
          std::pair("c32-c64", error_bound<c64>(1)), std::pair("c64-c32", error_bound<c32>(1)),
          std::pair("bf16-f32", error_bound<float>(1)), std::pair("f16-f32", error_bound<float>(1)),
          std::pair("f16-c64", error_bound<c64>(1)), std::pair("f32-bf16", 0x1.01p-8),
          std::pair("bf16", 0x1.01p-8), std::pair("f16", 0x1.01p-11),
          std::pair("f64-f16", 0x1.01p-11), std::pair("bf16-f16", 0x1.01p-11)})
        for (const char *beta : {"", " --beta -0.5"}) {
            SCOPED_TRACE(std::string(type) + beta);
            const program_result result = run_tenfold(
                "transpose cab=abc --extents a=17,b=9,c=33 --alpha 2 --verify --json --type " +
                std::string(type) + beta);
            ASSERT_EQ(result.status, 0) << result.err;
            const nlohmann::json json = result.json();
            EXPECT_EQ(json["type"], type);
            EXPECT_EQ(json["verified"], true);
            EXPECT_EQ(json["verified_elements"], 1000);
            EXPECT_LE(json["max_relative_error"].get<double>(), bound);
            const std::string_view from =
                std::string_view(type).substr(0, std::string_view(type).find('-'));
            const long read = from.ends_with("16") ? 2 : from == "f32" ? 4 : 8;
            EXPECT_GE(json["bytes"].get<long>(), 17 * 9 * 33 * read);
        }
}

TEST(Transpose, AFileIsConverted) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    const std::string b = directory.file("B.npy");
    const test_array array = integer_array({4, 5}, 1, false);
    write_text(a, array.file_bytes("<f4", false));
    const std::string files = " --a " + a + " --out " + b;
    ASSERT_EQ(run_tenfold("transpose ji=ij --type f32-f64 --verify" + files).status, 0);
    const read_array read = read_npy_file(b);
    EXPECT_EQ(read.descr, "<f8");
    for (long i = 0; i < 4; ++i)
        for (long j = 0; j < 5; ++j)
            EXPECT_EQ(read.array.at({j, i}), array.at({i, j}));
    const program_result contradicting = run_tenfold("transpose ji=ij --type f64-f32" + files);
    EXPECT_EQ(contradicting.status, 2);
    EXPECT_NE(contradicting.err.find("holds f32"), std::string::npos) << contradicting.err;
}

TEST(Transpose, SubTensorsAreVerifiedWithTheirSurroundings) {
    for (const char *arguments :
         {"--outer-a a=20,c=40", "--outer-b a=20,c=40", "--outer-a a=20 --offset-a a=3",
          "--outer-b b=30 --offset-b b=21 --outer-a c=34 --offset-a c=1",
          "--outer-b a=18,b=10,c=34 --offset-b a=1 --type f32 --beta 0.5",
          "--outer-b a=18,b=10,c=34 --offset-b c=1 --type f32-f64 --beta 0.5 --threads 2",
          "--outer-a b=11 --offset-a b=2 --type bf16-f32",
          "--outer-b b=11 --offset-b b=2 --type bf16 --beta 2"}) {
        SCOPED_TRACE(arguments);
        const program_result result = run_tenfold(
            "transpose cab=abc --extents a=17,b=9,c=33 --verify --json " + std::string(arguments));
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.json()["verified"], true);
    }
    const nlohmann::json json =
        run_tenfold("transpose ba=ab --extents a=5,b=3 --json --outer-a a=9 --offset-a a=2 "
                    "--outer-b b=7 --offset-b b=4")
            .json();
    EXPECT_EQ(json["outer_a"], (nlohmann::json{{"a", 9}}));
    EXPECT_EQ(json["offset_a"], (nlohmann::json{{"a", 2}}));
    EXPECT_EQ(json["outer_b"], (nlohmann::json{{"b", 7}}));
    EXPECT_EQ(json["offset_b"], (nlohmann::json{{"b", 4}}));
    const program_result plan =
        run_tenfold("transpose ba=ab --extents a=50,b=30 --outer-a a=70 --explain");
    EXPECT_NE(plan.out.find("stride 70 in A"), std::string::npos) << plan.out;
}

TEST(Transpose, FilesKeepTheirOrder) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    const std::string b = directory.file("B.npy");
    const test_array array = integer_array({4, 5, 6}, 1, false);
    for (const bool fortran_order : {false, true}) {
        write_text(a, array.file_bytes("<f4", fortran_order));
        const program_result result =
            run_tenfold("transpose kij=ijk --alpha 2 --a " + a + " --out " + b);
        ASSERT_EQ(result.status, 0) << result.err;
        const read_array read = read_npy_file(b);
        EXPECT_EQ(read.fortran_order, fortran_order);
        ASSERT_EQ(read.array.shape, (std::vector<long>{6, 4, 5}));
        for (long i = 0; i < 4; ++i)
            for (long j = 0; j < 5; ++j)
                for (long k = 0; k < 6; ++k)
                    EXPECT_EQ(read.array.at({k, i, j}), 2.0 * array.at({i, j, k}));
        // Again with the previous output as B: 2 A - 1 B = 0.
        ASSERT_EQ(
            run_tenfold("transpose kij=ijk --alpha 2 --beta -1 --a " + a + " --out " + b).status,
            0);
        for (const std::complex<double> value : read_npy_file(b).array.values)
            EXPECT_EQ(value, 0.0);
    }
}

TEST(Transpose, ExplainRunsNothing) {
    const program_result text = run_tenfold("transpose ba=ab --extents a=5000,b=3000 --explain");
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_FALSE(text.out.empty());
    const program_result json =
        run_tenfold("transpose ba=ab --extents a=5000,b=3000 --explain --json");
    ASSERT_EQ(json.status, 0);
    EXPECT_EQ(json.json()["bytes"], 2 * 5000 * 3000 * 8);
    EXPECT_FALSE(json.json().contains("seconds_min"));
}

TEST(Transpose, TuningIsMeasuredAndKept) {
    const temporary_directory directory;
    const std::string wisdom = directory.file("wisdom");
    setenv("TENFOLD_WISDOM", wisdom.c_str(), 1);
    const auto explained = [](const std::string &tuning) {
        return run_tenfold_until_measured(
            "transpose cba=abc --extents a=40,b=30,c=50 --explain --tuning " + tuning);
    };
    EXPECT_NE(explained("estimate").out.find("\ntuning   estimate\n"), std::string::npos);
    const program_result measured = explained("measure");
    EXPECT_EQ(measured.status, 0) << measured.err;
    EXPECT_EQ(measured.err, "");
    EXPECT_NE(measured.out.find("\ntuning   measure: "), std::string::npos) << measured.out;
    EXPECT_EQ(measured.out.find("from wisdom"), std::string::npos) << measured.out;
    EXPECT_NE(explained("estimate").out.find(", from wisdom " + wisdom + "\n"), std::string::npos);

    write_text(wisdom, "{");
    const program_result ignored = explained("estimate");
    EXPECT_EQ(ignored.status, 0) << ignored.err;
    EXPECT_NE(ignored.out.find("\ntuning   estimate\nwisdom   ignored: " + wisdom),
              std::string::npos)
        << ignored.out;
    unsetenv("TENFOLD_WISDOM");
}

TEST(Transpose, TuningTakesTheTimeThatIsGiven) {
    const std::string call =
        "transpose cba=abc --extents a=40,b=30,c=50 --explain --tuning patient "
        "--tuning-seconds ";
    const program_result tuned = run_tenfold(call + "0.05");
    EXPECT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_NE(tuned.out.find("\ntuning   patient: "), std::string::npos) << tuned.out;
    const program_result refused = run_tenfold(call + "0");
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("expected seconds, more than 0"), std::string::npos) << refused.err;
}

TEST(Transpose, FilesNeedAnOutput) {
    const temporary_directory directory;
    const std::string a = directory.file("A.npy");
    write_text(a, integer_array({4, 5}, 1, false).file_bytes("<f8", false));
    const program_result result = run_tenfold("transpose ba=ab --a " + a);
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("--out"), std::string::npos) << result.err;
}

} // namespace
} // namespace tenfold::testing

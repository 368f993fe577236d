// Tests tenfold-bench on tiny case lists, with peers that replace the real ones.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bench_lists.hpp"

namespace tenfold::testing {
namespace {

TEST_F(Bench, Gemm) {
    const nlohmann::json json =
        run("gemm", "# a comment\n\n20x30x40\nthin 100x2x3 # another\n", "--threads 1");
    expect_fields(json, 2);
    expect_predictions(json);
    EXPECT_EQ(json["cases"][0]["case"], "20x30x40");
    EXPECT_EQ(json["cases"][1]["case"], "thin");
    const double seconds = json["cases"][0]["seconds_min"];
    EXPECT_NEAR(json["cases"][0]["gflops"].get<double>(), 2 * 20 * 30 * 40 / seconds * 1e-9, 1e-6);
    EXPECT_NEAR(json["cases"][0]["gbps"].get<double>(),
                8.0 * (20 * 40 + 40 * 30 + 20 * 30) / seconds * 1e-9, 1e-6);
}

TEST_F(Bench, EfficiencyOfThreads) {
    for (const char *type : {"f64", "i8"}) {
        SCOPED_TRACE(type);
        const std::string csv_file = directory_.file("results.csv");
        const nlohmann::json json =
            run("gemm", "200x200x200\n20x30x40\n",
                std::string("--threads 2 --efficiency --type ") + type + " --csv " + csv_file);
        double product = 1;
        for (const nlohmann::json &one : json["cases"]) {
            const double alone = one["one_thread_seconds_min"];
            EXPECT_GT(alone, 0);
            EXPECT_GE(one["one_thread_seconds_median"], one["one_thread_seconds_min"]);
            const double efficiency = one["parallel_efficiency"];
            EXPECT_NEAR(efficiency, alone / (2 * one["seconds_min"].get<double>()), 1e-9);
            product *= efficiency;
        }
        EXPECT_NEAR(json["summary"]["geomean_parallel_efficiency"].get<double>(),
                    std::sqrt(product), 1e-9);
        EXPECT_NE(result_.out.find("effic."), std::string::npos) << result_.out;
        EXPECT_NE(read_text(csv_file).find(",parallel_efficiency"), std::string::npos);
    }
    const nlohmann::json without = run("gemm", "20x30x40\n", "--threads 2");
    EXPECT_FALSE(without["cases"][0].contains("parallel_efficiency"));
    EXPECT_FALSE(without["summary"].contains("geomean_parallel_efficiency"));
    const program_result refused = run_bench("tccg --efficiency");
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("--efficiency applies to the suites gemm and small only"),
              std::string::npos)
        << refused.err;
}

TEST_F(Bench, GemmPeersInEveryType) {
    for (const auto &[type, beta] : {std::pair("f32", "0"), std::pair("f64", "0.5"),
                                     std::pair("c32", "2"), std::pair("c64", "0")}) {
        SCOPED_TRACE(std::string(type) + " beta " + beta);
        const nlohmann::json json = run("small", "5x6x7\n1x9x4\n",
                                        "--threads 2 --peer openblas" + fake + "--peer blas" +
                                            fake + "--type " + type + " --beta " + beta);
        expect_fields(json, 2);
        const nlohmann::json &peers = json["summary"]["peers"];
        ASSERT_TRUE(peers.contains("openblas"));
        ASSERT_TRUE(peers.contains("blas"));
        EXPECT_GT(peers["openblas"]["geomean_ratio"].get<double>(), 0);
        EXPECT_GE(peers["openblas"]["geomean_ratio"], peers["openblas"]["worst_ratio"]);
        EXPECT_TRUE(peers["openblas"]["worst_case"].is_string());
    }
}

TEST_F(Bench, OutputsOfAnotherType) {
    for (const std::string type : {"bf16-bf16", "f16-f16", "f32-bf16", "i8", "u8"}) {
        const nlohmann::json json =
            run("tccg", "product ab-ak-kb a=20,b=30,k=40\n", "--beta 2 --type " + type);
        ASSERT_EQ(json["cases"].size(), 1U);
        EXPECT_EQ(json["cases"][0]["type"], type);
        EXPECT_TRUE(json["cases"][0]["max_relative_error"].is_number());
    }
}

TEST_F(Bench, MixedProducts) {
    for (const auto &[type, input_bytes] :
         {std::pair("bf16", 2), std::pair("f16", 2), std::pair("i8", 1), std::pair("u8", 1)})
        for (const char *more : {"--beta 0", "--beta -3 --threads 2"}) {
            SCOPED_TRACE(std::string(type) + " " + more);
            const nlohmann::json json = run("gemm", "20x30x40\nwide 3x70x500\n",
                                            std::string("--type ") + type + " " + more);
            ASSERT_EQ(json["cases"].size(), 2U);
            if (input_bytes == 1)
                expect_no_predictions(json);
            else
                expect_predictions(json);
            for (const nlohmann::json &one : json["cases"]) {
                EXPECT_EQ(one["type"], type);
                EXPECT_TRUE(one["max_relative_error"].is_number());
            }
            const nlohmann::json &first = json["cases"][0];
            const double seconds = first["seconds_min"];
            const int outputs = std::string(more) == "--beta 0" ? 1 : 2;
            EXPECT_NEAR(first["gflops"].get<double>(), 2 * 20 * 30 * 40 / seconds * 1e-9, 1e-6);
            EXPECT_NEAR(
                first["gbps"].get<double>(),
                (input_bytes * (20 * 40 + 40 * 30) + outputs * 4 * 20 * 30) / seconds * 1e-9, 1e-6);
        }
}

TEST_F(Bench, TranspositionsAndTheirPeer) {
    const std::string list = "swap 1,0 50,60\ncycle 2,0,1 4,50,6\nkept 0,2,1 16,5,6\n";
    for (const char *more : {"--type f32 --beta 0", "--type f64 --beta 1", "--type c64 --beta 2",
                             "--type f64 --flush"}) {
        SCOPED_TRACE(more);
        const nlohmann::json json = run("ttc", list, std::string(more) + " --peer hptt" + fake);
        expect_fields(json, 3);
        // Plans predict seconds only if they overwrite.
        if (json["cases"][0]["beta"] == 0)
            expect_predictions(json);
        else
            expect_no_predictions(json);
        EXPECT_EQ(json["cases"][1]["spec"], "cab=abc");
        EXPECT_TRUE(json["cases"][0]["gflops"].is_null());
    }
}

TEST_F(Bench, APeerThatComputesSomethingElseIsFound) {
    // The fake library's libxsmm_dgemm does nothing.
    const nlohmann::json json = run("small", "5x6x7\n", "--threads 1 --peer xsmm" + fake, 1);
    expect_fields(json, 1);
    EXPECT_NE(result_.err.find("xsmm computes '5x6x7' wrongly"), std::string::npos) << result_.err;
}

TEST_F(Bench, ResultsAreKeptForEachProcessor) {
    const std::string folder = directory_.file("results");
    write_text(directory_.file("list"), "tiny 8x4x6\n");
    const std::string gemm =
        "gemm --repeat 1 --file " + directory_.file("list") + " --record=" + folder;
    for (const char *more : {" --threads 1", " --threads 2", " --threads 2 --beta 1"})
        ASSERT_EQ(run_bench(gemm + more).status, 0);
    const std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
    ASSERT_EQ(files.size(), 1U);
    const auto kept = nlohmann::json::parse(read_text(files[0]));
    EXPECT_TRUE(kept["processor"].is_string());
    ASSERT_EQ(kept["runs"].size(), 3U) << kept;
    for (const char *run :
         {"gemm, f64, 1 thread", "gemm, f64, 2 threads", "gemm, f64, 2 threads, beta 1"}) {
        ASSERT_TRUE(kept["runs"].contains(run)) << run;
        const nlohmann::json &one = kept["runs"][run];
        EXPECT_EQ(one["cases"][0]["case"], "tiny");
        EXPECT_TRUE(one["rates"].is_string());
        EXPECT_TRUE(one["version"].is_string());
    }
    ASSERT_EQ(run_bench(gemm + " --threads 1").status, 0); // replaces its own
    EXPECT_EQ(nlohmann::json::parse(read_text(files[0]))["runs"].size(), 3U);
    write_text(files[0], "{}");
    const program_result refused = run_bench(gemm);
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.err.find("it is left as it is"), std::string::npos) << refused.err;
    EXPECT_EQ(read_text(files[0]), "{}");
}

TEST_F(Bench, Ceilings) {
    const std::string json_file = directory_.file("results.json");
    const program_result result = run_bench("ceilings --repeat 1 --threads 1 --json " + json_file);
    ASSERT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(read_text(json_file));
    ASSERT_EQ(json["cases"].size(), 4U);
    EXPECT_EQ(json["cases"][0]["case"], "fma");
    EXPECT_GT(json["cases"][0]["gflops"].get<double>(), 0);
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_GT(json["cases"][i]["gbps"].get<double>(), 0);
}

TEST_F(Bench, CsvHasARowPerCase) {
    const std::string csv_file = directory_.file("results.csv");
    run("small", "5x6x7\n4x4x4\n", "--peer blas" + fake + "--csv " + csv_file);
    const std::string text = read_text(csv_file);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
    EXPECT_EQ(text.find("suite,case,spec,type,threads,beta,seconds_min,seconds_median,gflops,gbps,"
                        "of_ceiling,algorithm,max_relative_error,blas_seconds_min,"
                        "blas_seconds_median,blas_ratio\n"),
              0U)
        << text;
    EXPECT_NE(text.find("\"small\",\"5x6x7\",\"ab=ac*cb\",\"f64\","), std::string::npos) << text;
}

} // namespace
} // namespace tenfold::testing

// Tests tenfold-bench on tiny case lists, with peers that replace the real ones.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string fake = std::string("=") + TENFOLD_FAKE_PEERS + " ";

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

TEST_F(Bench, ContractionsAndTheirPeers) {
    const std::string list = "one abcde-efbad-cf a=4,b=3,c=2,d=3,e=4,f=5 a=5,b=3,c=2,d=3,e=4,f=5\n"
                             "two ab-cad-dcb a=5,b=6,c=7,d=3\n"
                             "three abcd-eb-aecd a=3,b=4,c=5,d=6,e=7\n";
    for (const char *more : {"--type f32 --beta 0", "--type f64 --beta 1", "--threads 2"}) {
        SCOPED_TRACE(more);
        const nlohmann::json json =
            run("tccg", list, std::string(more) + " --peer tblis" + fake + "--peer ttgt" + fake);
        expect_fields(json, 3);
        expect_predictions(json);
        EXPECT_EQ(json["cases"][0]["spec"], "abcde-efbad-cf");
        EXPECT_TRUE(json["summary"]["peers"].contains("ttgt"));
    }
    const nlohmann::json reference = run("tccg", list, "--algorithm reference");
    EXPECT_EQ(reference["cases"][0]["algorithm"], "reference");
}

TEST_F(Bench, ChoicesAreHeldAgainstEveryAlgorithm) {
    const std::string fake_tblis = "--peer tblis" + fake;
    const nlohmann::json json = run("tccg",
                                    "one abcde-efbad-cf a=4,b=3,c=2,d=3,e=4,f=5\n"
                                    "two abcd-eb-aecd a=3,b=4,c=5,d=6,e=70\n"
                                    "three a-a-a a=3000\n",
                                    "--choice " + fake_tblis);
    expect_fields(json, 3);
    int good = 0;
    double worst = 0;
    std::map<std::string, int> predicted;
    for (const nlohmann::json &one : json["cases"]) {
        SCOPED_TRACE(one["case"]);
        // The chosen algorithm is among those that can be forced.
        EXPECT_TRUE(one["algorithms"].contains(one["algorithm"].get<std::string>()));
        EXPECT_EQ(one["peers"].size(), 1U) << "plans are no peers";
        double best = 1e300;
        for (const auto &[name, forced] : one["algorithms"].items()) {
            EXPECT_GE(forced["seconds_median"], forced["seconds_min"]);
            EXPECT_GT(forced["predicted_seconds"].get<double>(), 0);
            best = std::min(best, forced["seconds_min"].get<double>());
            ++predicted[name];
        }
        const auto &same = one["algorithms"][one["algorithm"].get<std::string>()];
        const double chosen =
            std::min(one["seconds_min"].get<double>(), same["seconds_min"].get<double>());
        const double factor = chosen / best;
        EXPECT_NEAR(one["choice_factor"].get<double>(), factor, 1e-9 * factor);
        good += factor <= 1.1;
        worst = std::max(worst, factor);
    }
    const nlohmann::json &choice = json["summary"]["choice"];
    EXPECT_EQ(choice["cases"], 3);
    EXPECT_EQ(choice["cases_within"], good);
    EXPECT_NEAR(choice["worst_factor"].get<double>(), worst, 1e-9 * worst);
    EXPECT_GT(choice["geomean_factor"].get<double>(), 0);
    EXPECT_EQ(choice["predictions"].size(), predicted.size());
    for (const auto &[name, cases] : predicted)
        EXPECT_EQ(choice["predictions"][name]["cases"], cases) << name;
    EXPECT_TRUE(predicted.contains("loops") && predicted.contains("ttgt"));
    EXPECT_NE(result_.out.find("automatic plans take up to 1.1 x"), std::string::npos)
        << result_.out;
    EXPECT_FALSE(run("tccg", "two ab-ac-cb a=5,b=6,c=7\n")["summary"].contains("choice"));
}

TEST_F(Bench, TinyContractionsWithAndWithoutAPlan) {
    const std::string csv_file = directory_.file("results.csv");
    const nlohmann::json json =
        run("small", "one abc-bd-adc a=4,b=4,c=4,d=4\ntwo ab-abc-cba a=5,b=2,c=16\n",
            "--contract --threads 1 --peer tblis" + fake + "--csv " + csv_file);
    expect_fields(json, 2);
    double worst = 0;
    double product = 1;
    double worst_peer = 1e300;
    for (const nlohmann::json &one : json["cases"]) {
        EXPECT_EQ(one["suite"], "small");
        EXPECT_EQ(one["peers"].size(), 1U) << "calls without a plan are no peers";
        const double without = one["one_shot_seconds_min"];
        EXPECT_GT(without, 0);
        EXPECT_GE(one["one_shot_seconds_median"], one["one_shot_seconds_min"]);
        const double factor = without / one["seconds_min"].get<double>();
        worst = std::max(worst, factor);
        product *= factor;
        worst_peer =
            std::min(worst_peer, one["peers"]["tblis"]["seconds_min"].get<double>() / without);
    }
    EXPECT_EQ(json["cases"][1]["extents"], nlohmann::json::parse(R"({"a": 5, "b": 2, "c": 16})"));
    const nlohmann::json &summary = json["summary"]["one_shot"];
    EXPECT_NEAR(summary["worst_factor"].get<double>(), worst, 1e-9 * worst);
    EXPECT_NEAR(summary["geomean_factor"].get<double>(), std::sqrt(product),
                1e-9 * std::sqrt(product));
    EXPECT_NEAR(summary["peers"]["tblis"]["worst_ratio"].get<double>(), worst_peer,
                1e-9 * worst_peer);
    EXPECT_NE(result_.out.find("contract() without a plan: geometric mean"), std::string::npos)
        << result_.out;
    EXPECT_FALSE(run("small", "4x4x4\n")["cases"][0].contains("one_shot_seconds_min"));
}

TEST_F(Bench, Interfaces) {
    std::vector<std::string> peers = {"c", "c-call", "tblis"};
    std::string more = "--threads 1 ";
#if defined(TENFOLD_TAPP_LIBRARY)
    peers.emplace_back("tapp");
    more += "--peer tapp=" TENFOLD_TAPP_LIBRARY " ";
#endif
    const nlohmann::json json =
        run("interfaces", "one ab-ak-kb a=8,b=7,k=6\ntwo abc-bd-adc a=4,b=4,c=4,d=4\n",
            more + "--type f32 --beta 2 --peer tblis" + fake);
    expect_fields(json, 2);
    for (const nlohmann::json &one : json["cases"]) {
        EXPECT_EQ(one["suite"], "interfaces");
        EXPECT_GT(one["one_shot_seconds_min"].get<double>(), 0);
        EXPECT_EQ(one["peers"].size(), peers.size());
    }
    const nlohmann::json &summary = json["summary"];
    for (const std::string &peer : peers) {
        EXPECT_GT(summary["peers"][peer]["geomean_ratio"].get<double>(), 0) << peer;
        EXPECT_GT(summary["one_shot"]["peers"][peer]["geomean_ratio"].get<double>(), 0) << peer;
    }
    EXPECT_NE(result_.out.find(" c-call  ratio "), std::string::npos) << result_.out;
    // The list that is compiled in.
    const program_result listed = run_bench("interfaces --repeat 1 --verify --type c64 " + more);
    EXPECT_EQ(listed.status, 0) << listed.out << listed.err;
    EXPECT_NE(listed.out.find("product8"), std::string::npos) << listed.out;
}

TEST_F(Bench, TinyContractionsAreListedOrDrawn) {
    // The whole list; extents are within the limits of the documentation.
    const std::string json_file = directory_.file("all.json");
    const std::string command = "small --contract --repeat 1 --threads 1 --json " + json_file;
    ASSERT_EQ(run_bench(command + " --verify").status, 0);
    const auto all = nlohmann::json::parse(read_text(json_file));
    EXPECT_GT(all["cases"].size(), 20U);
    for (const nlohmann::json &one : all["cases"])
        for (const auto &[label, extent] : one["extents"].items()) {
            EXPECT_GE(extent, 2) << one["case"] << " " << label;
            EXPECT_LE(extent, 16) << one["case"] << " " << label;
        }
    const program_result drawn = run_bench(command + " --verify --random 5:3 --choice");
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    const auto random = nlohmann::json::parse(read_text(json_file));
    ASSERT_EQ(random["cases"].size(), 5U);
    EXPECT_EQ(random["cases"][4]["case"], "c004");
    EXPECT_TRUE(random["cases"][4].contains("algorithms"));
    EXPECT_TRUE(random["cases"][4].contains("one_shot_seconds_min"));
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

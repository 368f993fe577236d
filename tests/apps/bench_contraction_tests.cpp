// Tests what tenfold-bench tells of contractions: peers, choices, and calls without a plan.
#include <algorithm>
#include <cmath>
#include <map>

#include "bench_lists.hpp"

namespace tenfold::testing {
namespace {

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

TEST_F(Bench, CeilingsOfCachesAndOfOneWay) {
    const auto expect_ceiling = [](const nlohmann::json &one, const char *bandwidth,
                                   const char *fraction) {
        const double gbps = one[bandwidth];
        EXPECT_GT(gbps, 0);
        const double roofline =
            std::max(one["gflops"].get<double>() / one["fma_peak_gflops"].get<double>(),
                     one["gbps"].get<double>() / gbps);
        EXPECT_NEAR(one[fraction].get<double>(), roofline, 1e-9 * roofline);
    };
    const std::string list = "both ab-ak-kb a=40,b=30,k=20\n"
                             "reads a-ab-b a=200,b=300\n"
                             "writes ab-a-b a=200,b=300\n";
    const nlohmann::json cached = run("tccg", list, "--threads 1");
    for (const nlohmann::json &one : cached["cases"]) {
        expect_ceiling(one, "cache_gbps", "of_cache_ceiling");
        for (const char *other : {"read_gbps", "of_read_ceiling", "write_gbps", "of_write_ceiling"})
            EXPECT_TRUE(one[other].is_null()) << other;
    }
    EXPECT_GT(cached["summary"]["geomean_of_cache_ceiling"].get<double>(), 0);

    const nlohmann::json flushed = run("tccg", list, "--threads 1 --flush");
    expect_ceiling(flushed["cases"][1], "read_gbps", "of_read_ceiling");
    expect_ceiling(flushed["cases"][2], "write_gbps", "of_write_ceiling");
    EXPECT_TRUE(flushed["cases"][0]["read_gbps"].is_null());
    EXPECT_TRUE(flushed["cases"][1]["write_gbps"].is_null());
    EXPECT_TRUE(flushed["cases"][2]["of_cache_ceiling"].is_null());
    EXPECT_FALSE(flushed["summary"].contains("geomean_of_cache_ceiling"));
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

} // namespace
} // namespace tenfold::testing

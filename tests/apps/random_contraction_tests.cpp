// Tests the random contractions of tenfold-bench and its reports about them.
#include <algorithm>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "apps/bench/random_contractions.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

using namespace apps_impl;

/// A line of a case list, in plain types.
struct drawn_case {
    std::string name;
    std::string d, a, b;
    std::map<char, index_t> extents;

    explicit drawn_case(const std::string &line) {
        std::istringstream fields(line);
        std::string expression, sizes;
        fields >> name >> expression >> sizes;
        std::istringstream tensors(expression);
        std::getline(tensors, d, '-');
        std::getline(tensors, a, '-');
        std::getline(tensors, b, '-');
        std::istringstream parts(sizes);
        for (std::string part; std::getline(parts, part, ',');)
            extents[part.front()] = std::stoll(part.substr(2));
    }

    static bool has(const std::string &tensor, char label) {
        return tensor.find(label) != std::string::npos;
    }
    bool is_isolated(char label) const { return !has(d, label) && has(a, label) != has(b, label); }

    index_t work() const {
        index_t product = 1;
        for (const auto &[label, extent] : extents)
            product *= is_isolated(label) ? 1 : extent;
        return product;
    }
    index_t elements(const std::string &tensor) const {
        index_t product = 1;
        for (const char label : tensor)
            product *= extents.at(label);
        return product;
    }
};

std::vector<drawn_case> draw(int count, std::uint32_t seed, const contraction_limits &limits) {
    std::istringstream list(random_contractions({count, seed}, limits));
    std::vector<drawn_case> cases;
    for (std::string line; std::getline(list, line);)
        cases.emplace_back(line);
    return cases;
}

TEST(RandomContractions, AreTheSameEverywhere) {
    // Cases that are published with a seed must be the same on other machines and in later years.
    const std::string four = random_contractions({4, 7}, large_contractions);
    EXPECT_EQ(four, "c000 abcdefg-hijdcfe-ibhgaj a=7,b=11,c=13,d=5,e=5,f=4,g=10,h=8,i=4,j=12\n"
                    "c001 abc-daebf-dcefg a=8,b=36,c=5,d=80,e=63,f=14,g=3\n"
                    "c002 abcd-efgdhia-gecbihf a=6,b=64,c=38,d=3,e=5,f=3,g=2,h=146,i=2\n"
                    "c003 abcdefg-hfcdaij-ebgjdhi "
                    "a=12,b=10,c=4,d=2,e=16,f=2,g=16,h=10,i=16,j=8\n");
    EXPECT_EQ(random_contractions({100, 7}, large_contractions).compare(0, four.size(), four), 0);
}

TEST(RandomContractions, KeepTheirLimits) {
    for (const contraction_limits &limits : {large_contractions, tiny_contractions})
        for (const drawn_case &one : draw(500, 1, limits)) {
            SCOPED_TRACE(one.name + " " + one.d + "-" + one.a + "-" + one.b);
            for (const auto &[label, extent] : one.extents) {
                EXPECT_GE(extent, limits.least_extent);
                EXPECT_LE(extent, limits.largest_extent);
            }
            EXPECT_GE(one.work(), index_t{1} << limits.log2_least_work);
            EXPECT_LE(one.work(), index_t{1} << limits.log2_most_work);
            EXPECT_LE(one.elements(one.a) + one.elements(one.b) + one.elements(one.d),
                      limits.most_elements);
            for (const std::string &tensor : {one.a, one.b, one.d}) {
                EXPECT_GE(tensor.size(), 2U);
                EXPECT_LE(tensor.size(), 7U);
            }
        }
}

TEST(RandomContractions, HaveLabelsOfEveryClass) {
    std::map<std::string, int> count;
    for (const drawn_case &one : draw(500, 1, large_contractions)) {
        std::map<std::string, bool> found;
        for (const auto &[label, extent] : one.extents) {
            const bool a = drawn_case::has(one.a, label);
            const bool b = drawn_case::has(one.b, label);
            const bool d = drawn_case::has(one.d, label);
            found["batch"] |= a && b && d;
            found["free of A"] |= a && !b && d;
            found["free of B"] |= !a && b && d;
            found["contracted"] |= a && b && !d;
            found["isolated"] |= one.is_isolated(label);
            for (const std::string &tensor : {one.a, one.b})
                found["repeated"] |= std::count(tensor.begin(), tensor.end(), label) == 2;
        }
        found["A's stride-1 mode in D leads"] |= one.a.front() == one.d.front();
        found["contracted mode leads A"] |= !drawn_case::has(one.d, one.a.front());
        for (const auto &[name, is] : found)
            count[name] += is;
    }
    for (const auto &[name, cases] : count) {
        EXPECT_GE(cases, 20) << name;
        EXPECT_LE(cases, 498) << name;
    }
    EXPECT_EQ(count.size(), 8U);
}

class BenchRandomContractions : public ::testing::Test {
protected:
    nlohmann::json run(const std::string &arguments) {
        const std::string json_file = directory_.file("results.json");
        result_ = run_bench("tccg --repeat 1 --type f32 --json " + json_file + " " + arguments);
        EXPECT_EQ(result_.status, 0) << result_.out << result_.err;
        return nlohmann::json::parse(read_text(json_file), nullptr, /*allow_exceptions=*/false);
    }
    void expect_printed(const std::string &text) const {
        EXPECT_NE(result_.out.find(text), std::string::npos) << text << "\n" << result_.out;
    }

    temporary_directory directory_;
    program_result result_;
};

TEST_F(BenchRandomContractions, AreHeldAgainstPeersThatCanComputeThem) {
    // The smallest cases of this seed, and one with a label in one input only, which TBLIS does not
    // sum.
    const std::string fake = std::string("=") + TENFOLD_FAKE_PEERS;
    const nlohmann::json json =
        run("--random 10:2977 --verify --cases c002,c008 --peer tblis" + fake);
    ASSERT_EQ(json["cases"].size(), 1U);
    const nlohmann::json &one = json["cases"][0];
    EXPECT_EQ(one["case"], "c002");
    EXPECT_EQ(one["spec"], "abcd-bea-edc");
    EXPECT_EQ(one["extents"],
              nlohmann::json::parse(R"({"a": 68, "b": 8, "c": 267, "d": 2, "e": 240})"));
    EXPECT_TRUE(one["peers"]["tblis"]["ratio"].is_number());
    EXPECT_EQ(json["machine"]["random_seed"], 2977);
    const nlohmann::json &summary = json["summary"];
    EXPECT_EQ(summary["cases_left_out"], 1);
    const nlohmann::json &peer = summary["peers"]["tblis"];
    EXPECT_EQ(peer["far_behind"], 0.8);
    EXPECT_EQ(peer["cases_far_behind"], peer["worst_ratio"].get<double>() < 0.8 ? 1 : 0);
    EXPECT_FALSE(summary.contains("best_peer"));
    expect_printed("again with --random 10:2977");
    expect_printed("tblis cannot compute 1 of the cases: left out\n");
    expect_printed("  a=68,b=8,c=267,d=2,e=240\n");
}

TEST_F(BenchRandomContractions, RunWithoutPeersWhateverTheirLabels) {
    const nlohmann::json json = run("--random 10:2977 --verify --cases c008");
    ASSERT_EQ(json["cases"].size(), 1U);
    EXPECT_EQ(json["summary"]["cases_left_out"], 0);
    EXPECT_LT(json["cases"][0]["max_relative_error"].get<double>(), 1e-5);
}

TEST_F(BenchRandomContractions, RefusesPeersThatCanComputeNone) {
    for (const char *peer : {"tblis", "ttgt"}) {
        const program_result result = run_bench("tccg --random 10:2977 --cases c008 --peer " +
                                                std::string(peer) + "=" + TENFOLD_FAKE_PEERS);
        EXPECT_EQ(result.status, 1);
        EXPECT_NE(result.err.find("the peers can compute none of the cases"), std::string::npos)
            << result.err;
    }
}

TEST_F(BenchRandomContractions, ListsNameThePeerThatCannot) {
    write_text(directory_.file("list"), "sum ab-aci-cb a=3,b=4,c=5,i=6\n"
                                        "batch abl-acl-clb a=3,b=4,c=5,l=6\n"
                                        "diagonal ab-acc-cb a=3,b=4,c=5\n");
    struct refusal {
        const char *peer, *name, *told;
    };
    for (const auto &[peer, name, told] :
         {refusal{"tblis", "sum", "peer 'tblis': 'ab-aci-cb' has a label in one input only"},
          refusal{"ttgt", "sum", "has a label in one input only"},
          refusal{"ttgt", "batch", "has a label in all three tensors"},
          refusal{"ttgt", "diagonal", "has a label twice in one tensor"}}) {
        const program_result result =
            run_bench("tccg --repeat 1 --file " + directory_.file("list") + " --cases " + name +
                      " --peer " + peer + "=" + TENFOLD_FAKE_PEERS);
        EXPECT_EQ(result.status, 1);
        EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
    }
    // The peers' results for cases that they can compute, including diagonals, are right, and the
    // best of two peers is reported.
    const std::string fake = std::string("=") + TENFOLD_FAKE_PEERS;
    write_text(directory_.file("both"), "one ab-ac-cb a=30,b=40,c=50\ntwo ab-bc-ca a=4,b=4,c=5\n");
    const nlohmann::json json = run("--verify --file " + directory_.file("both") + " --peer tblis" +
                                    fake + " --peer ttgt" + fake);
    const nlohmann::json &summary = json["summary"];
    double worst = 1e300;
    for (const nlohmann::json &one : json["cases"])
        worst = std::min(worst, std::min(one["peers"]["tblis"]["ratio"].get<double>(),
                                         one["peers"]["ttgt"]["ratio"].get<double>()));
    EXPECT_DOUBLE_EQ(summary["best_peer"]["worst_ratio"].get<double>(), worst);
    expect_printed("the fastest peer of each case: geometric mean");
    run("--verify --file " + directory_.file("list") + " --cases diagonal,batch --peer tblis" +
        fake);
}

} // namespace
} // namespace tenfold::testing

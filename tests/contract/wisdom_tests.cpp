// Tests how tuned plans read and write wisdom.
#include <thread>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "support/temporary_folder.hpp"
#include "tuning_bench.hpp"

namespace tenfold {
namespace {

using namespace contract_impl;
using testing::a_extents;
using testing::b_extents;
using testing::d_extents;
using testing::expression;
using testing::says;
using testing::second_of_estimate;
using testing::temporary_folder;
using testing::text_in;
using testing::write_into;
using bench = testing::tuning_bench;

wisdom opened(const std::string &file) { return {file, "cpu", "1.0"}; }

TEST(ContractWisdom, IsTakenAtEveryLevelThatAsksForNoMore) {
    const std::string favourite = second_of_estimate();
    temporary_folder folder;
    const std::string file = folder.file("wisdom");
    {
        wisdom first = opened(file);
        bench at(&first);
        at.favourite = favourite;
        at.plan(tuning::measure);
        EXPECT_EQ(at.searches, 1);
        at.plan(tuning::measure); // known to this process
        EXPECT_EQ(at.searches, 1);
    }
    wisdom second = opened(file);
    for (const tuning level : {tuning::estimate, tuning::measure}) {
        bench at(&second);
        const contract_impl::plan_state plan = at.plan(level);
        EXPECT_EQ(at.searches, 0);
        EXPECT_EQ(choice_name(*plan.chosen), favourite);
        EXPECT_TRUE(says(plan, "  tuning: measure: 2.00 x as fast as the estimate ("))
            << explain(plan);
        EXPECT_TRUE(says(plan, " s), from wisdom " + file + "\n")) << explain(plan);
        EXPECT_FALSE(says(plan, "ignored")) << explain(plan);
    }
    bench patient(&second);
    EXPECT_EQ(choice_name(*patient.plan(tuning::patient).chosen), patient.estimate)
        << "a tie, when it was measured again";
    EXPECT_EQ(patient.searches, 1);
    bench again(&second);
    again.plan(tuning::measure);
    EXPECT_EQ(again.searches, 0) << "patient's result serves all levels";
}

TEST(ContractWisdom, IsOfOneProblemOnly) {
    temporary_folder folder;
    wisdom known = opened(folder.file("wisdom"));
    bench first(&known);
    first.plan(tuning::measure);
    const std::vector<contract_options> others = {{.threads = 2},
                                                  {.algorithm = algorithm::ttgt, .threads = 1},
                                                  {.workspace_limit = mib(3), .threads = 1}};
    for (const contract_options &options : others) {
        bench at(&known, options);
        at.plan(tuning::measure);
        EXPECT_EQ(at.searches, 1);
        at.plan(tuning::measure);
        EXPECT_EQ(at.searches, 1);
    }
}

TEST(ContractWisdom, BrokenFilesAreIgnoredWithAReason) {
    const std::string favourite = second_of_estimate();
    temporary_folder folder;
    const std::string file = folder.file("wisdom");
    {
        wisdom known = opened(file);
        bench at(&known);
        at.favourite = favourite;
        at.plan(tuning::measure);
    }
    const std::string whole = text_in(file);
    const auto with = [&](const std::string &from, const std::string &to) {
        std::string text = whole;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    const std::vector<std::pair<std::string, std::string>> broken = {
        {whole.substr(0, whole.size() / 2), "it is damaged, or no wisdom file"},
        {"not wisdom", "it is damaged, or no wisdom file"},
        {with("\"1.0\"", "\"0.9\""), "it is of Tenfold 0.9, this is 1.0"},
        {with("\"cpu\": \"cpu\"", "\"cpu\": \"another\""), "it is of another processor"},
        {with("\"measure\"", "\"eager\""), "an entry's 'level' is damaged"},
        {with("\"level\"", "\"lever\""), "an entry's 'level' is damaged"},
        {with("\"choice\"", "\"chance\""), "an entry's 'choice' is damaged"},
        {with("\"gain\": 2.0", "\"gain\": -2.0"), "an entry's 'gain' is damaged"},
        {with("\"gain\": 2.0", "\"gain\": []"), "an entry's 'gain' is damaged"},
        {with(favourite, "ttgt: by magic"),
         "its choice, 'ttgt: by magic', is none of the candidates"},
    };
    for (const auto &[text, reason] : broken) {
        SCOPED_TRACE(reason);
        write_into(file, text);
        wisdom known = opened(file);
        bench at(&known);
        const contract_impl::plan_state plan = at.plan(tuning::estimate);
        EXPECT_EQ(at.searches, 0);
        EXPECT_EQ(choice_name(*plan.chosen), at.estimate);
        EXPECT_TRUE(says(plan, "\n  wisdom ignored: " + file + ": " + reason + "\n"))
            << explain(plan);
        at.plan(tuning::measure);
        EXPECT_EQ(at.searches, 1) << "what is ignored is measured again";
    }
}

TEST(ContractWisdom, SharesItsFileWithTranspositions) {
    temporary_folder folder;
    const std::string file = folder.file("wisdom");
    const std::string theirs = R"({"tenfold": "1.0", "cpu": "cpu", "transpose": {"p": {"q": 1}}})";
    write_into(file, theirs);
    wisdom known = opened(file);
    bench(&known).plan(tuning::measure);
    const std::string text = text_in(file);
    EXPECT_NE(text.find("\"contract\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"p\""), std::string::npos) << text;
}

TEST(ContractWisdom, ThatCannotBeWrittenIsTold) {
    temporary_folder folder;
    wisdom known = opened(folder.file("missing/wisdom"));
    bench at(&known);
    const contract_impl::plan_state plan = at.plan(tuning::measure);
    EXPECT_TRUE(says(plan, "\n  wisdom not saved: " + known.file())) << explain(plan);
    at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 1) << "this process knows";
}

TEST(ContractWisdom, ThreadsMeasureOnce) {
    temporary_folder folder;
    wisdom known = opened(folder.file("wisdom"));
    std::atomic<int> searches = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            bench at(&known);
            at.plan(tuning::measure);
            searches += at.searches;
        });
    for (std::thread &one : threads)
        one.join();
    EXPECT_EQ(searches, 1);
}

/// contract() uses its cached plan, unless wisdom has learned more since.
TEST(ContractWisdom, PlansThatAreKeptLearn) {
    temporary_folder folder;
    settings chosen;
    chosen.threads = 1;
    chosen.wisdom = folder.file("wisdom");
    const context ctx(chosen);
    tensor<double> a(a_extents), b(b_extents), d(d_extents);
    contract(expression, a, b, d, {.ctx = &ctx});
    contract(expression, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), 1U);
    const std::uint64_t known = tuning_impl::wisdom_learned();
    while (tuning_impl::wisdom_learned() == known) // a search may give up for lack of time
        make_plan(expression, a, b, d, {.tuning = tuning::measure, .ctx = &ctx});
    contract(expression, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), 2U);
    contract(expression, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(base::plans_of(ctx).size(), 2U);
}

} // namespace
} // namespace tenfold

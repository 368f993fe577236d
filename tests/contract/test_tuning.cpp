// Tuned plans: what they compute, what they take from wisdom, and what they say.
#include <atomic>
#include <functional>
#include <limits>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include <omp.h>

#include <tenfold/tenfold.hpp>

#include "base/plan_cache.hpp"
#include "contract/planner.hpp"
#include "contract/scratch.hpp"
#include "contract/search.hpp"
#include "contract/tune.hpp"
#include "support/paper_instrument.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold {
namespace {

using namespace contract_impl;
using paper_instrument = testing::paper_instrument<candidate>;
using testing::random_source;
using testing::temporary_folder;
using testing::text_in;
using testing::write_into;

const extents_t a_extents = {7, 5, 6, 4}, b_extents = {3, 4, 8, 5}, d_extents = {7, 6, 8, 3};
constexpr const char *expression = "abcd=aebf*dfce";

contraction_plan estimated(const contract_options &options = {}) {
    const auto of = [](const extents_t &extents) {
        return input(data_type::f64, nullptr, layout(extents));
    };
    return make_plan(expression, of(a_extents), of(b_extents),
                     output(data_type::f64, nullptr, layout(d_extents)), options);
}

/// A plan that is tuned as make_plan() does it, with seconds that are made up.
class bench {
public:
    explicit bench(wisdom *known = nullptr, contract_options options = {.threads = 1})
        : known_(known), options_(options) {}

    contraction_plan::state plan(tuning level) {
        contraction_plan::state made = estimated(options_).internals();
        estimate = choice_name(*made.chosen);
        tune(made, {level, options_.algorithm, known_},
             [&](const contraction_plan::state &, byte_count, double) {
                 ++searches;
                 return std::make_unique<paper_instrument>([this](const candidate &one) {
                     const std::string name = choice_name(one);
                     if (measured.insert(name).second)
                         most_workspace = std::max(most_workspace, one.workspace());
                     return cost(name);
                 });
             });
        return made;
    }

    std::atomic<int> searches = 0; ///< plans that were measured
    std::string estimate;
    std::set<std::string> measured;
    byte_count most_workspace{};
    /// One of the others: twice as fast.
    std::function<double(const std::string &)> cost = [this](const std::string &name) {
        return name == favourite ? 0.5e-3 : 1e-3;
    };
    std::string favourite = "none";

private:
    wisdom *known_;
    contract_options options_;
};

/// The second best by the cost model.
std::string second_of_estimate() {
    bench at;
    at.plan(tuning::measure);
    const contraction_plan plan = estimated({.threads = 1});
    const auto all =
        enumerate_candidates(plan.internals().problem, plan.internals().environment, 12);
    for (const option &one : all)
        if (one.choice != nullptr && choice_name(*one.choice) != at.estimate &&
            at.measured.count(choice_name(*one.choice)) == 1)
            return choice_name(*one.choice);
    ADD_FAILURE() << "only the estimate was measured";
    return {};
}

bool says(const contraction_plan::state &plan, const std::string &part) {
    return explain(plan).find(part) != std::string::npos;
}

TEST(ContractTuning, EstimatesMeasureNothing) {
    bench at;
    const contraction_plan::state plan = at.plan(tuning::estimate);
    EXPECT_EQ(at.searches, 0);
    EXPECT_FALSE(says(plan, "tuning")) << explain(plan);
}

TEST(ContractTuning, MeasureTakesWhatIsFaster) {
    bench at;
    at.favourite = second_of_estimate();
    const contraction_plan::state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 1);
    EXPECT_NE(at.favourite, at.estimate);
    EXPECT_EQ(choice_name(*plan.chosen), at.favourite);
    EXPECT_TRUE(says(plan, "  chosen: " + at.favourite + "\n")) << explain(plan);
    EXPECT_TRUE(says(plan, "\n  tuning: measure: 2.00 x as fast as the estimate ("))
        << explain(plan);
    EXPECT_EQ(plan.summary.algorithm, plan.chosen->algorithm());
    EXPECT_EQ(plan.summary.seconds, plan.chosen->seconds());
    EXPECT_EQ(plan.summary.workspace, plan.chosen->workspace());
    int listed = 0;
    for (const candidate_summary &one : plan.summary.candidates)
        listed += one.description == plan.chosen->describe() ? 1 : 0;
    EXPECT_EQ(listed, 1);
}

TEST(ContractTuning, TiesGoToTheEstimate) {
    bench at;
    const contraction_plan::state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 1);
    EXPECT_EQ(choice_name(*plan.chosen), at.estimate);
    EXPECT_TRUE(says(plan, "\n  tuning: measure: the estimate (")) << explain(plan);
}

TEST(ContractTuning, PatientMeasuresMore) {
    bench quick, slow;
    quick.plan(tuning::measure);
    slow.plan(tuning::patient);
    EXPECT_GT(quick.measured.size(), 1U);
    EXPECT_LE(quick.measured.size(), 12U);
    EXPECT_GT(slow.measured.size(), quick.measured.size());
}

TEST(ContractTuning, WhatWasAskedForIsKept) {
    bench at(nullptr, {.algorithm = algorithm::ttgt, .threads = 1});
    at.plan(tuning::patient);
    EXPECT_GT(at.measured.size(), 1U);
    for (const std::string &one : at.measured)
        EXPECT_EQ(one.substr(0, 5), "ttgt:");
    bench alone(nullptr, {.algorithm = algorithm::loops, .threads = 1});
    EXPECT_TRUE(says(alone.plan(tuning::patient), "not measured: there is no other candidate"));
}

TEST(ContractTuning, TheWorkspaceLimitIsKept) {
    bench wide(nullptr, {.threads = 1});
    wide.plan(tuning::patient);
    ASSERT_GT(wide.most_workspace, bytes(6000));
    bench narrow(nullptr, {.workspace_limit = bytes(6000), .threads = 1});
    narrow.plan(tuning::patient);
    EXPECT_GT(narrow.measured.size(), 1U);
    EXPECT_LE(narrow.most_workspace, bytes(6000));
}

TEST(ContractTuning, ReproduciblePlansAreNotMeasured) {
    temporary_folder folder;
    wisdom known(folder.file("wisdom"), "cpu", "1.0");
    bench at(&known, {.threads = 1, .reproducible = true});
    const contraction_plan::state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 0);
    EXPECT_TRUE(says(plan, "tuning: measure: the estimate, not measured: what is reproducible"));
}

TEST(ContractTuning, ParallelRegionsAreNotMeasured) {
    bench at;
    std::string text;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        text = explain(at.plan(tuning::measure));
    }
    EXPECT_EQ(at.searches, 0);
    EXPECT_NE(text.find("not measured: inside a parallel region"), std::string::npos) << text;
}

TEST(ContractTuning, ScratchMemoryIsBounded) {
    settings chosen;
    chosen.threads = 1;
    chosen.workspace_limit = kib(16); // the tensors take 17.6 KiB
    const context ctx(chosen);
    bench at(nullptr, {.workspace_limit = mib(1), .ctx = &ctx});
    const contraction_plan::state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 0);
    EXPECT_TRUE(says(plan, "not measured: scratch memory would take ")) << explain(plan);
    EXPECT_TRUE(says(plan, ", the limit is 16.0 KiB\n")) << explain(plan);
}

TEST(ContractTuning, AFailingInstrumentLeavesTheEstimate) {
    contraction_plan::state plan = estimated().internals();
    const candidate_ptr before = plan.chosen;
    tune(plan, {tuning::measure},
         [](const contraction_plan::state &, byte_count, double) -> std::unique_ptr<instrument> {
             throw error(errc::out_of_memory, "there is no memory");
         });
    EXPECT_EQ(plan.chosen, before);
    EXPECT_TRUE(says(plan, "not measured: there is no memory")) << explain(plan);
}

TEST(ContractTuning, ScratchCoversWhatStridesSpan) {
    // Elements at the far ends: AddressSanitizer watches.
    const layout a({3, 4}, {-1, 10}), b({4, 5}, {7, -1}), d({5, 3}, {40, 3});
    const contraction_plan plan =
        make_plan("cb=ba*ac", input(data_type::f64, nullptr, a), input(data_type::f64, nullptr, b),
                  output(data_type::f64, nullptr, d), {.threads = 1});
    const contraction_plan::state &state = plan.internals();
    EXPECT_EQ(scratch_bytes(state.problem), bytes(8 * (33 + 26 + 167)));
    scratch_instrument real(state, mib(1), 60);
    for (const option &one : enumerate_candidates(state.problem, state.environment, 8)) {
        if (one.choice == nullptr)
            continue;
        EXPECT_GT(real.seconds(*one.choice), 0) << choice_name(*one.choice);
    }
}

/// Every choice that tuning could make computes what the reference does, bit for bit on integers.
template <class T> void expect_right_choices(int test_case) {
    SCOPED_TRACE(testing::rerun_line(test_case));
    random_source random(test_case);
    std::array<index_t, 6> n{};
    for (index_t &one : n)
        one = random.integer(2, 9);
    tensor<T> a({n[0], n[4], n[1], n[5]}), b({n[3], n[5], n[2], n[4]});
    tensor<T> d({n[0], n[1], n[2], n[3]}), expected({n[0], n[1], n[2], n[3]});
    for (auto *one : {&a, &b})
        for (index_t i = 0; i < one->size(); ++i)
            one->data()[i] = static_cast<T>(static_cast<float>(random.integer(-4, 4)));
    contract(expression, a, b, expected, {.algorithm = algorithm::reference});
    contraction_plan::state plan =
        make_plan(expression, a, b, d, {.threads = static_cast<int>(random.integer(1, 3))})
            .internals();
    std::set<std::string> names;
    tune(plan, {tuning::patient}, [&](const contraction_plan::state &, byte_count, double) {
        return std::make_unique<paper_instrument>([&](const candidate &one) {
            names.insert(choice_name(one));
            return 1e-3;
        });
    });
    EXPECT_GT(names.size(), 1U);
    for (const std::string &favourite : names) {
        contraction_plan::state tuned = plan;
        tune(tuned, {tuning::patient}, [&](const contraction_plan::state &, byte_count, double) {
            return std::make_unique<paper_instrument>([&](const candidate &one) {
                return choice_name(one) == favourite ? 0.5e-3 : 1e-3;
            });
        });
        EXPECT_EQ(choice_name(*tuned.chosen), favourite);
        for (index_t i = 0; i < d.size(); ++i)
            d.data()[i] = T(-1);
        const contraction_plan runs(std::make_shared<const contraction_plan::state>(tuned));
        EXPECT_TRUE(runs.execute(1.0, a.data(), b.data(), 0.0, nullptr, d.data()));
        EXPECT_TRUE(std::equal(d.data(), d.data() + d.size(), expected.data())) << favourite;
    }
}

TEST(ContractTuning, EveryChoiceComputesTheSame) {
    for (const int test_case : testing::cases(6)) {
        expect_right_choices<float>(test_case);
        expect_right_choices<double>(test_case);
        expect_right_choices<c64>(test_case);
    }
}

/// Measured for good.
TEST(ContractTuning, ContractMeasuresOnceAndIsRight) {
    settings chosen;
    chosen.threads = 1;
    const context ctx(chosen);
    tensor<double> a(a_extents), b(b_extents), d(d_extents), expected(d_extents);
    for (index_t i = 0; i < a.size(); ++i)
        a.data()[i] = static_cast<double>(i % 9) - 4;
    for (index_t i = 0; i < b.size(); ++i)
        b.data()[i] = static_cast<double>(i % 7) - 3;
    const std::vector<double> before(a.data(), a.data() + a.size());
    contract(expression, a, b, expected, {.algorithm = algorithm::reference, .ctx = &ctx});
    for (int repetition = 0; repetition < 3; ++repetition) {
        std::fill_n(d.data(), d.size(), std::numeric_limits<double>::quiet_NaN());
        contract(expression, a, b, d, {.tuning = tuning::measure, .ctx = &ctx});
        EXPECT_TRUE(std::equal(d.data(), d.data() + d.size(), expected.data()));
    }
    EXPECT_EQ(ctx.plans().size(), 2U);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), a.data()));

    const std::string text =
        make_plan(expression, a, b, d, {.tuning = tuning::measure, .ctx = &ctx}).explain();
    EXPECT_NE(text.find("\n  tuning: measure: "), std::string::npos) << text;
    EXPECT_EQ(text.find("not measured"), std::string::npos) << text;
}

TEST(ContractTuning, StepsOfManyInputsAreTuned) {
    tensor<double> a({6, 7}), b({7, 5}), e({5, 8}), d({6, 8}), expected({6, 8});
    for (auto *one : {&a, &b, &e})
        for (index_t i = 0; i < one->size(); ++i)
            one->data()[i] = static_cast<double>(i % 5) - 2;
    contract("il=ij*jk*kl", {a, b, e}, expected, {.algorithm = algorithm::reference});
    const auto estimate = make_plan("il=ij*jk*kl", {a, b, e}, d, {.threads = 1});
    const auto plan =
        make_plan("il=ij*jk*kl", {a, b, e}, d, {.tuning = tuning::measure, .threads = 1});
    const std::string text = plan.explain();
    const std::size_t first = text.find("  tuning: measure: ");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_NE(text.find("  tuning: measure: ", first + 1), std::string::npos) << text;
    EXPECT_EQ(plan.workspace_size(), estimate.workspace_size());
    const std::array<const void *, 3> data{a.data(), b.data(), e.data()};
    EXPECT_TRUE(plan.execute(1.0, data, 0.0, nullptr, d.data()));
    EXPECT_TRUE(std::equal(d.data(), d.data() + d.size(), expected.data()));
}

TEST(ContractTuning, TranspositionsAreTunedAsSuch) {
    tensor<double> a({60, 50}), d({50, 60});
    const auto plan = make_plan("ba=ab", a, d, {.tuning = tuning::measure, .threads = 1});
    EXPECT_NE(plan.explain().find("  tuning: measure: of the transposition\n"), std::string::npos)
        << plan.explain();
}

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
        const contraction_plan::state plan = at.plan(level);
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
        const contraction_plan::state plan = at.plan(tuning::estimate);
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
    const contraction_plan::state plan = at.plan(tuning::measure);
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

/// contract() finds its plan again, but not one that knows less than wisdom does by now.
TEST(ContractWisdom, PlansThatAreKeptLearn) {
    temporary_folder folder;
    settings chosen;
    chosen.threads = 1;
    chosen.wisdom = folder.file("wisdom");
    const context ctx(chosen);
    tensor<double> a(a_extents), b(b_extents), d(d_extents);
    contract(expression, a, b, d, {.ctx = &ctx});
    contract(expression, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(ctx.plans().size(), 1U);
    make_plan(expression, a, b, d, {.tuning = tuning::measure, .ctx = &ctx});
    contract(expression, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(ctx.plans().size(), 2U);
    contract(expression, a, b, d, {.ctx = &ctx});
    EXPECT_EQ(ctx.plans().size(), 2U);
}

} // namespace
} // namespace tenfold

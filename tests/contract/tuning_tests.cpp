// Tests the results and the descriptions of tuned plans.
#include <limits>

#include <omp.h>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "contract/choose/scratch.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"
#include "tuning_bench.hpp"

namespace tenfold {
namespace {

using namespace contract_impl;
using testing::a_extents;
using testing::b_extents;
using testing::d_extents;
using testing::estimated;
using testing::expression;
using testing::random_source;
using testing::says;
using testing::second_of_estimate;
using testing::temporary_folder;
using bench = testing::tuning_bench;
using paper_instrument = testing::paper_instrument<candidate>;

TEST(ContractTuning, EstimatesMeasureNothing) {
    bench at;
    const contract_impl::plan_state plan = at.plan(tuning::estimate);
    EXPECT_EQ(at.searches, 0);
    EXPECT_FALSE(says(plan, "tuning")) << explain(plan);
}

TEST(ContractTuning, MeasureTakesWhatIsFaster) {
    bench at;
    at.favourite = second_of_estimate();
    const contract_impl::plan_state plan = at.plan(tuning::measure);
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
    const contract_impl::plan_state plan = at.plan(tuning::measure);
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
    const contract_impl::plan_state plan = at.plan(tuning::measure);
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
    const contract_impl::plan_state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 0);
    EXPECT_TRUE(says(plan, "not measured: scratch memory would take ")) << explain(plan);
    EXPECT_TRUE(says(plan, ", the limit is 16.0 KiB\n")) << explain(plan);
}

TEST(ContractTuning, AFailingInstrumentLeavesTheEstimate) {
    contract_impl::plan_state plan = contract_impl::whole_of(estimated());
    const candidate_ptr before = plan.chosen;
    tune(plan, {tuning::measure},
         [](const contract_impl::plan_state &, byte_count, double) -> std::unique_ptr<instrument> {
             throw error(errc::out_of_memory, "there is no memory");
         });
    EXPECT_EQ(plan.chosen, before);
    EXPECT_TRUE(says(plan, "not measured: there is no memory")) << explain(plan);
}

TEST(ContractTuning, ScratchCoversWhatStridesSpan) {
    // Elements are at the far ends of memory, which AddressSanitizer watches.
    const layout a({3, 4}, {-1, 10}), b({4, 5}, {7, -1}), d({5, 3}, {40, 3});
    const contraction_plan plan =
        make_plan("cb=ba*ac", input(data_type::f64, nullptr, a), input(data_type::f64, nullptr, b),
                  output(data_type::f64, nullptr, d), {.threads = 1});
    const contract_impl::plan_state &state = contract_impl::whole_of(plan);
    EXPECT_EQ(scratch_bytes(state.problem), bytes(8 * (33 + 26 + 167)));
    scratch_instrument real(state, mib(1), /*most_seconds=*/1e9);
    for (const option &one : enumerate_candidates(state.problem, state.environment, 8)) {
        if (one.choice == nullptr)
            continue;
        EXPECT_GT(real.seconds(*one.choice), 0) << choice_name(*one.choice);
    }
}

/// Every choice that tuning could make gives the reference's result, bit for bit on integers.
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
    contract_impl::plan_state plan = contract_impl::whole_of(
        make_plan(expression, a, b, d, {.threads = static_cast<int>(random.integer(1, 3))}));
    std::set<std::string> names;
    tune(plan, {tuning::patient}, [&](const contract_impl::plan_state &, byte_count, double) {
        return std::make_unique<paper_instrument>([&](const candidate &one) {
            names.insert(choice_name(one));
            return 1e-3;
        });
    });
    EXPECT_GT(names.size(), 1U);
    for (const std::string &favourite : names) {
        contract_impl::plan_state tuned = plan;
        tune(tuned, {tuning::patient}, [&](const contract_impl::plan_state &, byte_count, double) {
            return std::make_unique<paper_instrument>([&](const candidate &one) {
                return choice_name(one) == favourite ? 0.5e-3 : 1e-3;
            });
        });
        EXPECT_EQ(choice_name(*tuned.chosen), favourite);
        for (index_t i = 0; i < d.size(); ++i)
            d.data()[i] = T(-1);
        const auto runs =
            contract_impl::plan_from(std::make_unique<const contract_impl::plan_state>(tuned));
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

/// Uses real measurements.
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
    EXPECT_EQ(base::plans_of(ctx).size(), 2U);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), a.data()));

    std::string text;
    do // repeat if other programs kept the cores so busy that a search seemed to take too long
        text = make_plan(expression, a, b, d, {.tuning = tuning::measure, .ctx = &ctx}).explain();
    while (text.find("too long for a search") != std::string::npos);
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

} // namespace
} // namespace tenfold

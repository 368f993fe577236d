// Tests tuned plans: their results and their descriptions.
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "arrays.hpp"
#include "base/context_of.hpp"
#include "support/paper_instrument.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/reference.hpp"
#include "transpose/search.hpp"
#include "transpose/tune.hpp"
#include "tuning_bench.hpp"

namespace tenfold {
namespace {

using namespace transpose_impl;
using paper_instrument = testing::paper_instrument<schedule>;
using testing::f32;
using testing::permutation;
using testing::random_source;
using testing::says;
using testing::tuning_bench;

/// A budget in seconds that no machine exceeds, however slowly it provides memory.
constexpr double any_time = 1e9;

TEST(Tune, EstimatesMeasureNothing) {
    tuning_bench at;
    const transpose_impl::plan_state plan = at.plan(tuning::estimate);
    EXPECT_EQ(at.searches, 0);
    EXPECT_TRUE(says(plan, "\ntuning   estimate\n")) << explain(plan);
}

TEST(Tune, MeasureTakesWhatIsFaster) {
    tuning_bench at;
    const transpose_impl::plan_state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 1);
    EXPECT_EQ(plan.overwrites.strip, 64);
    EXPECT_NE(plan.accumulates.strip, 64) << "beta was not given";
    EXPECT_TRUE(says(plan, "\ntuning   measure: strip 64 (2.00 x the estimate, ")) << explain(plan);
    EXPECT_TRUE(says(plan, " candidates, ")) << explain(plan);
}

TEST(Tune, MeasureTunesWhatBetaNames) {
    tuning_bench at;
    const transpose_impl::plan_state plan = at.plan(tuning::measure, /*accumulates=*/true);
    EXPECT_EQ(at.searches, 1);
    EXPECT_NE(plan.overwrites.strip, 64);
    EXPECT_EQ(plan.accumulates.strip, 64);
    EXPECT_TRUE(says(plan, "\ntuning   beta != 0: measure: strip 64 (2.00 x")) << explain(plan);
}

TEST(Tune, PatientTunesBoth) {
    tuning_bench at;
    const transpose_impl::plan_state plan = at.plan(tuning::patient);
    EXPECT_EQ(plan.overwrites.strip, 64);
    EXPECT_EQ(plan.accumulates.strip, 64);
    EXPECT_TRUE(says(plan, "\ntuning   patient: strip 64 ")) << explain(plan);
    EXPECT_TRUE(says(plan, "\ntuning   beta != 0: patient: strip 64 ")) << explain(plan);
}

TEST(Tune, TiesGoToTheEstimate) {
    tuning_bench at;
    at.cost = [](const schedule &) { return 1e-3; };
    const transpose_impl::plan_state plan = at.plan(tuning::measure);
    EXPECT_TRUE(plan.overwrites == tuning_bench().plan(tuning::estimate).overwrites);
    EXPECT_TRUE(says(plan, "\ntuning   measure: the estimate (")) << explain(plan);
}

TEST(Tune, NothingToDoIsNotTuned) {
    const std::vector<int> identity = {0};
    const transpose_plan plan(identity, f32, layout({0}), f32, layout({0}), false,
                              {.tuning = tuning::patient});
    EXPECT_TRUE(plan.execute(1, nullptr, 0, nullptr).ok());
}

TEST(Tune, ScratchMemoryIsBounded) {
    settings chosen;
    chosen.workspace_limit = bytes(2 * 4 * 40 * 30 * 50 - 1);
    const context narrow(chosen);
    tuning_bench refused(nullptr, narrow);
    const transpose_impl::plan_state plan = refused.plan(tuning::measure);
    EXPECT_EQ(refused.searches, 0);
    EXPECT_TRUE(says(plan, "tuning   measure: the estimate, not measured: scratch memory would "
                           "take 468.8 KiB, the limit is"))
        << explain(plan);

    chosen.workspace_limit = bytes(2 * 4 * 40 * 30 * 50);
    const context wide(chosen);
    tuning_bench served(nullptr, wide);
    served.plan(tuning::measure);
    EXPECT_EQ(served.searches, 1);

    // Strides that span more than any memory.
    const index_t far = index_t{1} << 60;
    const transpose_plan apart(std::vector<int>{0}, f32, layout({2}, {far}), f32, layout({2}),
                               false, {.tuning = tuning::measure});
    EXPECT_NE(apart.explain().find("not measured: scratch"), std::string::npos) << apart.explain();
}

TEST(Tune, ScratchCoversWhatStridesSpan) {
    const layout a({3, 4}, {-1, 10});
    const layout b({4, 3}, {1, 5});
    const std::vector<int> swap = {1, 0};
    const transpose_impl::plan_state plan({swap, f32, a, data_type::f64, b}, {}, {});
    EXPECT_EQ(scratch_bytes(plan), bytes(4 * (3 + 30) + 8 * (4 + 10)));
    // Elements are at the far ends of memory, which AddressSanitizer watches.
    scratch_instrument real(plan, context::global(), any_time);
    EXPECT_GT(real.seconds(plan.overwrites), 0);
    EXPECT_GT(real.seconds(plan.accumulates), 0);
}

TEST(Tune, SamplesFindCachesAsAFirstUseDoes) {
    const std::vector<int> swap = {1, 0};
    const index_t n = 1024; // 8 MiB in all
    const transpose_impl::plan_state plan({swap, f32, layout({n, n}), f32, layout({n, n})},
                                          {.threads = 1}, {});
    const base::machine &machine = base::machine_of(context::global());
    scratch_instrument real(plan, context::global(), any_time);
    EXPECT_EQ(static_cast<int>(real.sets()),
              tuning_impl::sets_in_turn(machine, 1, bytes(8 * n * n),
                                        tuning_impl::scratch_limit(context::global())));
    EXPECT_GT(real.seconds(plan.overwrites), 0);

    scratch_instrument hurried(plan, context::global(), 0);
    EXPECT_EQ(hurried.sets(), 1u) << "what is there must do";

    const transpose_impl::plan_state small({swap, f32, layout({8, 8}), f32, layout({8, 8})}, {},
                                           {});
    EXPECT_EQ(scratch_instrument(small, context::global(), any_time).sets(), 1u);
}

TEST(Tune, ScratchMemoryIsNotWaitedFor) {
    const layout a({1 << 12, 1 << 13}); // 128 MiB, allocated in two pieces
    const std::vector<int> swap = {1, 0};
    transpose_impl::plan_state plan({swap, f32, a, f32, layout({1 << 13, 1 << 12})}, {.threads = 1},
                                    {});
    tune(plan, {context::global(), tuning::measure, false},
         [](const transpose_impl::plan_state &state, double) {
             return scratch_instruments(context::global())(state, 0);
         });
    EXPECT_TRUE(says(plan, "tuning   measure: the estimate, not measured: the system takes too "
                           "long to hand out 128.0 MiB of scratch memory\n"))
        << explain(plan);
}

TEST(Tune, PlansAreReallyMeasured) {
    std::string text;
    do // repeat if other programs kept the cores so busy that a search seemed to take too long
        text = transpose_plan(permutation, f32, layout({40, 30, 50}), f32, layout({50, 30, 40}),
                              false, {.tuning = tuning::measure})
                   .explain();
    while (text.find("too long for a search") != std::string::npos);
    EXPECT_NE(text.find("\ntuning   measure: "), std::string::npos) << text;
    EXPECT_EQ(text.find("not measured"), std::string::npos) << text;
}

TEST(Tune, TheTimeMayBeGiven) {
    const std::vector<int> turned = {1, 0};
    const layout a({300, 200}), b({200, 300});
    for (const double seconds : {1e-6, 0.05}) {
        const transpose_plan plan(turned, data_type::f32, a, data_type::f32, b, false,
                                  {.tuning = tuning::patient, .tuning_seconds = seconds});
        EXPECT_NE(plan.explain().find("patient: "), std::string::npos) << plan.explain();
    }
    for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(transpose_plan(turned, data_type::f32, a, data_type::f32, b, false,
                                    {.tuning_seconds = seconds}),
                     error);
}

TEST(Tune, ParallelRegionsAreNotMeasured) {
    tuning_bench at;
    std::string text;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        text = explain(at.plan(tuning::measure));
    }
    EXPECT_EQ(at.searches, 0);
    EXPECT_NE(text.find("not measured: inside a parallel region"), std::string::npos) << text;
}

/// Whichever schedule wins, the result is that of the reference, or, if the reference rounds in
/// another way, that of the estimate.
TEST(Tune, TunedPlansComputeTheSame) {
    for (const int number : testing::cases(300)) {
        SCOPED_TRACE(testing::rerun_line(number));
        random_source random(number);
        extents_t extents;
        for (int order = static_cast<int>(random.integer(1, 4)); order > 0; --order)
            extents.push_back(random.integer(1, 20));
        std::vector<int> shuffled(extents.size());
        std::iota(shuffled.begin(), shuffled.end(), 0);
        random.shuffle(shuffled);
        extents_t extents_b;
        for (const int mode : shuffled)
            extents_b.push_back(extents[static_cast<std::size_t>(mode)]);
        const layout a = testing::random_layout(random, extents, false);
        const layout b = testing::random_layout(random, extents_b, false);
        const data_type type = random.pick(std::vector{data_type::f32, data_type::c64});
        const scalar beta = random.chance(0.5) ? 0.0 : 2.0;
        const int threads = static_cast<int>(random.integer(1, 2));

        const transposed_tensors what{shuffled, type, a, type, b};
        transpose_impl::plan_state plan(what, {.threads = threads}, {});
        const transpose_impl::plan_state estimate = plan;
        tune(plan,
             {context::global(), random.chance(0.3) ? tuning::patient : tuning::measure,
              beta != 0.0},
             [&](const transpose_impl::plan_state &, double) {
                 return std::make_unique<paper_instrument>([&](const schedule &one) {
                     // Arbitrary seconds, but the same for the same schedule.
                     const index_t mixed = one.strip * 7 + one.ahead * 5 + one.row_piece * 3 +
                                           one.panel_piece + one.skew * 11 + one.stream;
                     return 1e-3 * static_cast<double>(1 + (mixed + number) % 13);
                 });
             });

        testing::array data_a(type, a, 0, 0);
        data_a.fill_with_integers(random);
        const random_source values = random;
        const auto filled = [&] {
            testing::array target(type, b, 0, 64);
            random_source same = values;
            if (beta == 0.0)
                target.poison();
            else
                target.fill_with_integers(same);
            return target;
        };
        testing::array expected = filled();
        testing::array actual = filled();
        reference_transpose(what, 1, data_a.data(), beta, expected.data());
        ASSERT_TRUE(plan.execute(1, data_a.data(), beta, actual.data()).ok());
        ASSERT_TRUE(actual.bytes() == expected.bytes()) << explain(plan);

        const scalar third = type == f32 ? scalar(1.0 / 3) : scalar(1.0 / 3, 1.0 / 7);
        expected = filled();
        actual = filled();
        ASSERT_TRUE(estimate.execute(third, data_a.data(), beta * third, expected.data()).ok());
        ASSERT_TRUE(plan.execute(third, data_a.data(), beta * third, actual.data()).ok());
        ASSERT_TRUE(actual.bytes() == expected.bytes()) << explain(plan) << explain(estimate);
    }
}

} // namespace
} // namespace tenfold

// Tests which schedules tuning tries, and when it accepts one as faster than the estimate.
#include <set>

#include <gtest/gtest.h>

#include "base/machine.hpp"
#include "support/paper_instrument.hpp"
#include "transpose/plan/choices.hpp"
#include "transpose/plan/plan_state.hpp"
#include "transpose/search.hpp"

namespace tenfold {
namespace {

using namespace transpose_impl;
using paper_instrument = testing::paper_instrument<schedule>;

/// A machine that is the same wherever the tests run.
base::machine some_machine() {
    base::machine machine;
    machine.l1d.size = 32 << 10;
    machine.l2.size = 1 << 20;
    machine.l3.size = 32 << 20;
    return machine;
}

/// A transposition of f32 in tiles of 16.
class Search : public ::testing::Test {
protected:
    scheduler make(bool accumulates = false, int threads = 1) const {
        return [=, this](const schedule_options &choices) {
            const std::vector<int> permutation = {2, 1, 0};
            const layout a({300, 40, 200});
            const layout b({200, 40, 300});
            return make_schedule(reduce(permutation, a, b),
                                 {data_type::f32, data_type::f32, accumulates, threads}, machine,
                                 {16, true}, choices);
        };
    }
    search_result measured(instrument &with) const {
        return search(make(), machine, effort_of(tuning::measure), with);
    }

    const base::machine machine = some_machine();
    const schedule estimate = make()({});
};

TEST_F(Search, TiesGoToTheEstimate) {
    paper_instrument with([](const schedule &) { return 1e-3; });
    const search_result found = measured(with);
    EXPECT_EQ(describe(found.choices), "the estimate");
    EXPECT_EQ(found.gain, 1);
    EXPECT_EQ(found.refusal, "");
    EXPECT_GT(found.candidates, 5);
    EXPECT_LE(found.candidates, 12);
}

TEST_F(Search, NoSampleBeginsAfterTheGivenTime) {
    for (const double seconds : {1e-4, 0.02, 0.3, 2.0, 60.0})
        for (const tuning level : {tuning::measure, tuning::patient}) {
            double longest = 0;
            paper_instrument with([&](const schedule &one) {
                const double taken = one == estimate ? 2e-3 : one.strip == 64 ? 1e-3 : 7e-3;
                longest = std::max(longest, taken);
                return taken;
            });
            const double began = with.now();
            const search_result found =
                search(make(), machine, limited(effort_of(level), seconds), with);
            EXPECT_LE(with.now() - began, seconds + longest) << seconds;
            EXPECT_EQ(found.refusal.empty(), seconds > 0.02) << found.refusal;
            if (seconds > 0.1) {
                EXPECT_NE(describe(found.choices), "the estimate") << seconds;
            }
        }
}

TEST_F(Search, MoreTimeIsUsed) {
    const auto candidates = [&](double seconds) {
        paper_instrument with([&](const schedule &one) { return one == estimate ? 2e-3 : 1e-3; });
        return search(make(), machine, limited(effort_of(tuning::patient), seconds), with)
            .candidates;
    };
    EXPECT_LT(candidates(0.5), candidates(5));
    EXPECT_LE(candidates(5), candidates(60));
}

TEST_F(Search, LessThanTheMarginIsNoise) {
    const double margin = effort_of(tuning::measure).margin;
    for (const double ratio : {margin - 0.001, margin + 0.001}) {
        paper_instrument with(
            [&](const schedule &one) { return one == estimate ? 1e-3 * ratio : 1e-3; });
        EXPECT_EQ(describe(measured(with).choices) != "the estimate", ratio > margin) << ratio;
    }
}

TEST_F(Search, TheMarginIsAskedForTwice) {
    for (const bool first : {false, true}) { // fast enough in one of two races
        int samples = 0;
        paper_instrument with([&](const schedule &one) {
            const bool fast =
                one.strip == 64 && (++samples <= effort_of(tuning::measure).samples) == first;
            return fast ? 0.9e-3 : one.strip == 64 ? 0.98e-3 : 1e-3;
        });
        EXPECT_EQ(describe(measured(with).choices), "the estimate") << first;
    }
}

TEST_F(Search, TheFastestIsFound) {
    paper_instrument with([&](const schedule &one) {
        return one.strip == 64 ? 0.8e-3 : one.ahead == 2 * estimate.ahead ? 0.9e-3 : 1e-3;
    });
    const search_result found = measured(with);
    EXPECT_EQ(describe(found.choices), "strip 64");
    EXPECT_DOUBLE_EQ(found.gain, 1.25);
    EXPECT_GT(found.seconds, 0);
}

TEST_F(Search, LuckIsNotConfirmed) {
    // It is fast only in its first race.
    int samples = 0;
    const int of_one_race = effort_of(tuning::measure).samples;
    paper_instrument with([&](const schedule &one) {
        return one.strip == 64 && ++samples <= of_one_race ? 0.5e-3 : 1e-3;
    });
    EXPECT_EQ(describe(measured(with).choices), "the estimate");
    EXPECT_GT(samples, of_one_race) << "there was no second race";
}

TEST_F(Search, AFewSlowSamplesDecideNothing) {
    // One of five samples of the estimate is disturbed.
    int samples = 0;
    paper_instrument with(
        [&](const schedule &one) { return one == estimate && ++samples % 5 == 4 ? 1e-2 : 1e-3; });
    EXPECT_EQ(describe(measured(with).choices), "the estimate");
}

TEST_F(Search, WhatIsHopelessIsSampledOnce) {
    int samples = 0;
    paper_instrument with([&](const schedule &one) {
        samples += one.strip == 64;
        return one.strip == 64 ? 2e-3 : 1e-3;
    });
    measured(with);
    EXPECT_EQ(samples, 1);
}

TEST_F(Search, TimeIsKept) {
    for (const tuning level : {tuning::measure, tuning::patient}) {
        const tuning_effort &effort = effort_of(level);
        for (const double seconds : {1e-5, 1e-3, 1e-2, 3e-2}) {
            paper_instrument with([&](const schedule &) { return seconds; });
            const search_result found = search(make(), machine, effort, with);
            EXPECT_EQ(found.refusal, "");
            EXPECT_GE(found.candidates, 2);
            EXPECT_LE(found.seconds, effort.seconds) << seconds;
        }
        paper_instrument with([](const schedule &) { return 10.0; });
        const search_result refused = search(make(), machine, effort, with);
        EXPECT_NE(refused.refusal.find("one run takes 10 s"), std::string::npos) << refused.refusal;
        EXPECT_EQ(describe(refused.choices), "the estimate");
        EXPECT_LE(with.samples(), 2);
    }
}

TEST_F(Search, PatienceCombinesChoices) {
    const auto cost = [&](const schedule &one) {
        return 1e-3 * (one.strip == 64 ? 0.8 : 1.0) * (one.skew == 4 ? 0.9 : 1.0);
    };
    paper_instrument quick(cost);
    EXPECT_EQ(describe(measured(quick).choices), "strip 64");
    paper_instrument slow(cost);
    const search_result found = search(make(), machine, effort_of(tuning::patient), slow);
    EXPECT_EQ(describe(found.choices), "strip 64, skew 4");
    EXPECT_NEAR(found.gain, 1 / 0.72, 1e-9);
    EXPECT_GT(slow.samples(), quick.samples());
}

TEST_F(Search, CandidatesDiffer) {
    for (const bool wide : {false, true})
        for (const bool accumulates : {false, true})
            for (const int threads : {1, 4}) {
                const candidate from{{}, make(accumulates, threads)({})};
                const std::vector<candidate> list =
                    variations(from, trials(from.made, machine, wide), make(accumulates, threads));
                EXPECT_GE(list.size(), 4U);
                std::set<std::string> names;
                for (const candidate &one : list) {
                    EXPECT_FALSE(one.made == from.made) << describe(one.choices);
                    EXPECT_TRUE(names.insert(describe(one.choices)).second);
                    for (const candidate &other : list)
                        EXPECT_EQ(one.made == other.made, &one == &other)
                            << describe(one.choices) << " and " << describe(other.choices);
                }
                // Streaming does not apply if B is read, too.
                const bool streams =
                    names.contains("streaming on") || names.contains("streaming off");
                EXPECT_EQ(streams, !accumulates);
                EXPECT_EQ(names.contains("one thread"), threads > 1);
            }
}

} // namespace
} // namespace tenfold

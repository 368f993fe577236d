// Tests what tuned plans remember in wisdom, and take from it.
#include <atomic>
#include <filesystem>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "tuning_bench.hpp"

namespace tenfold {
namespace {

using namespace transpose_impl;
using testing::f32;
using testing::permutation;
using testing::says;
using testing::temporary_folder;
using testing::tuning_bench;

TEST(TuneWithWisdom, TheSecondPlanMeasuresNothing) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    wisdom first(file, "cpu", "1.0");
    tuning_bench learning(&first);
    const transpose_impl::plan_state measured = learning.plan(tuning::measure);
    EXPECT_EQ(learning.searches, 1);
    EXPECT_EQ(learning.plan(tuning::measure).overwrites.strip, 64);
    EXPECT_EQ(learning.searches, 1);

    wisdom second(file, "cpu", "1.0"); // stands for another process
    tuning_bench knowing(&second);
    for (const tuning level : {tuning::estimate, tuning::measure}) {
        const transpose_impl::plan_state plan = knowing.plan(level);
        EXPECT_TRUE(plan.overwrites == measured.overwrites);
        EXPECT_TRUE(says(plan, "\ntuning   measure: strip 64 (2.00 x the estimate, "))
            << explain(plan);
        EXPECT_TRUE(says(plan, ", from wisdom " + file + "\n")) << explain(plan);
    }
    EXPECT_EQ(knowing.searches, 0);
    knowing.plan(tuning::measure, /*accumulates=*/true);
    EXPECT_EQ(knowing.searches, 1) << "another problem";
}

TEST(TuneWithWisdom, AStandingEstimateIsRemembered) {
    const temporary_folder folder;
    wisdom known(folder.file("wisdom"), "cpu", "1.0");
    tuning_bench at(&known);
    at.cost = [](const schedule &) { return 1e-3; };
    at.plan(tuning::measure);
    const transpose_impl::plan_state plan = at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 1);
    EXPECT_TRUE(says(plan, "tuning   measure: the estimate (")) << explain(plan);
    EXPECT_TRUE(says(plan, "from wisdom")) << explain(plan);
}

TEST(TuneWithWisdom, PatienceAsksForMore) {
    const temporary_folder folder;
    wisdom known(folder.file("wisdom"), "cpu", "1.0");
    tuning_bench at(&known);
    at.plan(tuning::measure);
    const transpose_impl::plan_state plan = at.plan(tuning::patient);
    EXPECT_EQ(at.searches, 2);
    EXPECT_TRUE(says(plan, "tuning   patient: ")) << explain(plan);
    at.plan(tuning::patient);
    at.plan(tuning::measure);
    at.plan(tuning::measure, true);
    EXPECT_EQ(at.searches, 2) << "patience covers both schedules and the lower level";
}

TEST(TuneWithWisdom, StaleWisdomIsToldAndReplaced) {
    const temporary_folder folder;
    const std::string file = folder.file("wisdom");
    for (const auto &[cpu, version, reason] :
         {std::tuple("cpu", "0.9", "it is of Tenfold 0.9, this is 1.0"),
          {"other", "1.0", "it is of another processor"}}) {
        wisdom stale(file, cpu, version);
        tuning_bench(&stale).plan(tuning::measure);
        wisdom known(file, "cpu", "1.0");
        tuning_bench at(&known);
        const transpose_impl::plan_state estimated = at.plan(tuning::estimate);
        EXPECT_TRUE(says(estimated,
                         "\ntuning   estimate\nwisdom   ignored: " + file + ": " + reason + "\n"))
            << explain(estimated);
        EXPECT_NE(estimated.overwrites.strip, 64);
        at.plan(tuning::measure);
        EXPECT_EQ(at.searches, 1);
        wisdom again(file, "cpu", "1.0");
        tuning_bench later(&again);
        EXPECT_FALSE(says(later.plan(tuning::measure), "ignored"));
        EXPECT_EQ(later.searches, 0);
    }
}

TEST(TuneWithWisdom, FilesThatCannotBeWrittenAreTold) {
    const temporary_folder folder;
    const std::string file = folder.file("missing/wisdom");
    wisdom known(file, "cpu", "1.0");
    tuning_bench at(&known);
    const transpose_impl::plan_state plan = at.plan(tuning::measure);
    EXPECT_EQ(plan.overwrites.strip, 64);
    EXPECT_TRUE(says(plan, "\nwisdom   not saved: " + file + ": No such file or directory\n"))
        << explain(plan);
    at.plan(tuning::measure);
    EXPECT_EQ(at.searches, 1) << "this process knows all the same";
}

TEST(TuneWithWisdom, ThreadsMeasureOnce) {
    const temporary_folder folder;
    wisdom known(folder.file("wisdom"), "cpu", "1.0");
    tuning_bench at(&known);
    std::vector<std::thread> threads;
    std::atomic<int> tuned = 0;
    for (int k = 0; k < 8; ++k)
        threads.emplace_back([&] { tuned += at.plan(tuning::measure).overwrites.strip == 64; });
    for (std::thread &one : threads)
        one.join();
    EXPECT_EQ(at.searches, 1);
    EXPECT_EQ(tuned, 8);
}

TEST(TuneWithWisdom, ContextsNameTheFile) {
    const temporary_folder folder;
    settings chosen;
    chosen.wisdom = folder.file("wisdom");
    const context ctx(chosen);
    const auto text = [&](tuning level) {
        return transpose_plan(permutation, f32, layout({40, 30, 50}), f32, layout({50, 30, 40}),
                              false, {.tuning = level, .ctx = &ctx})
            .explain();
    };
    EXPECT_EQ(text(tuning::estimate).find("wisdom"), std::string::npos);
    std::string measured;
    do // as in Tune.PlansAreReallyMeasured
        measured = text(tuning::measure);
    while (measured.find("too long for a search") != std::string::npos);
    EXPECT_NE(measured.find("\ntuning   measure: "), std::string::npos) << measured;
    EXPECT_TRUE(std::filesystem::exists(chosen.wisdom));
    EXPECT_NE(text(tuning::estimate).find("from wisdom " + chosen.wisdom), std::string::npos);
}

} // namespace
} // namespace tenfold

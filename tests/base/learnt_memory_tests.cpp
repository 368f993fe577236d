// Tests what contexts learn of the memory from executions, and that later ones know it.
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/learnt_memory.hpp"
#include "base/machine.hpp"
#include "base/rate_probe.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold {
namespace {

const base::machine_rates typical = base::machine_rates::typical_of(isa::avx2, 8);

TEST(LearntMemory, the_fastest_copy_replaces_typical_rates) {
    base::learnt_memory learner;
    learner.begin(typical, 8, {});
    EXPECT_TRUE(learner.learns());
    EXPECT_EQ(learner.rates(), typical);
    const base::machine_rates &before = learner.rates();

    learner.saw(1, typical.memory_bandwidth / 4, 1.0); // slower than typical
    EXPECT_EQ(before, typical) << "what plans hold must not change";
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth, typical.memory_bandwidth / 4);
    EXPECT_DOUBLE_EQ(learner.rates().read_bandwidth, typical.read_bandwidth / 4);
    EXPECT_DOUBLE_EQ(learner.rates().update_bandwidth, typical.update_bandwidth / 4);
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth_all, typical.memory_bandwidth_all / 4);
    EXPECT_EQ(learner.rates().fma_flops_f64, typical.fma_flops_f64);

    learner.saw(1, typical.memory_bandwidth / 8, 1.0);
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth, typical.memory_bandwidth / 4);
    learner.saw(1, typical.memory_bandwidth / 2, 1.0);
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth, typical.memory_bandwidth / 2);

    learner.saw(8, 3 * typical.memory_bandwidth_all, 1.0);
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth, typical.memory_bandwidth / 2);
    EXPECT_DOUBLE_EQ(learner.rates().read_bandwidth_all, 3 * typical.read_bandwidth_all);
}

TEST(LearntMemory, what_an_emulator_took_says_nothing) {
    base::learnt_memory learner;
    learner.begin(typical, 8, {.one = {.fastest = typical.memory_bandwidth / 20}, .all = {}});
    EXPECT_EQ(learner.rates(), typical) << "what was kept of a run under valgrind";
    learner.saw(1, typical.memory_bandwidth / 10, 1.0);
    EXPECT_EQ(learner.rates(), typical);
    const bool caches_help = true;
    learner.saw(1, typical.memory_bandwidth / 9, 1.0, caches_help);
    EXPECT_EQ(learner.rates(), typical);
    learner.saw(1, typical.memory_bandwidth / 7, 1.0);
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth, typical.memory_bandwidth / 7);
}

TEST(LearntMemory, little_differences_and_short_executions_change_nothing) {
    base::learnt_memory learner;
    const base::seen_copies before = {.one = {.fastest = 10e9}, .all = {}};
    learner.begin(typical, 8, before);
    learner.saw(1, 10e9 * 9e-3, 4e-3);
    learner.saw(1, 10.5e9, 1.0);
    learner.saw(3, 99e9, 1.0); // neither one nor all
    EXPECT_FALSE(learner.has_learnt());
    EXPECT_EQ(learner.seen(), before);
    learner.saw(1, 10e9 * 11e-3, 5e-3);
    EXPECT_TRUE(learner.has_learnt());
    EXPECT_DOUBLE_EQ(learner.rates().memory_bandwidth, 22e9);
}

TEST(LearntMemory, short_copies_that_were_disturbed_teach_nothing) {
    base::learnt_memory learner;
    learner.begin(typical, 8, {});
    for (const bool caches_help : {false, true})
        learner.saw(1, typical.memory_bandwidth * 5e-3, 20e-3, caches_help);
    EXPECT_EQ(learner.rates(), typical);
}

TEST(LearntMemory, copies_that_caches_help_only_make_the_memory_slower) {
    base::learnt_memory learner;
    learner.begin(typical, 8, {});
    const bool caches_help = true;
    learner.saw(1, typical.memory_bandwidth * 2, 1.0, caches_help);
    EXPECT_EQ(learner.rates(), typical);

    base::learnt_memory slow;
    slow.begin(typical, 8, {});
    slow.saw(1, typical.memory_bandwidth / 4, 1.0, caches_help);
    slow.saw(1, typical.memory_bandwidth / 2, 1.0, caches_help);
    EXPECT_DOUBLE_EQ(slow.rates().memory_bandwidth, typical.memory_bandwidth / 2);
    EXPECT_DOUBLE_EQ(slow.rates().memory_bandwidth_all, typical.memory_bandwidth_all / 2);

    slow.saw(1, typical.memory_bandwidth / 3, 1.0); // what moves far more is told first
    EXPECT_DOUBLE_EQ(slow.rates().memory_bandwidth, typical.memory_bandwidth / 3);
    slow.saw(8, typical.memory_bandwidth_all / 5, 1.0, caches_help);
    EXPECT_DOUBLE_EQ(slow.rates().memory_bandwidth, typical.memory_bandwidth / 3);
    EXPECT_DOUBLE_EQ(slow.rates().memory_bandwidth_all, typical.memory_bandwidth_all / 5);
}

TEST(LearntMemory, many_threads_may_learn_and_read) {
    base::learnt_memory learner;
    learner.begin(typical, 8, {});
    std::vector<std::thread> threads;
    for (int i = 1; i <= 4; ++i)
        threads.emplace_back([&, i] {
            for (int k = 1; k < 1000; ++k) {
                learner.saw(1, i * k * 1e7, 1.0);
                EXPECT_GT(learner.rates().memory_bandwidth, 0);
            }
        });
    for (std::thread &one : threads)
        one.join();
    EXPECT_GE(learner.seen().one.fastest, 1e7); // which ones of them came first is not known
}

class KeptCopies : public ::testing::Test {
protected:
    testing::temporary_folder folder_;
    const std::string file_ = folder_.file("rates");
    const base::calibration_key of_two_ = {"one", isa::avx2, 2, "1"};

    base::calibration_key with(int threads) const {
        base::calibration_key key = of_two_;
        key.threads = threads;
        return key;
    }
};

TEST_F(KeptCopies, are_read_back_by_processor_and_threads) {
    using copies = base::seen_copies;
    EXPECT_EQ(base::read_copies(file_, of_two_), copies{});
    base::keep_copies(file_, of_two_, {{10e9, 0}, {15e9, 0}});
    EXPECT_EQ(base::read_copies(file_, of_two_), (copies{{10e9, 0}, {15e9, 0}}));
    EXPECT_EQ(base::read_copies(file_, with(4)), (copies{{10e9, 0}, {}}));
    base::calibration_key other = of_two_;
    other.cpu = "another";
    EXPECT_EQ(base::read_copies(file_, other), copies{});

    base::keep_copies(file_, with(4), {{9e9, 12e9}, {0, 40e9}}); // the faster ones stay
    EXPECT_EQ(base::read_copies(file_, with(4)), (copies{{10e9, 12e9}, {0, 40e9}}));
    EXPECT_EQ(base::read_copies(file_, of_two_), (copies{{10e9, 12e9}, {15e9, 0}}));
}

TEST_F(KeptCopies, stand_beside_calibrations) {
    const base::seen_copies seen = {{10e9, 0}, {15e9, 20e9}};
    base::keep_copies(file_, of_two_, seen);
    ASSERT_EQ(base::save_calibration(file_, of_two_, typical), "");
    EXPECT_EQ(base::read_copies(file_, of_two_), seen);
    EXPECT_TRUE(base::read_calibration(file_, of_two_).rates);
}

TEST_F(KeptCopies, leave_other_files_and_refuse_impossible_values) {
    testing::write_into(file_, "text");
    base::keep_copies(file_, of_two_, {{10e9, 0}, {15e9, 0}});
    EXPECT_EQ(testing::text_in(file_), "text");
    testing::write_into(file_, R"({"tenfold": "1", "calibrations": [], "copies": [
                   {"cpu": "one", "isa": "avx2", "threads": 1, "bandwidth": 1e40, "at_most": -1},
                   {"cpu": "one", "isa": "avx2", "threads": 2, "bandwidth": "fast"}, 7]})");
    EXPECT_EQ(base::read_copies(file_, of_two_), base::seen_copies{});
}

TEST_F(KeptCopies, correct_the_rates_of_later_contexts) {
    // Rates are measured where there is a probe, even one that changes none.
    const base::rate_probe before =
        base::known_rate_probe.exchange([](const base::machine &, isa, base::machine_rates &) {});
    settings chosen;
    chosen.threads = 2;
    chosen.calibration = file_;
    double copy = 0;
    {
        const context first(chosen);
        copy = base::rates_of(first).memory_bandwidth / 2;
        const auto learner = base::learner_of(first);
        ASSERT_NE(learner, nullptr);
        learner->saw(1, copy, 1.0);
        EXPECT_DOUBLE_EQ(base::rates_of(first).memory_bandwidth, copy);
    }
    const context later(chosen);
    EXPECT_DOUBLE_EQ(base::rates_of(later).memory_bandwidth, copy);
    EXPECT_NE(later.rates_reason().find("the memory's learnt from copies"), std::string::npos)
        << later.rates_reason();

    settings reproducible = chosen;
    reproducible.reproducible = true;
    EXPECT_EQ(base::learner_of(context(reproducible)), nullptr);
    settings off = chosen;
    off.calibration = "off";
    EXPECT_EQ(base::learner_of(context(off)), nullptr);
    base::known_rate_probe = before;
}

} // namespace
} // namespace tenfold

// Tests what contexts do with rates that they probe. The probe itself is tested with the kernels
// that it times.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/context.hpp>
#include <tenfold/version.hpp>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "base/kept_file.hpp"
#include "base/machine.hpp"
#include "base/rate_probe.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold {
namespace {

std::atomic<int> probes = 0;
double probed_call = 42e-9;
double probed_fma = 50e9;

void fake_probe(const base::machine &, isa, base::machine_rates &rates) {
    ++probes;
    rates.call = probed_call;
    rates.fma_flops_f64 = probed_fma;
    rates.cache_bandwidth = std::numeric_limits<double>::quiet_NaN(); // is no rate
    rates.fork = 1e-3;                                                // is not probed
}

double probed_copy = 0;
double fake_copies(isa) { return probed_copy; }

class RateProbe : public ::testing::Test {
protected:
    RateProbe()
        : before_(base::known_rate_probe.exchange(fake_probe)),
          copies_before_(base::known_copy_probe.exchange(fake_copies)) {
        probes = 0;
        probed_copy = 0;
        probed_call = 42e-9;
        probed_fma = 50e9;
    }
    ~RateProbe() override {
        base::known_rate_probe = before_;
        base::known_copy_probe = copies_before_;
    }

    /// Settings that keep rates in this file.
    static settings with(const std::string &file) {
        settings chosen;
        chosen.threads = 1;
        chosen.calibration = file;
        return chosen;
    }

    /// Makes the file's probe ten seconds older.
    void wait() const {
        std::string text = testing::text_in(file_);
        const std::size_t at = text.find(R"("last": )");
        ASSERT_NE(at, std::string::npos) << text;
        const std::size_t begin = at + 8;
        const std::size_t length = text.find_first_not_of("0123456789", begin) - begin;
        const long long last = std::stoll(text.substr(begin, length));
        testing::write_into(file_, text.replace(begin, length, std::to_string(last - 10)));
    }

    testing::temporary_folder folder_;
    const std::string file_ = folder_.file("rates");
    const base::machine_rates typical_ = base::machine_rates::typical_of(
        base::machine::detect().best_isa(), base::machine::detect().cores);

private:
    base::rate_probe before_;
    base::copy_probe copies_before_;
};

TEST_F(RateProbe, serves_contexts_without_a_calibration) {
    const context ctx(with(file_));
    const base::machine_rates &rates = base::rates_of(ctx);
    EXPECT_EQ(rates.call, 42e-9);
    EXPECT_EQ(rates.fork, typical_.fork);
    EXPECT_EQ(rates.cache_bandwidth, typical_.cache_bandwidth);
    EXPECT_EQ(ctx.rates_reason(), "probed, others typical of " + std::string(name(ctx.isa())) +
                                      ", calibration " + file_ + ": there is none");
    EXPECT_EQ(probes, 1);
}

TEST_F(RateProbe, is_kept_for_later_processes) {
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 42e-9);
    probed_call = 43e-9;
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 42e-9);
    EXPECT_EQ(probes, 1);
}

TEST_F(RateProbe, counts_if_it_is_the_fastest_of_five) {
    const double fma[] = {50e9, 40e9, 70e9, 60e9, 65e9, 90e9, 95e9};
    const double fastest[] = {50e9, 50e9, 70e9, 70e9, 70e9, 70e9, 70e9};
    for (std::size_t i = 0; i < std::size(fma); ++i) {
        if (i > 0)
            wait();
        probed_fma = fma[i];
        const context ctx(with(file_));
        EXPECT_EQ(base::rates_of(ctx).fma_flops_f64, fastest[i]) << i;
        EXPECT_TRUE(ctx.rates_reason().starts_with("probed, ")) << ctx.rates_reason();
    }
    EXPECT_EQ(probes, 5);
}

TEST_F(RateProbe, says_what_the_memory_has_at_most) {
    const double typical = typical_.memory_bandwidth;
    const double copies[] = {0.4, 0.6, 0.5, 0.3, 3};
    const double fastest[] = {0.4, 0.6, 0.6, 0.6, 1};
    for (std::size_t i = 0; i < std::size(copies); ++i) {
        if (i > 0)
            wait();
        probed_copy = copies[i] * typical;
        const context ctx(with(file_));
        EXPECT_DOUBLE_EQ(base::rates_of(ctx).memory_bandwidth, fastest[i] * typical) << i;
        EXPECT_DOUBLE_EQ(base::rates_of(ctx).read_bandwidth, fastest[i] * typical_.read_bandwidth);
        EXPECT_NE(ctx.rates_reason().find("the memory's learnt from copies"), std::string::npos)
            << ctx.rates_reason();
    }
    probed_copy = 0.2 * typical; // is not measured any more
    EXPECT_DOUBLE_EQ(base::rates_of(context(with(file_))).memory_bandwidth, typical);
    // Without a file, too.
    EXPECT_DOUBLE_EQ(base::rates_of(context(with(folder_.file("none/rates")))).memory_bandwidth,
                     0.2 * typical);
}

TEST_F(RateProbe, yields_to_a_calibration_and_stays_beside_it) {
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 42e-9);
    const base::machine machine = base::machine::detect();
    base::machine_rates measured = typical_;
    measured.call = 44e-9;
    base::calibration_key key = {machine.identity(), machine.best_isa(), 1, version()};
    key.cpu = "another";
    ASSERT_EQ(base::save_calibration(file_, key, measured), "");
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 42e-9);
    key.cpu = machine.identity();
    ASSERT_EQ(base::save_calibration(file_, key, measured), "");
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 44e-9);
    EXPECT_EQ(probes, 1);
}

TEST_F(RateProbe, is_off_where_nothing_is_to_be_measured) {
    const context off(with("off"));
    EXPECT_EQ(base::rates_of(off).call, typical_.call);
    settings reproducible = with(file_);
    reproducible.reproducible = true;
    const context same_everywhere(reproducible);
    EXPECT_EQ(base::rates_of(same_everywhere).call, typical_.call);
    EXPECT_TRUE(same_everywhere.rates_reason().starts_with("typical of "));
    EXPECT_EQ(probes, 0);
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(RateProbe, leaves_files_that_are_not_its_own) {
    for (const char *text : {"{", "{\"tenfold\": 1}", "text"}) {
        testing::write_into(file_, text);
        const context ctx(with(file_));
        EXPECT_EQ(base::rates_of(ctx).call, 42e-9);
        EXPECT_TRUE(ctx.rates_reason().starts_with("probed by this process, others"))
            << ctx.rates_reason();
        EXPECT_EQ(testing::text_in(file_), text);
    }
}

TEST_F(RateProbe, needs_no_file) {
    const context ctx(with(folder_.file("missing/folder/rates")));
    EXPECT_EQ(base::rates_of(ctx).call, 42e-9);
    EXPECT_TRUE(ctx.rates_reason().starts_with("probed by this process, others"))
        << ctx.rates_reason();
}

TEST_F(RateProbe, is_taken_again_where_the_kept_one_is_damaged) {
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 42e-9);
    std::string text = testing::text_in(file_);
    const auto at = text.find("4.2e-08");
    ASSERT_NE(at, std::string::npos) << text;
    testing::write_into(file_, text.replace(at, 7, "4.2e+08"));
    probed_call = 45e-9;
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 45e-9);
    EXPECT_EQ(base::rates_of(context(with(file_))).call, 45e-9);
    EXPECT_EQ(probes, 2);
}

TEST_F(RateProbe, is_taken_once_by_contexts_that_come_together) {
    base::kept_file_lock::patience = std::chrono::minutes(1);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            const context ctx(with(file_));
            EXPECT_EQ(base::rates_of(ctx).call, 42e-9);
        });
    for (std::thread &one : threads)
        one.join();
    EXPECT_EQ(probes, 1);
}

} // namespace
} // namespace tenfold

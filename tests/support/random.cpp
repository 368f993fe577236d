#include "support/random.hpp"
#include "support/thrown_cases.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <gtest/gtest.h>

namespace tenfold::testing {

namespace {

/// rerun_line() of the running test's last case, if any.
std::string last_case;

class thrown_case_printer : public ::testing::EmptyTestEventListener {
public:
    explicit thrown_case_printer(std::string who) : who_(std::move(who)) {}
    void OnTestStart(const ::testing::TestInfo &) override { last_case.clear(); }
    void OnTestPartResult(const ::testing::TestPartResult &result) override {
        const bool was_thrown = result.failed() && result.file_name() == nullptr;
        if (was_thrown && !last_case.empty())
            std::printf("%sthrown in this case, or after it: %s\n", who_.c_str(),
                        last_case.c_str());
    }

private:
    std::string who_;
};

} // namespace

std::uint64_t seed() {
    static const std::uint64_t value = [] {
        if (const char *text = std::getenv("TENFOLD_TEST_SEED"))
            return static_cast<std::uint64_t>(std::strtoull(text, nullptr, 10));
        const auto now = std::chrono::system_clock::now().time_since_epoch().count();
        return static_cast<std::uint64_t>(now) % 1'000'000'007U;
    }();
    return value;
}

std::vector<int> cases(int count) {
    if (const char *text = std::getenv("TENFOLD_TEST_CASE"))
        return {std::atoi(text)};
    if (const char *text = std::getenv("TENFOLD_TEST_CASES"))
        count = std::clamp(std::atoi(text), 1, count);
    std::vector<int> all(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        all[static_cast<std::size_t>(i)] = i;
    return all;
}

std::vector<int> random_cases(int usually) {
    const char *const wanted = std::getenv("TENFOLD_TEST_RANDOM");
    return cases(wanted == nullptr ? usually : std::atoi(wanted));
}

bool runs(int test_case) {
    const char *text = std::getenv("TENFOLD_TEST_CASE");
    return text == nullptr || std::atoi(text) == test_case;
}

bool runs(int test_case, int all) {
    if (std::getenv("TENFOLD_TEST_CASE") != nullptr)
        return runs(test_case);
    const auto some = static_cast<int>(cases(all).size());
    const int every = (all + some - 1) / some;
    return test_case % every == 0;
}

std::string rerun_line(int test_case) {
    std::string line = "rerun: TENFOLD_TEST_SEED=" + std::to_string(seed()) +
                       " TENFOLD_TEST_CASE=" + std::to_string(test_case);
    line += " " + ::testing::internal::GetArgvs().front();
    if (const auto *running = ::testing::UnitTest::GetInstance()->current_test_info())
        line +=
            std::string(" --gtest_filter=") + running->test_suite_name() + "." + running->name();
    last_case = line;
    return line;
}

void tell_cases_that_throw(const std::string &who) {
    ::testing::UnitTest::GetInstance()->listeners().Append(new thrown_case_printer(who));
}

random_source::random_source(std::uint64_t seed, int test_case) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(test_case)};
    engine_.seed(sequence);
}

std::int64_t random_source::integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
}

double random_source::real() { return std::uniform_real_distribution<double>(0, 1)(engine_); }

} // namespace tenfold::testing

// Random tests that can be repeated.
//
// Every program draws its seed once (TENFOLD_TEST_SEED, or the clock). Case i of a test has a
// generator of its own, so that one failing case can be rerun alone:
//     TENFOLD_TEST_SEED=42 TENFOLD_TEST_CASE=1017 test_contract --gtest_filter=Random.*
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenfold::testing {

/// The program's seed.
std::uint64_t seed();

/// Returns the cases to run: `count` of them, at most TENFOLD_TEST_CASES if that is set, or only
/// the one that TENFOLD_TEST_CASE names.
std::vector<int> cases(int count);
/// The same for tests whose long leg sets TENFOLD_TEST_RANDOM: so many cases, or `usually`.
std::vector<int> random_cases(int usually);
/// The same for tests that enumerate: false if TENFOLD_TEST_CASE names another case.
bool runs(int test_case);
/// Also false for some of `all` cases if TENFOLD_TEST_CASES allows fewer; those that run are spread
/// evenly.
bool runs(int test_case, int all);

/// Returns "rerun: TENFOLD_TEST_SEED=.. TENFOLD_TEST_CASE=.. <program> --gtest_filter=<running
/// test>", for SCOPED_TRACE.
std::string rerun_line(int test_case);

/// The generator of one case, which does not depend on the cases that ran before.
class random_source {
public:
    explicit random_source(int test_case) : random_source(seed(), test_case) {}
    /// Uses another seed than the program's: the same numbers in every run.
    random_source(std::uint64_t seed, int test_case);

    /// Uniform in [low, high].
    std::int64_t integer(std::int64_t low, std::int64_t high);
    /// Uniform in [0, 1).
    double real();
    bool chance(double probability) { return real() < probability; }
    template <class T> const T &pick(const std::vector<T> &from) {
        return from[static_cast<std::size_t>(
            integer(0, static_cast<std::int64_t>(from.size()) - 1))];
    }
    template <class T> void shuffle(std::vector<T> &items) {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(
                items[i - 1],
                items[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(i) - 1))]);
    }

private:
    std::mt19937_64 engine_;
};

} // namespace tenfold::testing

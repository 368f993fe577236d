// Compares the bits of results with those in a file: a change that only moves code changes none of
// them.
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "recorded/recording.hpp"
#include "recorded/results.hpp"

namespace tenfold::testing {
namespace {

const std::map<std::string, std::function<lines(const recorded_row &)>> suites{
    {"contract", contract_results},
    {"network", network_results},
    {"gemm", gemm_results},
    {"batch", batch_results},
    {"transpose", transpose_results}};

/// Answers "contract avx2 x2 100": suite, instruction set, threads, cases of each type.
lines answer(const std::string &question) {
    std::istringstream in(question);
    std::string suite, set, threads;
    int cases = 0;
    in >> suite >> set >> threads >> cases;
    const context *ctx = recorded_context(parse_isa(set).value(), std::stoi(threads.substr(1)));
    if (cases < 1)
        throw std::invalid_argument("how many cases? " + question);
    if (ctx == nullptr)
        return {};
    return suites.at(suite)({*ctx, cases, suite + " " + set + " " + threads});
}

TEST(RecordedResults, AreTheSameBits) {
    const std::string file = TENFOLD_RECORDED "/results.txt";
    if (const std::string reason = reason_not_to_compare(file); !reason.empty())
        GTEST_SKIP() << reason;
    expect_pinned(file, answer);
}

} // namespace
} // namespace tenfold::testing

// Compares plans for a fictitious machine with those in a file: a change that only moves code
// changes no plan.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gemm/kernels/registry.hpp"
#include "recorded/plans.hpp"
#include "recorded/recording.hpp"
#include "support/described_machines.hpp"

namespace tenfold::testing {
namespace {

const std::string file = TENFOLD_RECORDED "/plans.txt";

/// Returns all lines of the file.
const std::set<std::string> &recorded_lines() {
    static const std::set<std::string> all = [] {
        std::set<std::string> found;
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);)
            found.insert(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
        return found;
    }();
    return all;
}

int number(const std::string &text) { return std::stoi(text.substr(1)); } // "x8"

/// Answers "tccg x1 f64" (list, threads, type); "random x256", "tiny x48", "networks x32"; "dist
/// x16" and the like (ranks).
lines answer(const std::string &question) {
    const context &ctx = described_context("wide");
    if (gemm_impl::select(data_type::f64, ctx.isa())->variant.isa != ctx.isa())
        return {};
    std::istringstream in(question);
    std::string suite, times, type_name;
    in >> suite >> times >> type_name;
    const int count = number(times);
    plan_lines out(question);
    if (suite == "random" || suite == "tiny")
        plan_random_contractions(count, suite == "tiny", out);
    else if (suite == "networks")
        plan_networks(count, out);
    else if (suite == "dist") {
        plan_distributed("dist", count, out);
        plan_random_distributed(64, count, out);
        plan_sequences(4, count, out);
    } else {
        const data_type type = parse_data_type(type_name).value();
        if (suite == "ttc")
            plan_transpositions(suite, type, count, out);
        else if (suite == "gemm" || suite == "small")
            plan_products(suite, type, count, out);
        else
            plan_contractions(suite, type, count, out);
    }
    return out.all();
}

TEST(RecordedPlans, AreTheSame) { expect_pinned(file, answer); }

} // namespace

void plan_lines::add(const std::string &title, const std::string &text) {
    bits_hash hash;
    hash.add(text);
    lines_.push_back(title + " " + hash.text());
    if (std::getenv("TENFOLD_TEST_EACH") != nullptr || !recorded_lines().contains(lines_.back()))
        std::printf("%s: %s\n%s\n", question_.c_str(), lines_.back().c_str(), text.c_str());
}

} // namespace tenfold::testing

// Compares the planner's choices and prices for fictitious machines with a table. Faults of the
// cost model and of the search make plans slower, which no other test detects.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "gemm/kernels/registry.hpp"
#include "support/described_machines.hpp"
#include "support/pinned.hpp"

namespace tenfold::testing {
namespace {

using extent_map = std::map<std::string, index_t>;

/// Reads "a=48,b=36".
extent_map read_extents(const std::string &text) {
    extent_map extents;
    std::istringstream in(text);
    for (std::string one; std::getline(in, one, ',');) {
        const auto equals = one.find('=');
        extents[one.substr(0, equals)] = std::stoll(one.substr(equals + 1));
    }
    return extents;
}

/// A row's question. Options follow the extents: "row-major", "reproducible", "limit=<KiB>",
/// "algorithm=<name>".
struct question {
    std::string machine;
    int threads = 1;
    data_type type = data_type::f64;
    contraction_spec spec;
    extent_map extents;
    bool row_major = false;
    contract_options options;

    explicit question(const std::string &text) {
        std::istringstream in(text);
        std::string times, of_type, expression, all_extents;
        in >> machine >> times >> of_type >> expression >> all_extents;
        options.threads = std::stoi(times.substr(1)); // "x8"
        options.ctx = &described_context(machine);
        type = parse_data_type(of_type).value();
        spec = parse(expression);
        extents = read_extents(all_extents);
        for (std::string option; in >> option;)
            if (option == "row-major")
                row_major = true;
            else if (option == "reproducible")
                options.reproducible = true;
            else if (option.starts_with("limit="))
                options.workspace_limit = kib(std::stoll(option.substr(6)));
            else if (option.starts_with("algorithm="))
                options.algorithm = parse_algorithm(option.substr(10)).value();
            else
                throw std::invalid_argument("there is no option '" + option + "'");
    }

    layout layout_of(const std::vector<label_t> &labels) const {
        extents_t result;
        for (const label_t label : labels)
            result.push_back(extents.at(spec.label_names[static_cast<std::size_t>(label)]));
        return row_major ? layout::row_major(result) : layout(result);
    }

    contraction_plan plan() const {
        const bool widened = type == data_type::bf16 || type == data_type::f16;
        std::vector<input> inputs;
        for (const auto &labels : spec.inputs)
            inputs.emplace_back(type, nullptr, layout_of(labels));
        const data_type type_d = widened ? data_type::f32 : type;
        const output d(type_d, nullptr, layout_of(spec.output));
        return make_plan(spec, inputs, d, d, options);
    }
};

bool has_kernels_of(const context &ctx) {
    return gemm_impl::select(data_type::f64, ctx.isa())->variant.isa == ctx.isa();
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%#.3g", value);
    return text;
}

lines answer(const std::string &text) {
    const question asked(text);
    if (!has_kernels_of(*asked.options.ctx))
        return {};
    const plan_summary summary = asked.plan().summary();
    lines result{"chosen: " + std::string(name(summary.algorithm)) + ", " +
                 number(summary.seconds * 1e6) + " us, " + std::to_string(summary.threads) +
                 (summary.threads == 1 ? " thread" : " threads")};
    for (const candidate_summary &one : summary.candidates)
        if (one.possible && one.algorithm != algorithm::reference)
            result.push_back(std::string(name(one.algorithm)) + ' ' +
                             number(one.seconds / summary.seconds) + " : " + one.description +
                             (one.workspace.value > 0
                                  ? "; " + std::to_string(one.workspace.value) + " bytes"
                                  : ""));
    for (const step_summary &one : summary.steps)
        result.push_back("step " + one.expression + ", " + std::string(name(one.algorithm)) + ' ' +
                         number(one.seconds / summary.seconds));
    return result;
}

TEST(PinnedPlans, AreAsInTheTable) { expect_pinned(TENFOLD_PINNED_PLANS, answer); }

TEST(PinnedPlans, WordsAgreeToTheLetterAndMeasuresNearly) {
    EXPECT_TRUE(agree("ttgt 1.30 : move A to abc", "ttgt 1.31 : move A to abc"));
    EXPECT_FALSE(agree("ttgt 1.30 : move A to abc", "ttgt 1.32 : move A to abc"));
    EXPECT_FALSE(agree("ttgt 1.30 : move A to abc", "ttgt 1.30 : move A to acb"));
    EXPECT_FALSE(agree("a in 4 of 12", "a in 4 of 13"));
    EXPECT_FALSE(agree("ttgt 1.30", "ttgt 1.30 : move"));
}

} // namespace
} // namespace tenfold::testing

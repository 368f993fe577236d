// Compares schedules of transpositions on fictitious machines with a table.
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "support/described_machines.hpp"
#include "support/pinned.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::testing {
namespace {

using transpose_impl::panel_loop;
using transpose_impl::schedule;

template <class Number> std::vector<Number> read_list(const std::string &text) {
    std::vector<Number> numbers;
    std::istringstream in(text);
    for (std::string one; std::getline(in, one, ',');)
        numbers.push_back(static_cast<Number>(std::stoll(one)));
    return numbers;
}

std::string count(const char *what, index_t n) {
    return std::string(", ") + what + ' ' + std::to_string(n);
}

/// Returns "1" or "1+2", modes of B.
std::string modes(const std::vector<int> &members) {
    std::string text;
    for (const int one : members)
        text += (text.empty() ? "" : "+") + std::to_string(one);
    return text.empty() ? "-" : text;
}

std::string modes(const std::vector<transpose_impl::walked_mode> &all) {
    std::string text;
    for (const auto &one : all)
        text += (text.empty() ? "" : ".") + modes(one.members);
    return text.empty() ? "-" : text;
}

std::string describe(const schedule &s) {
    std::string text = transpose_impl::name(s.how);
    text += ": rows " + modes(s.rows) + count("of", s.row_extent) + count("by", s.row_piece) +
            "; panel " + modes(s.panel) + count("by", s.panel_piece) + "; run " + modes(s.run) +
            count("of", s.run_extent) + count("by", s.run_piece) + count("strip", s.strip) +
            count("ahead", s.ahead) +
            (s.prefetch_level == 1 ? "" : " into L" + std::to_string(s.prefetch_level)) +
            count("skew", s.skew) + count("block", s.block) +
            (s.stream ? ", past the caches" : "") + (s.joins ? ", joins" : "") +
            (s.reads_in_order ? ", reads in order" : "") + "; " + std::to_string(s.threads) +
            (s.threads == 1 ? " thread" : " threads") + "; loops";
    for (const panel_loop &loop : s.loops)
        text += ' ' + modes(loop.mode.members) + (loop.what == panel_loop::over::mode ? "" : "'") +
                " x " + std::to_string(loop.count);
    return text;
}

/// Answers "wide x1 f32 2,1,0 384,355,384": permutation, extents of A. Two types are "f32>f64". The
/// strides of A may follow; otherwise A is dense.
lines answer(const std::string &text) {
    std::istringstream in(text);
    std::string machine, threads, types, order, sizes, strides;
    in >> machine >> threads >> types >> order >> sizes >> strides;
    const context &ctx = described_context(machine);
    const auto arrow = types.find('>');
    const data_type type_a = parse_data_type(types.substr(0, arrow)).value();
    const data_type type_b =
        arrow == std::string::npos ? type_a : parse_data_type(types.substr(arrow + 1)).value();
    const auto permutation = read_list<int>(order);
    const auto extents = read_list<index_t>(sizes);
    extents_t extents_b;
    for (const int from : permutation)
        extents_b.push_back(extents.at(static_cast<std::size_t>(from)));
    const layout a =
        strides.empty() ? layout(extents) : layout(extents, read_list<index_t>(strides));
    transpose_options options;
    options.threads = std::stoi(threads.substr(1));
    options.ctx = &ctx;
    const transpose_impl::plan_state plan({.permutation = permutation,
                                           .type_a = type_a,
                                           .a = a,
                                           .type_b = type_b,
                                           .b = layout(extents_b)},
                                          options, {});
    if (!plan.kernels.name().ends_with(name(ctx.isa())) &&
        plan.overwrites.how != transpose_impl::method::elements)
        return {};
    char seconds[48];
    std::snprintf(seconds, sizeof seconds, ", %#.3g us", plan.seconds * 1e6);
    return {plan.kernels.name() + seconds, "=  " + describe(plan.overwrites),
            "+= " + describe(plan.accumulates)};
}

TEST(PinnedSchedules, AreAsInTheTable) { expect_pinned(TENFOLD_PINNED_SCHEDULES, answer); }

} // namespace
} // namespace tenfold::testing

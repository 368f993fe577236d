// Distributions for tensors that several contractions share. Only values and pure functions,
// without MPI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_plan.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A contraction that shares tensors with others, and how often it is evaluated.
struct shared_expression {
    std::string text;       ///< of one or two inputs, all operands with names
    std::int64_t times = 1; ///< at least 1

    // NOLINTBEGIN(google-explicit-constructor): a text is an expression that is evaluated once
    shared_expression(std::string expression, std::int64_t evaluations = 1)
        : text(std::move(expression)), times(evaluations) {}
    shared_expression(const char *expression, std::int64_t evaluations = 1)
        : text(expression), times(evaluations) {}
    // NOLINTEND(google-explicit-constructor)
};

/// Whether plan_layouts() may keep tensors in copies.
struct copies_allowed {
    bool any = false;
    /// Limit in bytes for the blocks of all tensors on one rank together, if copies are allowed;
    /// empty: none. Where the default distributions exceed it, the limit is what they take.
    std::optional<byte_count> memory_per_rank = std::nullopt;
};

/// How tensors had best be distributed, and what their contractions then take.
struct planned_layouts {
    std::map<std::string, distribution> of; ///< by the tensor's name
    double seconds;                         ///< predicted of all contractions, one after the other
    double default_seconds;                 ///< the same with distribution::block for all tensors
    /// Received per rank by all contractions, redistribution included: the sum of the maxima over
    /// the ranks.
    byte_count received;
    byte_count default_received; ///< the same with distribution::block
    byte_count memory;           ///< per rank: the largest blocks of all tensors together
    byte_count default_memory;   ///< the same with distribution::block
};

/// Finds distributions of tensors that several contractions share, for the least predicted seconds
/// of all contractions together, by the costs by which plans choose grids:
///
///     const auto layouts = plan_layouts({"R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]",
///                                        "R[a,b,i,j] += W[k,l,i,j] * T[a,b,k,l]"},
///                                       {{"V", {60, 60, 60, 60}}, {"W", {12, 12, 12, 12}},
///                                        {"T", {60, 60, 12, 12}}, {"R", {60, 60, 12, 12}}},
///                                       data_type::f64, 16);
///     dist_tensor<double> T(ranks, {60, 60, 12, 12}, layouts.of.at("T"));
///
/// An expression has one or two inputs. One that is evaluated several times says so,
/// {"R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]", 20}, or is given as often. All operands have names, the
/// same name is the same tensor, and `extents` has its extents. `options` hold for all contractions
/// (no forced grid or steps, no memory_per_rank). Starts with distribution::block and improves it
/// step by step: takes for one tensor, or for all tensors of one contraction, what a plan of the
/// contraction prefers, as long as that makes all contractions together cheaper. So the result is
/// never predicted to take longer than the default, but need not be the best of all. If copies are
/// allowed, tries for each input several numbers of copies, with what plans then prefer for the
/// other tensors; what a copy of an output costs is part of the seconds, but not what it takes to
/// fill the tensors at first. If two choices take equally long, the one that needs less memory is
/// taken. Deterministic; uses neither MPI nor clock, but the rates of the context. Plans each
/// contraction some dozens of times; contractions that differ only in names share these plans.
///
/// Throws as make_dist_plan() does, and errc::invalid_argument (no expressions, one that is
/// evaluated less than once, an operand without a name or without extents, a forced grid or steps,
/// a limit of memory).
planned_layouts plan_layouts(const std::vector<shared_expression> &expressions,
                             const std::map<std::string, extents_t> &extents, data_type type,
                             int ranks, const dist_options &options = {},
                             const copies_allowed &copies = {});

} // namespace tenfold

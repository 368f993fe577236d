// The state behind a dist_plan.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include <tenfold/dist_plan.hpp>

#include "base/checked.hpp"
#include "base/internals.hpp"
#include "distributed/plan/labels.hpp"
#include "distributed/plan/layouts.hpp"
#include "distributed/plan/operand_types.hpp"
#include "distributed/plan/planning.hpp"
#include "reproducible/leaves.hpp"

namespace tenfold::dist_impl {

struct plan_state {
    contraction_spec spec;
    data_type type;     ///< of the sums
    tensor_types types; ///< of the operands
    element_words words;
    int ranks;
    dist_options options;
    factor_kinds factors; ///< of alpha and beta, whose values come with each execution
    prices price;
    std::shared_ptr<const labelled_problem> problem;
    reproducible_impl::leaf_grid leaves; ///< for reproducible sums
    /// The distributions of A, B, D as the caller has them; with one input B has order 0.
    std::array<distribution, 3> given;
    layouts where;
    std::array<distribution, 3> pieces; ///< the pieces of `where`
    /// Limit for local contractions: what memory_per_rank leaves them, or the option's value.
    std::optional<byte_count> workspace_limit;
    dist_plan_summary summary;
    double seconds = 0; ///< of the busiest rank: multiplying and receiving, one after the other
    std::uint64_t hash = 0;

    tensor_id operand_at(int which) const noexcept {
        return problem->unary && which == 1 ? D : static_cast<tensor_id>(which);
    }
    bool reproducible() const noexcept { return options.reproducible.value_or(false); }
    /// False if D = beta D: A and B are not read.
    bool multiplies() const noexcept;
    /// Words of a block of D of `elements` in the type of the sums, in which the result is put
    /// together before it is rounded; 0 if D has that type.
    index_t words_to_round(index_t elements) const noexcept {
        return types.rounds_d() ? base::saturated_multiply(elements, words.of_sum()) : 0;
    }
    /// True if the operand is spread as `wanted`, so that its block is used in place.
    bool in_place(tensor_id operand, const distribution &wanted) const;
    bool in_place(tensor_id operand) const { return in_place(operand, pieces[operand]); }
};

/// Bytes per direction that a redistribution has under way at most.
constexpr index_t exchange_window = index_t{64} << 20;

} // namespace tenfold::dist_impl

struct tenfold::dist_plan::state : dist_impl::plan_state {};

// The single-node plans of one rank and the workspace that they need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <tenfold/context.hpp>

#include "distributed/plan/local_products.hpp"
#include "distributed/plan/rank_steps.hpp"
#include "reproducible/isolated_sum.hpp"

namespace tenfold::dist_impl {

/// Returns the options of a plan's local contractions, without a context. `threads` is as the plan
/// was told, or 0.
contract_options local_options(const plan_state &plan);

/// The type of a tree of leaves. Integers, which are exact without one, have none: no such plan is
/// made for them.
template <class T> using leaf_type = std::conditional_t<element_traits<T>::is_integer, float, T>;

/// T: the type of the sums.
template <class T> class local_plans {
public:
    enum class purpose : std::uint8_t { execution, dry_run };
    /// Plans for a rank that takes part. Throws as make_plan() does, including
    /// errc::workspace_too_small.
    local_plans(const plan_state &plan, int rank, const contract_options &options,
                purpose why = purpose::execution);

    /// Returns the largest workspace of the rank's products and sums, which run one after the
    /// other.
    index_t workspace_size() const noexcept { return workspace_size_; }
    tenfold::algorithm algorithm() const noexcept {
        return products ? products->algorithm() : leaves ? algorithm::leaves : algorithm::automatic;
    }

    std::optional<local_products> products;
    /// Used instead of `products` for reproducible results: what is summed, and how.
    std::optional<reproducible_impl::summation> what;
    std::optional<reproducible_impl::leaf_sum<leaf_type<T>>> leaves;

    /// Sums an input over the labels that neither the other input nor D has; at most one of the two
    /// is set.
    struct sum_over_labels {
        std::optional<contraction_plan> plan;
        std::optional<reproducible_impl::isolated_sum<leaf_type<T>>> reproducible;
    };
    sum_over_labels sum_a, sum_b;

private:
    void plan_sum(tensor_id operand, sum_over_labels &sum);
    void plan_products();
    void plan_leaves();
    /// Returns true if every method gives the same bits.
    bool rounds_once() const;
    index_t limit() const noexcept {
        return options_.workspace_limit.value_or(byte_count{INT64_MAX}).value;
    }
    void needs(index_t size) noexcept { workspace_size_ = std::max(workspace_size_, size); }

    const plan_state &plan_;
    int rank_;
    rank_steps steps_;
    contract_options options_;
    index_t workspace_size_ = 0;
};

/// The peak memory of a rank and the part of it that is workspace of local contractions: the
/// maximum over all ranks, in bytes.
struct peak_memory {
    index_t bytes;
    index_t workspace;
};

/// Returns the peak of a plan whose layouts are chosen. Makes the local plans of all ranks whose
/// blocks differ in shape; throws as make_plan() does.
peak_memory peak_of(const plan_state &plan, const context *ctx);

} // namespace tenfold::dist_impl

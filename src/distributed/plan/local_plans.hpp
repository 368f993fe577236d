// The single-node plans of one rank, and with them the workspace that it needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <tenfold/context.hpp>

#include "distributed/plan/isolated_sum.hpp"
#include "distributed/plan/leaf_products.hpp"
#include "distributed/plan/local_products.hpp"
#include "distributed/plan/rank_steps.hpp"

namespace tenfold::dist_impl {

/// Of a plan's local contractions, but for the context; threads as the plan was told, 0: nothing.
contract_options local_options(const plan_state &plan);

template <class T> class local_plans {
public:
    enum class purpose : std::uint8_t { execution, dry_run };
    /// Of a rank that takes part. Throws as make_plan() does, errc::workspace_too_small among it.
    local_plans(const plan_state &plan, int rank, const contract_options &options,
                purpose why = purpose::execution);

    /// What products and sums of the rank take at most, one after the other.
    index_t workspace_size() const noexcept { return workspace_size_; }
    tenfold::algorithm algorithm() const noexcept {
        return products ? products->algorithm() : algorithm::automatic;
    }

    std::optional<local_products<T>> products;
    std::optional<leaf_products<T>> leaves; ///< instead, of reproducible results

    /// Of an input, over labels that neither the other one nor D has; at most one of the two.
    struct sum_over_labels {
        std::optional<contraction_plan> plan;
        std::optional<isolated_sum<T>> reproducible;
    };
    sum_over_labels sum_a, sum_b;

private:
    void plan_sum(tensor_id operand, sum_over_labels &sum);
    void plan_products();
    void plan_leaves();
    /// True if the rank computes every element with one rounding at most, so that its bits are the
    /// same however that is done.
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

/// Bytes of a rank at its busiest, the largest of all ranks, and what local contractions take of
/// them, likewise.
struct peak_memory {
    index_t bytes;
    index_t workspace;
};

/// Of a plan whose layouts are chosen. Makes the local plans of all ranks whose blocks differ in
/// shape; throws as make_plan() does.
peak_memory peak_of(const plan_state &plan, const context *ctx);

} // namespace tenfold::dist_impl

// Sums over isolated labels in reproducible contractions.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/workspace.hpp"
#include "distributed/plan/matrix_product.hpp"
#include "distributed/plan/placement.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// The sum over the labels of one input that neither the other input nor D has.
template <class T> class isolated_sum {
public:
    /// Of `piece`, whose modes are the operand's distinct labels.
    isolated_sum(const plan_state &plan, tensor_id operand, slice piece, int threads,
                 const context &ctx, tile_budget budget);
    index_t workspace_size() const noexcept { return workspace_size_; }

    /// Receives a tile of the sum: its box, without the summed labels, and its elements, dense.
    using use_tile = std::function<void(const slice &part, const T *sum)>;
    /// Computes the sum tile by tile; `piece` is dense.
    status run(const T *piece, std::span<std::byte> workspace, const use_tile &use) const;

private:
    using passed_over = std::function<bool(const slice &box)>;
    template <class Use> void for_each_tile(const slice &box, const Use &use,
                                            const passed_over &is_passed_over = {}) const;

    slice piece_;
    std::vector<bool> vanishes_; ///< whether each mode is summed over
    index_t most_;               ///< elements of a tile, at most
    std::map<extents_t, matrix_product<T>> products_;
    index_t workspace_size_ = 0;
};

} // namespace tenfold::dist_impl

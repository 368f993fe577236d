// What a rank computes of a reproducible contraction: sums of leaves (dist_plan/leaves.hpp), and
// sums over isolated labels. Everything is a product for which an element's bits do not depend on
// the other elements, so that it does not matter which of them a rank computes together.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/workspace.hpp"
#include "dist/exchange.hpp"
#include "dist/local_products.hpp"
#include "dist/matrix_product.hpp"
#include "dist_plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Elements that products on the way to one tile of D may hold at a time, of each kind: copies of A
/// and of B, and sums of nodes of the tree together.
struct tile_budget {
    index_t copies, sums;
    tile_budget halved() const noexcept { return {copies / 2, sums / 2}; }
};

template <class T> class leaf_products {
public:
    leaf_products(const plan_state &plan, int threads, const context &ctx, tile_budget budget);

    /// Makes the plans for the leaves within such boxes, which are whole nodes of the tree.
    void prepare(const product_boxes &boxes, const placement<const T> &a,
                 const placement<const T> &b);
    index_t workspace_size() const noexcept { return workspace_size_; }

    /// Of a tile of D: its box, its sum, and where that lies, in the order of D's panel labels.
    using use_tile = std::function<void(const slice &d, T *sum, const extents_t &strides)>;
    /// The sum of the boxes' leaves, tile by tile; `sum` may be overwritten.
    status run(const product_boxes &boxes, const placement<const T> &a, const placement<const T> &b,
               std::span<std::byte> workspace, const use_tile &use) const;

private:
    using shape = std::vector<index_t>; ///< extents and strides
    struct tile_loops {
        product_loops loops; ///< of one of its leaves
        index_t leaves = 1;
    };

    template <class Use> void for_each_tile(const product_boxes &boxes, const Use &use) const;
    template <class Use> void for_each_leaf(const product_boxes &tile, const Use &use) const;
    shape shape_of(const product_boxes &leaf, const placement<const T> &a,
                   const placement<const T> &b) const;
    product_loops loops_of(const product_boxes &leaf, const placement<const T> &a,
                           const placement<const T> &b) const;
    index_t leaves_in(const product_boxes &boxes) const;
    index_t size_of(const product_boxes &boxes, label_class group) const;
    /// Of the tile, in the order of D's panel labels.
    extents_t strides_of(const product_boxes &tile) const;

    const plan_state &plan_;
    int threads_;
    const context &ctx_;
    tile_budget budget_;
    product_form form_;
    std::vector<int> cuts_; ///< of each contracted label into leaves
    std::map<shape, matrix_product<T>> products_;
    index_t workspace_size_ = 0;
};

/// The sum over the labels of one input that neither the other one nor D has.
template <class T> class isolated_sum {
public:
    /// Of `piece`, whose modes are the operand's distinct labels.
    isolated_sum(const plan_state &plan, operand_id operand, slice piece, int threads,
                 const context &ctx, tile_budget budget);
    index_t workspace_size() const noexcept { return workspace_size_; }
    /// Both dense.
    status run(const T *piece, T *summed, std::span<std::byte> workspace) const;

private:
    template <class Use> void for_each_tile(const slice &box, const Use &use) const;

    slice piece_;
    std::vector<bool> vanishes_; ///< of each mode
    index_t most_;               ///< elements of a tile
    std::map<extents_t, matrix_product<T>> products_;
    index_t workspace_size_ = 0;
};

} // namespace tenfold::dist_impl

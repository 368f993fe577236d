// A rank's share of a reproducible contraction: sums of leaves (distributed/plan/leaves.hpp).
// In each product an element's bits do not depend on the other elements, so it does not matter
// which elements a rank computes together.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/workspace.hpp"
#include "distributed/plan/local_products.hpp"
#include "distributed/plan/matrix_product.hpp"
#include "distributed/plan/placement.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

template <class T> class leaf_products {
public:
    leaf_products(const plan_state &plan, int threads, const context &ctx, tile_budget budget);

    /// Makes the plans for the leaves in these boxes, which are whole nodes of the tree.
    void prepare(const product_boxes &boxes, const placement<const T> &a,
                 const placement<const T> &b);
    index_t workspace_size() const noexcept { return workspace_size_; }

    /// Receives a tile of D: its box, its sum, and the strides of the sum in the order of D's panel
    /// labels.
    using use_tile = std::function<void(const slice &d, T *sum, const extents_t &strides)>;
    /// Computes the sum of the boxes' leaves, tile by tile. `use` may overwrite `sum`.
    status run(const product_boxes &boxes, const placement<const T> &a, const placement<const T> &b,
               std::span<std::byte> workspace, const use_tile &use) const;

private:
    using shape = std::vector<index_t>; ///< extents and strides
    struct leaf_cut {
        index_t extent, parts; ///< of the label
        index_t first, count;  ///< parts that are in the tile
        int in_a, in_b;        ///< modes of the panels
    };
    struct recent_product {
        extents_t extents_a, extents_b;
        const matrix_product<T> *product;
    };
    /// The products used last in one tile, whose leaves have few different extents.
    using recent_products = std::vector<recent_product>;
    struct tile_sum {
        status result;
        T *sum; ///< in the workspace
    };

    using passed_over = std::function<bool(const product_boxes &boxes)>;
    template <class Use> void for_each_tile(const product_boxes &boxes, const Use &use,
                                            const passed_over &is_passed_over = {}) const;
    template <class Use> void for_each_leaf(const product_boxes &tile, const Use &use) const;
    std::vector<leaf_cut> cuts_of(const product_boxes &tile) const;
    /// Returns null if no plan was prepared.
    const matrix_product<T> *product_of(const product_boxes &leaf, const placement<const T> &a,
                                        const placement<const T> &b, recent_products &recent) const;
    tile_sum add_large(const product_boxes &tile, const placement<const T> &a,
                       const placement<const T> &b, std::span<std::byte> workspace) const;
    tile_sum add_small(const product_boxes &tile, const placement<const T> &a,
                       const placement<const T> &b, std::span<std::byte> workspace) const;
    /// Returns true if the tile has few elements, so that one leaf's product is too short to share
    /// among threads.
    bool are_small(const product_boxes &tile) const;
    shape shape_of(const product_boxes &leaf, const placement<const T> &a,
                   const placement<const T> &b) const;
    product_loops loops_of(const product_boxes &leaf, const placement<const T> &a,
                           const placement<const T> &b) const;
    index_t leaves_in(const product_boxes &boxes) const;
    index_t size_of(const product_boxes &boxes, label_class group) const;
    /// Returns the strides of the tile's sum in the order of D's panel labels.
    extents_t strides_of(const product_boxes &tile) const;

    const plan_state &plan_;
    int threads_;
    const context &ctx_;
    tile_budget budget_;
    product_kind kind_;
    std::vector<int> cuts_; ///< number of parts of each contracted label
    std::map<shape, matrix_product<T>> products_;
    index_t workspace_size_ = 0;
};

} // namespace tenfold::dist_impl

// Sums leaf products over a box: a rank's share of a reproducible contraction, or all of one. In
// each product an element's bits do not depend on the other elements, so it does not matter which
// elements are computed together.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/workspace.hpp"
#include "reproducible/matrix_product.hpp"
#include "reproducible/summation.hpp"
#include "tensor/boxes.hpp"

namespace tenfold::reproducible_impl {

using tensor_impl::numbers;

/// Elements that the products for one tile of D may hold at the same time: `copies` of A and of B
/// each, and `sums` for all nodes of the tree together. It has no effect on bits.
struct tile_budget {
    index_t copies = index_t{1} << 20;
    index_t sums = index_t{1} << 20;
    tile_budget halved() const noexcept { return {copies / 2, sums / 2}; }
    /// Whether smaller tiles are possible.
    bool can_shrink() const noexcept { return copies > 1 || sums > 1; }
};

/// Where an input of a sum has its elements.
struct summand {
    index_t first = 0;   ///< the element at position 0 of every label; it may lie before the data
    extents_t strides;   ///< by label; without elements: there is no such input
    index_t element = 0; ///< bytes
};

/// An input and its data; null: there is none.
struct located {
    const summand &where;
    const void *data;

    const void *at(const label_box &box) const noexcept {
        index_t offset = where.first;
        for (std::size_t label = 0; label < where.strides.size(); ++label)
            offset += box.offsets[label] * where.strides[label];
        return static_cast<const std::byte *>(data) + offset * where.element;
    }
};

/// The plan of such sums. `sum` and `ctx` must outlive it.
template <class T> class leaf_sum {
public:
    leaf_sum(const summation &sum, int threads, const context &ctx, tile_budget budget = {});

    /// Makes the plans for the leaves in the box, which are whole nodes of the tree.
    void prepare(const label_box &box, const summand &a, const summand &b);
    index_t workspace_size() const noexcept { return workspace_size_; }
    /// Predicted seconds of the boxes that were prepared, from the shapes of their tiles.
    double seconds() const noexcept { return seconds_; }
    /// Describes the first product.
    std::string describe() const;
    std::size_t footprint() const noexcept;

    /// Receives a tile of D: its box (positions of k have no meaning), its sum, and the strides of
    /// the sum by label. May overwrite `sum`.
    using use_tile = std::function<void(const label_box &tile, T *sum, numbers strides)>;
    /// Computes the sum of the box's leaves, tile by tile. After a stop of the work in hand
    /// (base/work.hpp) the rest is left out. Allocates nothing.
    status run(const label_box &box, located a, located b, std::span<std::byte> workspace,
               const use_tile &use) const;

private:
    /// A product and what it is for: extents, strides in A and B.
    struct planned {
        extents_t shape;
        matrix_product<T> product;
    };
    struct leaf_cut {
        std::size_t label;
        index_t extent, parts; ///< of the label
        index_t first, count;  ///< parts that are in the box
    };
    struct leaf_cuts {
        std::array<leaf_cut, label_box::most> all; ///< uninitialised
        std::size_t size = 0;
        index_t leaves = 1;
    };

    /// The label along which a box is halved because its products would exceed the budget; none:
    /// the box is a tile.
    static constexpr std::size_t none = label_box::most;
    std::size_t halved_label(const label_box &box) const noexcept;
    /// Calls use(half) for both halves; leaves the box as it was.
    template <class Use>
    static void for_both_halves(label_box &box, std::size_t label, const Use &use);
    template <class Use> void for_each_tile(label_box &box, const Use &use) const;
    /// Calls use(i, leaf) for these leaves, in the order of the tree.
    template <class Use>
    void for_each_leaf(const label_box &tile, base::range which, const Use &use) const;
    /// Predicted seconds of boxes by their extents.
    using known_boxes = std::map<extents_t, double>;
    double prepare(label_box &box, const summand &a, const summand &b, known_boxes &known);
    double prepare_tile(const label_box &tile, const summand &a, const summand &b);
    leaf_cuts cuts_of(const label_box &tile) const noexcept;
    /// Returns null if no plan was prepared.
    const matrix_product<T> *product_of(const label_box &leaf, const summand &a,
                                        const summand &b) const noexcept;
    status add_large(const label_box &tile, located a, located b, std::span<std::byte> workspace,
                     T *&sum) const;
    status add_small(const label_box &tile, located a, located b, std::span<std::byte> workspace,
                     T *&sum) const;
    /// Returns true if the tile has few elements, so that one leaf's product is too short to share
    /// among threads.
    bool is_small(const label_box &tile) const noexcept;
    bool has_shape(const planned &one, const label_box &leaf, const summand &a,
                   const summand &b) const noexcept;
    product_loops loops_of(const label_box &leaf, const summand &a, const summand &b) const;
    void set_strides(const label_box &tile, std::span<index_t> strides) const noexcept;

    const summation &sum_;
    int threads_;
    const context &ctx_;
    tile_budget budget_;
    std::vector<planned> products_;
    index_t workspace_size_ = 0;
    double seconds_ = 0;
};

} // namespace tenfold::reproducible_impl

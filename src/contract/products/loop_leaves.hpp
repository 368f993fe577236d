// Long sums of vector loops for a few elements of D: their parts, which threads share, are summed
// apart, and a tree adds them.
//
// How a sum is cut depends on its passes alone, so that the number of threads does not show.
#pragma once

#include <tenfold/types.hpp>

#include "base/parallel.hpp"
#include "contract/products/kernels/vector_abi.hpp"

namespace tenfold::contract_impl {

/// The passes of a vector loop, for the choice of leaves.
struct loop_sums {
    double places;   ///< of D, where calls of the kernel do not depend on each other
    double elements; ///< of D that one of them writes, at most
    double terms;    ///< passes that are added up in each
    double of_pass;  ///< products that one pass adds up: 1 unless it is a dot product
    index_t size;    ///< bytes of an element
};

struct loop_leaves {
    index_t count = 1;       ///< of each place
    bool cut_passes = false; ///< each leaf has a part of every pass, else some of the passes

    /// Bytes in which all leaves lie while they are summed, on the stack of the caller.
    static constexpr index_t most_bytes = index_t{32} << 10;

    /// What the leaf sums of `terms` passes over `extent` elements.
    struct part {
        base::range terms, pass;
    };
    part part_of(index_t leaf, index_t terms, index_t extent) const noexcept;
};

/// Several leaves if the places are too few for many threads, and sums are long. None is empty.
loop_leaves choose_loop_leaves(const loop_sums &sums) noexcept;

/// Leaves that are summed, of `elements` elements each, one after the other.
struct summed_leaves {
    std::byte *first;
    index_t elements, size; ///< size: bytes of an element
    const void *one;        ///< the number 1, in their type
    void (*multiply)(const vector_operands &);

    /// Adds `count` leaves up in the first one, by a tree.
    void add_up(index_t count) const noexcept;

    /// Some elements of a leaf.
    struct run {
        index_t begin, count;
    };
    struct place {
        void *d;
        index_t stride;
        scalar alpha, beta;
    };
    /// d = alpha x + beta d, x being a run of the first leaf.
    void write(const run &x, const place &to) const noexcept;
};

} // namespace tenfold::contract_impl

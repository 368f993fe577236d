// A packed product's blocks, and what it packs, fetches and writes past the caches.
#pragma once

#include "base/checked.hpp"
#include "base/machine.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Sizes of elements in A and B, in packed panels, and in D. For products of one type they are
/// equal. If inputs are narrower than the output, `group` steps of k form one word of a panel, and
/// the last group is padded with zeros.
struct element_format {
    index_t input = 0;  ///< bytes of an element of A and B
    index_t word = 0;   ///< bytes of one row in one step of a packed panel
    index_t output = 0; ///< bytes of an element of D
    index_t group = 1;
    index_t tail = 0;          ///< extra words for each row at the end of a micro-panel
    const void *one = nullptr; ///< a 1 of the output's type

    /// Returns the bytes of a packed panel, per row.
    index_t row_bytes(index_t steps) const noexcept {
        return (group == 1 ? steps : (steps + group - 1) / group) * word + tail * word;
    }
    static element_format of(data_type type) noexcept;
};

/// A multiplication in the orientation of the loops: vectors run along the row index of D.
struct macro_problem {
    gemm_shape shape;
    const micro_kernel *kernel = nullptr;
    blocking blocks;       ///< clipped to the problem
    bool direct_a = false; ///< A's micro-panels are read in place (unit row stride)
    bool direct_b = false;
    int threads = 1;
    element_format elements;
    bool streams = false; ///< D is written past the cache if beta = 0
    /// Tiles of D share pages that are in memory, and k is too short to fetch a tile meanwhile:
    /// what is not written past the cache is fetched.
    bool fetches_d = false;
    /// What the next block of A, or panel of B, is packed from is fetched while the present ones
    /// are multiplied: L2 has room for both, and threads share none of them.
    bool fetches_a = false, fetches_b = false;
    /// Steps of each term of a joined sum (joined.hpp), of which shape.k holds several, each of
    /// whole words: A and B are arrays of the terms' addresses then. 0: one product.
    index_t steps_of_term = 0;

    struct shares {
        double a = 0, b = 0;
    };
    /// Returns what is fetched before it is packed: all but the first block and panel.
    shares fetched() const noexcept {
        const auto many = [](index_t n, index_t by) {
            return static_cast<double>(base::divide_up(n, by));
        };
        const double panels = many(shape.k, blocks.kc) * many(shape.n, blocks.nc);
        return {fetches_a ? 1 - 1 / (panels * many(shape.m, blocks.mc)) : 0,
                fetches_b ? 1 - 1 / panels : 0};
    }

    /// A block of A is packed for each thread, where A is read in place only the rows that fill no
    /// register.
    index_t a_buffer_bytes() const noexcept;
    index_t b_buffer_bytes() const noexcept;
    /// One buffer of B is enough for one thread, and for one panel.
    int b_buffers() const noexcept;
    byte_count workspace_size() const noexcept;
};

/// What a packed product runs on.
struct macro_place {
    const base::machine &machine;
    blocking blocks;
    int threads = 1;
};

/// Chooses the block sizes and which operands to pack. `elements` are those of the shape's type,
/// except for mixed products, for which shape.type is not read. If D is a part of a larger matrix,
/// `whole_d` is the number of elements of that matrix.
macro_problem make_macro_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                 const macro_place &on, const element_format &elements,
                                 index_t whole_d = 0) noexcept;
inline macro_problem make_macro_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                        const macro_place &on, index_t whole_d = 0) noexcept {
    return make_macro_problem(shape, kernel, on, element_format::of(shape.type), whole_d);
}

} // namespace tenfold::gemm_impl

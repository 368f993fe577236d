// An epilogue that was checked against one C, a matrix or a part of a tensor, and can be applied to
// any part of it. C of bf16 or f16 is widened to f32, goes through all steps, and is rounded once;
// integers are computed with modulo 2^32.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <tenfold/epilogue.hpp>

#include "base/parallel.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/overlap.hpp"
#include "gemm/plan/shape.hpp"
#include "simd/kernel_table.hpp"

namespace tenfold::gemm_impl {

const simd::kernel_table<element_kernel_set> &element_kernel_table();

/// What messages call a step and what it is applied to: "gemm: epilogue step 1" and "C".
struct step_names {
    std::string message; ///< what the message begins with
    std::string step, output;
};

/// Checks a step's types, factor and function against the output's type. Throws
/// errc::type_mismatch, unsupported (a function that numbers of the type do not have) and
/// null_pointer (a caller's function that is null).
void check_step(const epilogue_step &step, data_type output, const step_names &names);

/// Where the tensors lie that the steps of a contraction's epilogue combine with its output D.
/// Every product of a contraction writes a part of D, and an element's address tells its position:
/// modes are in falling order of D's stride, and each stride is longer than all after it reach
/// together.
struct tensor_places {
    struct mode {
        index_t extent;
        index_t stride;                                  ///< of D, positive
        std::array<index_t, epilogue::most_steps> other; ///< by step: of the step's tensor
    };
    static constexpr std::size_t most_modes = 64;

    std::span<const mode> modes;  ///< at most most_modes; whoever made the epilogue owns them
    const void *lowest = nullptr; ///< D's element with the lowest address
};

class fused_epilogue {
public:
    /// The epilogue of a tensor: its steps have been checked, and the data of those that have an
    /// operand is the address of the element that goes with D's lowest.
    fused_epilogue(std::span<const epilogue_step> steps, data_type type, isa instruction_set,
                   const tensor_places &places) noexcept;

    /// Sets the operand of a step, or the context of a caller's function; no effect on others.
    void set_data(std::size_t step, const void *data) noexcept;
    /// Of the epilogue of a tensor.
    void set_lowest(const void *d) noexcept { places_.lowest = d; }
    void set_places(const tensor_places &places) noexcept { places_ = places; }

    /// Checks the steps against C's type and extents. Throws errc::type_mismatch, extent_mismatch,
    /// null_pointer, unsupported (a function of complex numbers).
    fused_epilogue(const epilogue &steps, data_type type, index_t m, index_t n,
                   isa instruction_set);

    /// Throws errc::overlap if an operand shares memory with C.
    void require_apart(const batch_placement &c) const;

    /// Turns it into the epilogue of C^T.
    void transpose() noexcept;
    /// Turns it into the epilogue of C with its rows in reverse order.
    void reverse_rows() noexcept;

    /// Applies it to rows x columns of C; d points to C's element (0, 0).
    void apply(base::range rows, base::range columns, void *d, index_t row_stride,
               index_t column_stride) const noexcept;

    /// Applies it to an m x n matrix, all of C or a part of a tensor, which must be complete; each
    /// thread of a team takes a share.
    void apply_all(index_t m, index_t n, void *d, index_t row_stride, index_t column_stride,
                   int threads) const noexcept;

private:
    struct step {
        epilogue_step given;
        alignas(16) std::array<std::byte, 16> factor; ///< one element of C's type
    };

    /// Where a tile lies in the output, whether or not it is a copy.
    template <class T> struct tile_place {
        index_t row, column; ///< of the first element
        bool turned;         ///< the tile holds C^T
        const T *first;
        index_t row_stride, column_stride; ///< of the tile's rows and columns
    };
    /// Modes that a tile begins at.
    struct tensor_position;

    void take(std::span<const epilogue_step> steps) noexcept;
    // T: of the arithmetic; Stored: of D's elements; X: of a step's tensor, one of the two.
    template <class T, class Stored> void apply_typed(base::range rows, base::range columns,
                                                      Stored *d, index_t row_stride,
                                                      index_t column_stride) const noexcept;
    template <class T, class Stored>
    void run_steps(const tile_place<Stored> &place, const element_tile &tile) const noexcept;
    template <class T, class Stored>
    void call(const epilogue_step &s, T *d, index_t count) const noexcept;
    template <class X, class T, class Stored>
    void combine_with(std::size_t number, const tensor_position &at,
                      const tile_place<Stored> &place, const element_tile &tile) const noexcept;
    template <class T> void combine(const step &one, const element_tile &tile,
                                    const tile_operand &with) const noexcept;
    tensor_position position_of(std::ptrdiff_t offset) const noexcept;
    template <class X, class T, class Stored>
    void combine_tensor(std::size_t number, const tensor_position &at,
                        const tile_place<Stored> &place, const element_tile &tile) const noexcept;

    data_type type_;
    index_t m_ = 0, n_ = 0;                    ///< of a matrix
    tensor_places places_;                     ///< of a tensor; no modes and no address of a matrix
    const element_kernels *kernels_ = nullptr; ///< null for complex types
    const stored_elements *stored_ = nullptr;  ///< of bf16 and f16
    std::array<step, epilogue::most_steps> steps_;
    int count_ = 0;
};

} // namespace tenfold::gemm_impl

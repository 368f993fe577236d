// An epilogue that was checked against one C and can be applied to any part of it.
#pragma once

#include <array>

#include <tenfold/epilogue.hpp>

#include "base/parallel.hpp"
#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/plan/overlap.hpp"
#include "gemm/plan/shape.hpp"
#include "simd/kernel_table.hpp"

namespace tenfold::gemm_impl {

const simd::kernel_table<element_kernel_set> &element_kernel_table();

class fused_epilogue {
public:
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

    /// Applies it to all of C, which must be complete; each thread of a team takes a share.
    void apply_all(void *d, index_t row_stride, index_t column_stride, int threads) const noexcept;

private:
    struct step {
        epilogue_step given;
        alignas(16) std::array<std::byte, 16> factor; ///< one element of C's type
    };

    template <class T> void apply_typed(base::range rows, base::range columns, T *d,
                                        index_t row_stride, index_t column_stride) const noexcept;
    template <class T> void run_steps(index_t row, index_t column, bool turned,
                                      const element_tile &tile) const noexcept;

    data_type type_;
    index_t m_, n_;
    const element_kernels *kernels_ = nullptr; ///< null for complex types
    std::array<step, epilogue::most_steps> steps_;
    int count_ = 0;
};

} // namespace tenfold::gemm_impl

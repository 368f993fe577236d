// Computes D = beta D for any element type.
#pragma once

#include <cstdlib>

#include "base/parallel.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

/// Threads take rows in multiples of this: a multiple of a cache line, of the widest vectors and of
/// the kernels' row groups, so that the sum of a row does not depend on which thread computes it.
inline constexpr index_t row_grain = 64;

/// D is not read when factor = 0.
template <class T> void scale_elements(const gemm_shape &s, T factor, T *d, int threads) noexcept {
    using base::range;
    if (factor == T(1))
        return;
    // The inner loop runs along the smaller stride.
    const bool swap = std::abs(s.column_stride_d) < std::abs(s.row_stride_d);
    const index_t inner = swap ? s.n : s.m;
    const index_t outer = swap ? s.m : s.n;
    const index_t inner_stride = swap ? s.column_stride_d : s.row_stride_d;
    const index_t outer_stride = swap ? s.row_stride_d : s.column_stride_d;
    base::run_parallel(threads, [&](base::team_member me) {
        const bool by_outer = outer >= me.size();
        const range outers = by_outer ? base::split(outer, me.size(), me.id()) : range{0, outer};
        const range inners =
            by_outer ? range{0, inner} : base::split(inner, me.size(), me.id(), row_grain);
        for (index_t j = outers.begin; j < outers.end; ++j) {
            T *line = d + j * outer_stride;
            if (factor == T{})
                for (index_t i = inners.begin; i < inners.end; ++i)
                    line[i * inner_stride] = T{};
            else
                for (index_t i = inners.begin; i < inners.end; ++i)
                    line[i * inner_stride] *= factor;
        }
    });
}

} // namespace tenfold::gemm_impl

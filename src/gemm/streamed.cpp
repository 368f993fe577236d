#include "gemm/streamed.hpp"

#include <algorithm>
#include <cstddef>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "gemm/scalar_cast.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::range;

/// Register tiles along the short side: more use of the long operand pays for packing it.
constexpr index_t most_tiles = 4;

void run_part(const streamed_problem &p, range rows, range columns, const void *alpha,
              const std::byte *a, const std::byte *b, const void *beta, std::byte *d) noexcept {
    const gemm_shape &s = p.shape;
    const index_t size = size_of(s.type);
    for (index_t k = 0; k < s.k; k += p.kc) {
        const small_product part{
            rows.size(),
            columns.size(),
            std::min(p.kc, s.k - k),
            a + (rows.begin * s.row_stride_a + k * s.column_stride_a) * size,
            s.column_stride_a,
            b + (k * s.row_stride_b + columns.begin * s.column_stride_b) * size,
            s.row_stride_b,
            s.column_stride_b,
            alpha,
            k == 0 ? beta : one_of(s.type),
            d + (rows.begin * s.row_stride_d + columns.begin * s.column_stride_d) * size,
            s.column_stride_d};
        p.multiply(&part);
    }
}

} // namespace

bool can_stream(const gemm_shape &shape, const micro_kernel &kernel) noexcept {
    return kernel.multiply_small != nullptr && shape.row_stride_a == 1 && shape.row_stride_d == 1 &&
           (shape.n <= most_tiles * kernel.nr || shape.m <= most_tiles * kernel.mr);
}

streamed_problem make_streamed_problem(const gemm_shape &shape, const micro_kernel &kernel,
                                       const blocking &blocks, int threads) noexcept {
    const index_t longest = std::max({shape.m, shape.n, shape.k});
    const skinny_kernels &skinny = kernel.skinny;
    if (longest == shape.m || longest == shape.n) {
        const index_t pieces = base::divide_up(shape.k, std::max<index_t>(1, blocks.kc / 2));
        return {shape, &kernel, longest == shape.m ? skinny.tall : skinny.wide,
                base::divide_up(shape.k, pieces), threads};
    }
    // Both parts stay in L1 while the other's tiles pass, with the next ones on their way.
    constexpr index_t cached = 24 << 10;
    const index_t fit = cached / (shape.m * size_of(shape.type));
    return {shape, &kernel, skinny.deep, std::clamp<index_t>(fit / 16 * 16, 64, 256), threads};
}

void run_streamed(const streamed_problem &problem, const void *alpha, const void *a, const void *b,
                  const void *beta, void *d) noexcept {
    const gemm_shape &s = problem.shape;
    base::run_parallel(problem.threads, [&](base::team_member me) {
        const bool by_rows = s.m >= s.n;
        const range rows =
            by_rows ? base::split(s.m, me.size(), me.id(), problem.kernel->mr) : range{0, s.m};
        const range columns =
            by_rows ? range{0, s.n} : base::split(s.n, me.size(), me.id(), problem.kernel->nr);
        if (!rows.empty() && !columns.empty())
            run_part(problem, rows, columns, alpha, static_cast<const std::byte *>(a),
                     static_cast<const std::byte *>(b), beta, static_cast<std::byte *>(d));
    });
}

void run_streamed_alone(const streamed_problem &problem, const void *alpha, const void *a,
                        const void *b, const void *beta, void *d) noexcept {
    run_part(problem, {0, problem.shape.m}, {0, problem.shape.n}, alpha,
             static_cast<const std::byte *>(a), static_cast<const std::byte *>(b), beta,
             static_cast<std::byte *>(d));
}

} // namespace tenfold::gemm_impl

#include "apps/tenfold/packing_speed.hpp"

#include <algorithm>

#include "apps/common/timing.hpp"
#include "base/parallel.hpp"
#include "gemm/kernels/registry.hpp"

namespace tenfold::apps_impl {
namespace {

/// A matrix A(m x k) that is packed `depth` columns at a time.
struct packed_matrix {
    const gemm_impl::micro_kernel &kernel;
    index_t m, k, depth;
    int passes; ///< repetitions, enough that the start of the threads does not count

    explicit packed_matrix(const packing_request &request)
        : kernel(*gemm_impl::select(data_type::f64, request.isa)->kernel) {
        constexpr index_t rows = 240;   // about MC
        constexpr index_t fewest = 4e6; // bytes
        m = std::max<index_t>(1, rows / kernel.mr) * kernel.mr;
        depth = std::max<index_t>(8, request.panels.value / 8 / m);
        k = std::max<index_t>(1, request.matrix.value / 8 / m / depth) * depth;
        passes = static_cast<int>(std::max<index_t>(1, fewest / (8 * m * k)));
    }
    index_t elements() const { return m * k; }
};

} // namespace

double packing_bytes(const packing_request &request) {
    const packed_matrix a(request);
    return 2.0 * 2.0 * 8.0 * static_cast<double>(a.elements()) * a.passes;
}

double packing_seconds(const packing_request &request, tensor<double> &to,
                       const tensor<double> &from) {
    const packed_matrix a(request);
    const stopwatch watch;
    base::run_parallel(request.threads, [&](base::team_member member) {
        // Each thread packs the part of the array that it wrote first. In a large team the matrices
        // of two threads may overlap.
        const auto part = base::split(from.size(), member.size(), member.id(), 512);
        const double *matrix =
            from.data() + std::clamp<index_t>(part.begin, 0, from.size() - a.elements());
        double *panels = to.data() + std::clamp<index_t>(part.begin, 0, to.size() - a.m * a.depth);
        for (int pass = 0; pass < a.passes; ++pass)
            for (index_t at = 0; at < a.k; at += a.depth) {
                const gemm_impl::panel_source columns{
                    matrix + at * a.m, a.m, a.depth, 1, a.m, false};
                const gemm_impl::panel_source rows{matrix + at, a.m, a.depth, a.k, 1, false};
                a.kernel.pack_a(&columns, panels);
                a.kernel.pack_a(&rows, panels);
            }
    });
    return watch.seconds();
}

} // namespace tenfold::apps_impl

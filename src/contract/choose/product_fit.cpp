#include "contract/choose/product_fit.hpp"

#include <algorithm>
#include <array>

namespace tenfold::contract_impl {
namespace {

using gemm_impl::blocking;
using gemm_impl::gemm_plan;

/// A sum of fewer steps would access D more often than it multiplies.
constexpr index_t shortest_kc = 32;

/// About three quarters of a block size, as a multiple of `grain`, but at least `least`.
index_t reduced(index_t size, index_t grain, index_t least) noexcept {
    return std::max(least, size * 3 / 4 / grain * grain);
}

/// Smaller blocks in the order of what they save for their cost: reduce the wider panel first, then
/// the other one, then their depth.
std::array<blocking, 3> smaller_blocks(const blocking &from, int threads) noexcept {
    blocking fewer_rows = from;
    fewer_rows.mc = reduced(from.mc, from.mr, from.mr);
    blocking fewer_columns = from;
    fewer_columns.nc = reduced(from.nc, from.nr, from.nr);
    blocking fewer_steps = from;
    fewer_steps.kc = reduced(from.kc, 1, std::min(from.kc, shortest_kc));
    const index_t columns = threads > 1 ? 2 * from.nc : from.nc; // two panels of B alternate
    if (columns >= threads * from.mc)
        return {fewer_columns, fewer_rows, fewer_steps};
    return {fewer_rows, fewer_columns, fewer_steps};
}

} // namespace

gemm_impl::gemm_plan_options product_options(const plan_environment &environment, int threads) {
    auto options = gemm_impl::gemm_plan_options::from(*environment.ctx);
    options.threads = threads;
    options.back = environment.backend;
    options.reproducible = environment.reproducible;
    return options;
}

product_fit fit_product(const gemm_impl::gemm_shape &shape, const plan_environment &environment,
                        int threads, byte_count room) {
    auto options = product_options(environment, threads);
    gemm_plan plan(shape, options);
    product_fit fit{std::nullopt, plan.workspace_size(), 1};
    if (!plan.is_blocked() || fit.workspace <= room)
        return fit;
    const double natural = plan.predicted_seconds(options);
    for (bool smaller = true; smaller && fit.workspace > room;) {
        smaller = false;
        for (const blocking &blocks : smaller_blocks(plan.blocks(), threads)) {
            options.blocks = blocks;
            const gemm_plan next(shape, options);
            if (next.workspace_size() >= fit.workspace)
                continue; // this panel is not packed, or is minimal already
            plan = next;
            fit = {blocks, plan.workspace_size(),
                   std::max(1.0, plan.predicted_seconds(options) / natural)};
            smaller = true;
            break;
        }
    }
    return fit;
}

} // namespace tenfold::contract_impl

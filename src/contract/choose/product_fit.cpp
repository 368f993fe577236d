#include "contract/choose/product_fit.hpp"

#include <algorithm>
#include <array>

#include "gemm/plan/mixed_plan.hpp"

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

/// `make` plans the product by options.
template <class Make>
product_fit fit(const Make &make, gemm_impl::gemm_plan_options options, byte_count room) {
    auto plan = make(options);
    product_fit found{std::nullopt, plan.workspace_size(), 1};
    if (!plan.is_blocked() || found.workspace <= room)
        return found;
    const double natural = plan.predicted_seconds(options);
    for (bool smaller = true; smaller && found.workspace > room;) {
        smaller = false;
        for (const blocking &blocks : smaller_blocks(plan.blocks(), options.threads)) {
            options.blocks = blocks;
            const auto next = make(options);
            if (next.workspace_size() >= found.workspace)
                continue; // this panel is not packed, or is minimal already
            plan = next;
            found = {blocks, plan.workspace_size(),
                     std::max(1.0, plan.predicted_seconds(options) / natural)};
            smaller = true;
            break;
        }
    }
    return found;
}

} // namespace

gemm_impl::gemm_plan_options product_options(const plan_environment &environment, int threads) {
    auto options = gemm_impl::gemm_plan_options::from(*environment.ctx);
    options.threads = threads;
    options.back = environment.backend;
    options.reproducible = environment.reproducible;
    options.sums = environment.bf16_sums;
    return options;
}

product_fit fit_product(const gemm_impl::gemm_shape &shape, data_type inputs,
                        const gemm_impl::tensor_sizes &whole, const plan_environment &environment,
                        int threads, byte_count room) {
    auto options = product_options(environment, threads);
    options.whole = whole;
    if (inputs == shape.type)
        return fit([&](const auto &with) { return gemm_plan(shape, with); }, options, room);
    const auto product = gemm_impl::choose_mixed(inputs, options);
    return fit([&](const auto &with) { return gemm_impl::mixed_plan(product, shape, with); },
               options, room);
}

} // namespace tenfold::contract_impl

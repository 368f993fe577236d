#include "contract/products/loop_leaves.hpp"

#include <algorithm>

namespace tenfold::contract_impl {

loop_leaves choose_loop_leaves(const loop_sums &sums) noexcept {
    constexpr double enough_places = 64;      // for the cores of a socket
    constexpr double products_of_leaf = 4096; // so that a leaf takes longer than its calls
    const auto &[places, elements, terms, of_pass, size] = sums;
    const double bytes = places * elements * static_cast<double>(size);
    loop_leaves leaves;
    leaves.cut_passes = of_pass >= terms;
    // A pass that makes `elements` sums, or adds to as many, has that many products for each term.
    const double products = elements * terms * of_pass;
    const double most = std::min({enough_places / places, leaves.cut_passes ? of_pass : terms,
                                  static_cast<double>(loop_leaves::most_bytes) / bytes});
    leaves.count = static_cast<index_t>(std::max(1.0, std::min(products / products_of_leaf, most)));
    return leaves;
}

loop_leaves::part loop_leaves::part_of(index_t leaf, index_t terms, index_t extent) const noexcept {
    constexpr index_t whole_registers = 64; // elements, in the kernels' longest runs
    const auto own = [&](index_t all, index_t grain) {
        return base::split(all, static_cast<int>(count), static_cast<int>(leaf), grain);
    };
    if (!cut_passes)
        return {own(terms, 1), {0, extent}};
    return {{0, terms}, own(extent, extent >= count * whole_registers ? whole_registers : 1)};
}

void summed_leaves::add_up(index_t count) const noexcept {
    for (index_t half = 0; count > 1; count = half) {
        half = count - count / 2;
        write({half * elements, (count - half) * elements}, {first, 1, 1.0, 1.0});
    }
}

void summed_leaves::write(const run &x, const place &to) const noexcept {
    multiply({.n = x.count,
              .rows = 1,
              .a = first + x.begin * size,
              .b = one,
              .d = to.d,
              .stride_a = 1,
              .stride_b = 0,
              .stride_d = to.stride,
              .row_stride_a = 0,
              .row_stride_b = 0,
              .row_stride_d = 0,
              .alpha = {to.alpha.real(), to.alpha.imag()},
              .beta = {to.beta.real(), to.beta.imag()},
              .conjugate_a = false,
              .conjugate_b = false,
              .past_caches = false});
}

} // namespace tenfold::contract_impl

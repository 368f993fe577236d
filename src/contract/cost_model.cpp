#include "contract/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tenfold::contract_impl {
namespace {

/// Rows and columns of a micro-tile that a partly filled one is charged for.
constexpr double tile_rows = 24;
constexpr double tile_columns = 8;
/// Depth at which loading and storing the accumulators costs as much as the products.
constexpr double half_rate_depth = 12;

double round_up(double value, double multiple) { return std::ceil(value / multiple) * multiple; }

} // namespace

cost_model::cost_model(data_type type, const machine_rates &rates,
                       const base::machine &machine) noexcept
    : rates_(rates), fma_flops_(rates.fma_flops(type)),
      element_(static_cast<double>(size_of(type))), flops_per_madd_(flops_per_multiply_add(type)),
      line_(static_cast<double>(machine.l1d.line)), cache_(static_cast<double>(machine.l2.size)) {}

double cost_model::bandwidth(double footprint, double in_memory, int threads) const noexcept {
    return footprint <= cache_ * threads ? rates_.cache_bandwidth * threads : in_memory;
}

double cost_model::flop_rate(int threads) const noexcept { return fma_flops_ * threads; }

double cost_model::line_waste(index_t step) const noexcept {
    const double apart = static_cast<double>(std::max<index_t>(1, std::abs(step)));
    return std::clamp(apart, 1.0, line_ / element_);
}

double cost_model::gemm_seconds(const gemm_cost_shape &shape, int threads) const noexcept {
    const double m = static_cast<double>(shape.m);
    const double n = static_cast<double>(shape.n);
    const double k = static_cast<double>(shape.k);
    const auto stream = [&](double elements, index_t step, double whole, double in_memory) {
        const double bytes = elements * element_ * line_waste(step);
        return bytes / bandwidth(std::max(whole * element_, bytes), in_memory, threads);
    };
    const double a = stream(m * k, shape.step_a, shape.whole_a, rates_.reading(threads));
    const double b = stream(k * n, shape.step_b, shape.whole_b, rates_.reading(threads));
    const double d = stream(2 * m * n, shape.step_d, shape.whole_d, rates_.updating(threads));
    const double start = rates_.call + rates_.fork_join(threads);
    if (m == 1 || n == 1 || k == 1)
        return start + a + b + d;

    // Whichever way round the micro-tile lies.
    const double padded = std::min(round_up(m, tile_rows) * round_up(n, tile_columns),
                                   round_up(n, tile_rows) * round_up(m, tile_columns));
    const double computing = flops_per_madd_ * padded * (k + half_rate_depth) / flop_rate(threads);
    // A matrix that few micro-tiles read is read in place, and its way from memory hides behind the
    // products; so does D's. What is packed is waited for, and written and read once more in cache.
    constexpr index_t few = 24;
    const bool a_in_place = shape.along_m && shape.n <= few;
    const bool b_in_place = shape.along_n && shape.m <= few;
    const double hidden = (a_in_place ? a : 0) + (b_in_place ? b : 0) + d;
    const double packed_elements = (a_in_place ? 0 : m * k) + (b_in_place ? 0 : k * n);
    const double packing = (a_in_place ? 0 : a) + (b_in_place ? 0 : b) +
                           packed_elements * element_ / (rates_.cache_bandwidth * threads);
    return start + std::max(computing, hidden) + packing;
}

double cost_model::transpose_seconds(double elements, index_t read_size, bool keeps_fast_mode,
                                     bool accumulates, int threads) const noexcept {
    const double bytes =
        elements * (static_cast<double>(read_size) + element_ * (accumulates ? 2 : 1));
    const double efficiency = keeps_fast_mode ? rates_.transpose_kept : rates_.transpose_moved;
    return rates_.call + rates_.fork_join(threads) +
           bytes / (efficiency * bandwidth(bytes, rates_.memory(threads), threads));
}

double cost_model::vector_loop_seconds(double calls, double n,
                                       const std::array<index_t, 3> &strides,
                                       int threads) const noexcept {
    double bytes = 0;
    bool contiguous = true;
    for (const index_t stride : strides) {
        contiguous = contiguous && stride >= 0 && stride <= 1;
        bytes += stride == 0 ? 0 : n * element_ * line_waste(stride);
    }
    constexpr double seconds_per_call = 12e-9;
    constexpr double seconds_per_scalar_step = 0.8e-9; // strided: one element at a time
    const double steps = contiguous ? 0 : n * seconds_per_scalar_step;
    const double per_call =
        seconds_per_call + steps + bytes / bandwidth(calls * bytes, rates_.memory(1), 1);
    return rates_.call + rates_.fork_join(threads) + calls * per_call / threads;
}

} // namespace tenfold::contract_impl

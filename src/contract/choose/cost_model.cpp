#include "contract/choose/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/streaming.hpp"
#include "gemm/forms/degenerate.hpp"
#include "gemm/forms/streamed.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::contract_impl {
namespace {

/// Depths k at which storing the accumulators, and loading D if products add up in it, cost as much
/// as the products themselves. At k = 24 without loading, products reach 0.86 of the FMA peak
/// (docs/adr/0010).
constexpr double storing_depth = 4;
constexpr double loading_depth = 8;
/// Fraction of the FMA peak that a micro-kernel reaches inside its loop.
constexpr double kernel_efficiency = 0.92;
/// Speed of packing along the operand's stride-1 mode, and across it, as a fraction of the
/// bandwidth.
constexpr double packing_along = 0.8;
constexpr double packing_across = 0.5;

/// The smaller of the strides between neighbours in a matrix.
index_t closest(index_t rows, index_t row_stride, index_t columns, index_t column_stride) noexcept {
    const index_t down = rows > 1 ? std::abs(row_stride) : INT64_MAX;
    const index_t across = columns > 1 ? std::abs(column_stride) : INT64_MAX;
    const index_t step = std::min(down, across);
    return step == INT64_MAX ? 1 : step;
}

} // namespace

cost_model::cost_model(data_type type, isa instruction_set, const machine_rates &rates,
                       const base::machine &machine) noexcept
    : rates_(rates), kernel_(gemm_impl::select(type, instruction_set)),
      fma_flops_(rates.fma_flops(type)), element_(static_cast<double>(size_of(type))),
      flops_per_madd_(flops_per_multiply_add(type)), line_(static_cast<double>(machine.l1d.line)),
      l1_(static_cast<double>(machine.l1d.size)), cache_(static_cast<double>(machine.l2.size)),
      last_cache_(static_cast<double>(machine.l3.size)) {
    if (kernel_ != nullptr)
        kc_ = gemm_impl::choose_blocking(machine, *kernel_->kernel, size_of(type)).kc;
}

double cost_model::bandwidth(double footprint, double in_memory, int threads) const noexcept {
    // Half of the last cache is left to passing data and other programs.
    return footprint <= cache_ * threads  ? rates_.cache_bandwidth * threads
           : footprint <= last_cache_ / 2 ? std::max(in_memory, rates_.l3_bandwidth * threads)
                                          : in_memory;
}

double cost_model::flop_rate(int threads) const noexcept { return fma_flops_ * threads; }

double cost_model::line_waste(index_t step) const noexcept {
    const double apart = static_cast<double>(std::max<index_t>(1, std::abs(step)));
    return std::clamp(apart, 1.0, line_ / element_);
}

double cost_model::stream_seconds(double elements, index_t step, double whole, double in_memory,
                                  int threads) const noexcept {
    const double bytes = elements * element_ * line_waste(step);
    return bytes / bandwidth(std::max(whole * element_, bytes), in_memory, threads);
}

bool cost_model::passes_caches(const gemm_impl::gemm_shape &s, const tensor_sizes &whole,
                               int threads) const noexcept {
    const gemm_impl::micro_kernel &kernel = *kernel_->kernel;
    const auto whole_d = static_cast<index_t>(std::min(whole.d, 1e18));
    if (s.k == 1)
        return gemm_impl::make_outer_problem(s, kernel, threads, whole_d).streams;
    // The same decision as the driver's and the streamed products', for registers of one cache line
    // (gemm/forms/driver.cpp, gemm/forms/streamed.cpp).
    const auto vector = static_cast<index_t>(kernel.vector_length);
    return !whole.sums && s.row_stride_d == 1 && s.k <= kc_ && real(vector) * element_ >= line_ &&
           s.m % vector == 0 && s.column_stride_d % vector == 0 &&
           std::max(real(s.m) * real(s.n), whole.d) * element_ >= real(base::beyond_caches) &&
           (!gemm_impl::can_stream(s, kernel) || s.m >= std::max(s.n, s.k));
}

double cost_model::gemm_seconds(const gemm_impl::gemm_shape &given, const tensor_sizes &whole,
                                int threads) const noexcept {
    const gemm_impl::micro_kernel &kernel = *kernel_->kernel;
    const gemm_impl::orientation way = gemm_impl::orient(given, kernel.vector_length);
    const gemm_impl::gemm_shape &s = way.shape;
    const double m = real(s.m);
    const double n = real(s.n);
    const double k = real(s.k);
    const double a =
        stream_seconds(m * k, closest(s.m, s.row_stride_a, s.k, s.column_stride_a),
                       way.transposed ? whole.b : whole.a, rates_.reading(threads), threads);
    const double b =
        stream_seconds(k * n, closest(s.k, s.row_stride_b, s.n, s.column_stride_b),
                       way.transposed ? whole.a : whole.b, rates_.reading(threads), threads);
    // D's lines are read before they are written, unless non-temporal stores are used (measured:
    // 1.3).
    const bool passes = passes_caches(s, whole, threads);
    double d = stream_seconds((passes ? 1.3 : 2) * m * n,
                              closest(s.m, s.row_stride_d, s.n, s.column_stride_d), whole.d,
                              rates_.updating(threads), threads);
    // For columns that are pages apart, the hardware prefetches neither first lines nor pages.
    constexpr double page = 4096;
    if (!passes && whole.d * element_ > last_cache_ &&
        std::abs(real(s.column_stride_d)) * element_ >= page)
        d += n * rates_.strided_line / threads;
    const double start = rates_.call + rates_.fork_join(threads);
    if (s.m == 1 || s.n == 1 || s.k == 1)
        return start + a + b + d;

    const double padded_m = std::ceil(m / kernel.vector_length) * kernel.vector_length;
    const double depth = k + storing_depth + (whole.sums ? loading_depth : 0);
    double computing =
        flops_per_madd_ * padded_m * n * depth / (kernel_efficiency * flop_rate(threads));
    if (s.m > 1 && std::abs(s.row_stride_d) != 1) // elements of D are stored one by one
        computing += m * n * 0.5e-9 / threads;
    return start + (gemm_impl::can_stream(s, kernel)
                        ? streamed_seconds(s, computing, a + b + d, threads)
                        : packed_seconds(s, computing, a, b, d, threads));
}

double cost_model::streamed_seconds(const gemm_impl::gemm_shape &s, double computing,
                                    double traffic, int threads) const noexcept {
    // A product's data, and the first data of the next product, are prefetched while it computes;
    // for long products that hides nearly all traffic.
    constexpr double fetched_ahead = 256 << 10;
    constexpr double in_l1 = 4 << 10;
    const double bytes =
        element_ * (real(s.m) * real(s.k) + real(s.k) * real(s.n) + real(s.m) * real(s.n));
    // Kernels read B element by element down its columns, and prefetch it that way. If B's rows are
    // adjacent instead and it is read only once, every step misses (measured: 7 times longer).
    if (s.row_stride_b != 1 && s.n > s.m && real(s.k) * real(s.n) * element_ > in_l1)
        computing *= 4;
    else
        computing += scattered_seconds(s, threads);
    const double more = std::max(computing, traffic);
    const double less = std::min(computing, traffic);
    return more + less * (bytes > fetched_ahead * threads ? 0.15 : 0.3);
}

double cost_model::scattered_seconds(const gemm_impl::gemm_shape &s, int threads) const noexcept {
    if (!s.scatters_b())
        return 0;
    // Approximate number of steps that are taken together (gemm/forms/streamed.cpp).
    constexpr double steps = 64;
    const double bytes_each = element_ * line_waste(s.row_stride_b);
    const double columns = std::min(real(s.n), real(kernel_->nr));
    if (columns * std::min(real(s.k), steps) * bytes_each <= l1_ / 2)
        return 0;
    const double passes = std::ceil(real(s.m) / real(kernel_->mr)) - 1; // traffic has the first
    return passes * real(s.k) * real(s.n) * bytes_each / (rates_.cache_bandwidth * threads);
}

double cost_model::packed_seconds(const gemm_impl::gemm_shape &s, double computing, double a,
                                  double b, double d, int threads) const noexcept {
    // The same decision as the driver's (gemm/forms/driver.cpp): operands that only few micro-tiles
    // use are read in place.
    const bool real_type = kernel_->kernel->multiply_direct != nullptr;
    const bool a_in_place = real_type && s.row_stride_a == 1 && s.n <= 3 * kernel_->nr;
    const bool b_in_place = real_type && s.m <= (s.scatters_b() ? 1 : 3) * kernel_->mr;
    const auto packing = [&](double from, double elements, bool along) {
        return from / (along ? packing_along : packing_across) +
               elements * element_ / (rates_.cache_bandwidth * threads);
    };
    const double in_a = a_in_place ? a : packing(a, real(s.m) * real(s.k), s.row_stride_a == 1);
    const double in_b = b_in_place ? b : packing(b, real(s.k) * real(s.n), s.column_stride_b == 1);
    constexpr double enter_loops = 0.8e-6;
    // Stores of whole registers overlap with computing; single elements do not.
    const bool in_registers = s.m == 1 || std::abs(s.row_stride_d) == 1;
    return enter_loops + (in_registers ? std::max(computing, d) : computing + d) + in_a + in_b;
}

double cost_model::transpose_seconds(double elements, index_t read_size, const neighbours &near,
                                     int threads) const noexcept {
    // From 200 random transpositions: the run, in bytes, that reaches half of the full speed, if
    // neighbours stay together and if they are separated.
    constexpr double half_speed_stay = 40; // bytes
    constexpr double half_speed_part = 8;
    const double bytes = elements * (real(read_size) * line_waste(near.step) + element_);
    const double run = real(near.run) * element_;
    const double efficiency = near.stay ? rates_.transpose_kept * run / (run + half_speed_stay)
                                        : rates_.transpose_moved * run / (run + half_speed_part);
    return rates_.call + rates_.fork_join(threads) +
           bytes / (efficiency * bandwidth(bytes, rates_.memory(threads), threads));
}

double cost_model::move_seconds(double elements, index_t size, index_t run, bool keeps_fast_mode,
                                bool back, int threads) const noexcept {
    const double bytes = elements * real(size);
    const double run_bytes = real(run) * real(size);
    const double lines = std::ceil(run_bytes / line_) * line_ / run_bytes;
    const double efficiency = keeps_fast_mode ? rates_.transpose_kept : rates_.transpose_moved;
    const double memory = (back ? rates_.memory(threads) : rates_.reading(threads)) / threads;
    return rates_.call + bytes * lines / (efficiency * memory) + bytes / rates_.cache_bandwidth;
}

double cost_model::least_product_seconds(double multiply_adds, int threads) const noexcept {
    return flops_per_madd_ * multiply_adds / (kernel_efficiency * flop_rate(threads));
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

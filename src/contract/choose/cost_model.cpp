#include "contract/choose/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <tenfold/error.hpp>

#include "gemm/forms/interleaved.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/first_lines.hpp"
#include "gemm/plan/mixed_plan.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::contract_impl {

cost_model::cost_model(data_type type, const gemm_impl::gemm_plan_options &products,
                       const machine_rates &rates) noexcept
    : type_(type), rates_(rates), products_(products),
      moves_(*products.machine, rates_, size_of(type)), transposing_(moves_) {
    products_.rates = &rates_;
    // Chosen once for all products that are priced. There is none for types that are converted
    // first.
    if (const auto *kernel = gemm_impl::select(type, products.instruction_set)) {
        products_.blocks =
            gemm_impl::choose_blocking(*products.machine, *kernel->kernel, size_of(type));
        cycle_ = gemm_impl::seconds_of_cycle(type, kernel->kernel->vector_length, rates_);
        register_ = kernel->kernel->vector_length / (is_complex(type) ? 2.0 : 1.0);
    }
}

double cost_model::gemm_seconds(const gemm_impl::gemm_shape &shape, data_type inputs,
                                const tensor_sizes &whole, int threads) const {
    gemm_impl::gemm_plan_options options = products_;
    options.threads = threads;
    options.whole = whole;
    try {
        if (inputs != type_) {
            options.blocks.reset(); // those of the type's own products
            const auto product = gemm_impl::choose_mixed(inputs, options);
            return gemm_impl::mixed_plan(product, shape, options).predicted_seconds(options);
        }
        return gemm_impl::gemm_plan(shape, options).predicted_seconds(options);
    } catch (const error &too_large) {
        if (too_large.code() != errc::overflow)
            throw;
        return std::numeric_limits<double>::infinity();
    }
}

double cost_model::interleaved_seconds(const gemm_impl::gemm_shape &shape, index_t count,
                                       const tensor_sizes &whole, int threads) const noexcept {
    gemm_impl::gemm_plan_options options = products_;
    options.threads = threads;
    options.whole = whole;
    return gemm_impl::interleaved_plan(shape, count, options).predicted_seconds(options);
}

double cost_model::move_seconds(double elements, index_t size, const runs &outside,
                                const neighbours &near, bool back, int threads) const noexcept {
    const double bytes = elements * real(size);
    const double run_bytes = real(outside.length) * real(size);
    const double count = elements / real(outside.length);
    const double line = moves_.line();
    // Runs of whole lines are taken to begin on one; others begin anywhere.
    const bool fits_lines = std::fmod(run_bytes, line) == 0;
    const base::lines_of_run of_run(run_bytes, real(size), line, fits_lines);
    const double lines = back ? of_run.moved_by_writing() : of_run.touched;
    // The lines that short runs cut are counted already.
    const bool cut = near.written < outside.length;
    const double efficiency =
        cut ? transposing_.efficiency(near, size) : transposing_.efficiency({near.stay}, size);
    const double memory = (back ? rates_.memory(threads) : rates_.reading(threads)) / threads;
    // Hardware fetches past the end of a run, about as many lines as it had, unless the next run is
    // far: 440 bytes of each 1320 take 71 ns, of each 448 53 (loads on a Zen 4). Charged for
    // outputs as well, prices of 240 contractions fit worse.
    const double gap = (real(outside.distance) * real(size) - run_bytes) / line;
    const double past_end = back ? 0 : std::min(gap, of_run.touched) * line / memory;
    const bool far = is_far(real(outside.distance) * real(size));
    // Transpositions in registers go on while other lines arrive; copies of short runs are what
    // asks for the lines.
    const double in_runs =
        transposing_.of_runs(2 * bytes, near, size, 1) * (!near.stay ? gemm_impl::not_hidden
                                                          : cut      ? 1
                                                                     : 0);
    return transposing_.start() +
           count * (lines * line / (efficiency * memory) + (far ? rates_.strided_line : past_end)) +
           in_runs / efficiency + moves_.in_cache(bytes, 1);
}

bool cost_model::is_far(double bytes) const noexcept {
    return bytes >= gemm_impl::least_far(*products_.machine);
}

double cost_model::least_product_seconds(data_type inputs, double multiply_adds,
                                         int threads) const noexcept {
    return gemm_impl::least_seconds(inputs, multiply_adds, threads, rates_);
}

double cost_model::used_of_line(double cache, const looped &inner,
                                std::span<const looped> around) const noexcept {
    constexpr double operands = 3; // share the cache
    const double per_line = moves_.line() / moves_.element();
    if (inner.stride == 0)
        return per_line;
    double kept = cache / moves_.line() / operands;
    // The place of a line in its page decides on the sets of a cache that may hold it. Lines that
    // are a multiple of two lines apart, up to whole pages, take few of these places.
    const auto lines_of_page = static_cast<index_t>(real(products_.machine->page) / moves_.line());
    const double lines_apart = std::abs(real(inner.stride)) * moves_.element() / moves_.line();
    if (lines_apart == std::floor(lines_apart) && lines_apart < 1e15)
        kept /= real(std::gcd(static_cast<index_t>(lines_apart), lines_of_page));
    double used = std::clamp(per_line / std::abs(real(inner.stride)), 1.0, per_line);
    double lines = real(inner.extent) / used;
    for (const looped &loop : around) {
        if (lines > kept || used >= per_line)
            break;
        if (std::abs(real(loop.stride)) < per_line)
            used = std::min(per_line, used * real(loop.extent));
        else
            lines *= real(loop.extent);
    }
    return used;
}

double cost_model::vector_loop_seconds(const vector_passes &passes,
                                       const std::array<vector_stride, 3> &vectors,
                                       int threads) const noexcept {
    // Lines that one core waits for at the same time: 12 on Skylake, 16 on Golden Cove, 24 on
    // Zen 4. Where hardware prefetches nothing, one line after the other takes strided_line, and a
    // lone one, which is the first of a pass, so many times that (Little's law).
    constexpr double lines_in_flight = 16;
    const double n = passes.n;
    const double memory = rates_.memory(1);
    const double page = real(products_.machine->page) / moves_.element();
    double bytes = 0, touched = 0, lookups = 0, first_lines = 0;
    double of_tiles = 0; // seconds
    double scattered =
        0; // lines that hold one element of a pass, which is prefetched in streams only
    double from_l2 = 0; // lines that leave L1 before all of them is used
    bool contiguous = true;
    for (const auto &[stride, used, used_l1, apart, fresh, whole] : vectors) {
        contiguous = contiguous && stride >= 0 && stride <= 1;
        if (stride == 0)
            continue;
        const double lines = n / used;
        from_l2 += used_l1 < used ? n / used_l1 : 0;
        touched += n * std::min(std::abs(real(stride)) * moves_.element(), moves_.line());
        const double from_whole = moves_.bandwidth(whole * moves_.element(), memory, 1);
        if (whole > 0)
            of_tiles += lines * moves_.line() / from_whole;
        else
            bytes += lines * moves_.line();
        const bool one_of_line = std::abs(real(stride)) * moves_.element() >= moves_.line();
        if (std::abs(real(stride)) >= page) {
            lookups += lines;
        } else if (whole > 0) {
            lookups += from_whole <= memory ? apart * lines_in_flight : 0;
            if (one_of_line && whole * moves_.element() > moves_.l2())
                lookups += lines * fresh * std::min(1.0, memory / from_whole);
        } else {
            first_lines += apart;
            scattered += one_of_line ? lines * fresh : 0;
        }
    }
    constexpr double cycles_of_call = 36;
    constexpr double cycles_of_row = 10;   // a pass that is not the only one of its call
    constexpr double cycles_of_step = 1.5; // strided: one element at a time
    constexpr double cycles_of_sum = 60;   // dot products: partial sums, and what fills none
    const double bandwidth = moves_.bandwidth(passes.count * bytes, memory, 1);
    if (bandwidth <= memory) // caches answer sooner
        lookups += first_lines * lines_in_flight;
    if (passes.count * bytes > moves_.l2())
        lookups += scattered * std::min(1.0, memory / bandwidth);
    const bool sums = vectors.back().stride == 0 && n > 1;
    const double start =
        (passes.at_once > 1 ? cycles_of_row + cycles_of_call / passes.at_once : cycles_of_call) +
        (sums ? cycles_of_sum : 0);
    const double steps =
        (contiguous ? n / register_ * gemm_impl::cycles_of_register(rates_) : n * cycles_of_step) *
        cycle_;
    // Lines that later passes use again come from L2 each time if a pass leaves L1 no room for
    // them.
    const double again =
        moves_.in_cache(touched > first_cache() ? touched : from_l2 * moves_.line(), 1);
    const double traffic = bytes / bandwidth + of_tiles;
    const double per_pass =
        start * cycle_ + std::max({steps, traffic, again}) + lookups * rates_.strided_line;
    return rates_.call + rates_.fork_join(threads) + passes.count * per_pass / threads;
}

double cost_model::boxes_seconds(const box_work &work, int threads) const noexcept {
    // From 21 products on a Zen 4 in 24 kinds of boxes each, f32 and f64: 99 % took 0.67 to 1.5
    // times the sum of this and of lines at the rate of copies. The longer of both fits worse.
    constexpr double cycles_of_run = 3.5;
    constexpr double cycles_of_plane = 9;
    constexpr double cycles_of_transposed = 4.3; // a register
    constexpr double cycles_of_moved = 1.2;      // a register
    constexpr double cycles_of_singly = 3.7;     // an element
    // From six of these products on a Zen 3, whose lines of far runs arrive later than others
    // although they are asked for a box ahead.
    constexpr double not_hidden_of_far_run = 0.5; // of a line that is waited for
    const double cycles = work.runs * cycles_of_run + work.planes * cycles_of_plane +
                          work.singly * cycles_of_singly +
                          (work.transposed * cycles_of_transposed + work.moved * cycles_of_moved) /
                              register_ * gemm_impl::cycles_of_register(rates_);
    const double memory = rates_.memory(threads);
    const double bandwidth = moves_.bandwidth(work.whole, memory, threads);
    const double far =
        work.far_runs * not_hidden_of_far_run * rates_.strided_line * memory / bandwidth;
    return rates_.call + rates_.fork_join(threads) + (cycles * cycle_ + far) / threads +
           work.read / bandwidth + work.written / (work.past_caches ? memory : bandwidth);
}

} // namespace tenfold::contract_impl

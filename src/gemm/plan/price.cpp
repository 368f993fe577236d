// What products cost, in seconds: what each form computes, reads and writes, from the machine's
// rates. The forms' own problems say how they run; no condition on shapes is repeated here.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/traffic.hpp"
#include "gemm/plan/first_lines.hpp"
#include "gemm/plan/mixed_plan.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::divide_up;
using base::traffic;

/// Cycles until the first results of a micro-tile, whose registers start empty.
constexpr double latency = 40;
/// Cycles for an element of D that is stored alone.
constexpr double store_alone = 1.7;
/// Speed of packing along the operand's stride-1 mode, and across it, as a fraction of the
/// bandwidth from which it is read.
constexpr double packing_along = 0.8;
constexpr double packing_across = 0.5;
/// What entering the loops around the micro-kernel takes, in calls of a kernel: buffers, and first
/// blocks that nothing has prefetched.
constexpr double enter_loops = 8;
constexpr double enter_term = 4; // packing a joined term, panel by panel
/// As not_hidden, of a long product.
constexpr double not_hidden_long = 0.15;
constexpr double long_product = 0.25; // bytes per thread, of L2
/// The factor by which products take longer that read B element by element across its rows, once,
/// from further away than L1: every step misses.
constexpr double misses_in_b = 4;

/// The smaller of the strides between neighbours in a matrix.
index_t closest(index_t rows, index_t row_stride, index_t columns, index_t column_stride) noexcept {
    const index_t down = rows > 1 ? std::abs(row_stride) : INT64_MAX;
    const index_t across = columns > 1 ? std::abs(column_stride) : INT64_MAX;
    const index_t step = std::min(down, across);
    return step == INT64_MAX ? 1 : step;
}

/// Units of at most `grain` that the busiest of `ways` threads gets of n, in elements.
double share_of(index_t n, int ways, index_t grain) noexcept {
    return std::min(real(n), real(divide_up(divide_up(n, grain), ways) * grain));
}

/// How a product writes D.
struct written_output {
    const tensor_sizes &whole;
    double in_use;    ///< elements of D between two uses of the same one
    bool past_caches; ///< if beta is 0
    double at_once;   ///< terms of a sum that are added up before D is read and written
};

/// What data moves on.
struct moved_on {
    const base::machine &machine;
    const traffic &moves; ///< of D's type
    int threads;
};

/// The factor by which rows or columns of D take longer that are shorter than two lines and do not
/// adjoin: lines are read that they fill in part, and hardware follows none of these.
double waste_of_short_runs(const placed_matrix &d, const traffic &moves) noexcept {
    const matrix_runs runs(d);
    const double bytes = runs.length * moves.element();
    const double apart = std::abs(real(runs.apart)) * moves.element();
    if (runs.count <= 1 || apart <= bytes || bytes >= 2 * moves.line() ||
        d.whole * moves.element() <= moves.l2())
        return 1;
    const double touched = std::min(apart, bytes + moves.line() - moves.element());
    return 1 + unfetched * (touched / bytes - 1);
}

/// Bytes that move where D is written past the caches: lines that its rows or columns fill are
/// written, those that they cut are read as well.
double bytes_past_caches(const placed_matrix &d, const traffic &moves) noexcept {
    const matrix_runs runs(d);
    const bool apart = runs.count > 1 && !runs.adjoin();
    const double run = runs.length * moves.element() * (apart ? 1 : real(runs.count));
    const bool on_lines =
        !apart || std::fmod(real(runs.apart) * moves.element(), moves.line()) == 0;
    const base::lines_of_run lines(run, moves.element(), moves.line(), on_lines);
    return (apart ? real(runs.count) : 1) * lines.moved_by_writing() * moves.line();
}

/// Seconds for reading and writing D, on average of the terms of a sum.
double output_seconds(const gemm_shape &s, const written_output &how, const moved_on &on) noexcept {
    const auto &[whole, in_use, past, at_once] = how;
    const auto &[machine, moves, threads] = on;
    const double outputs = real(s.m) * real(s.n);
    const index_t step = closest(s.m, s.row_stride_d, s.n, s.column_stride_d);
    const auto read_and_written = [&, threads = threads](double whole_in_use) {
        return moves.overwriting_seconds({outputs, step, whole_in_use}, threads);
    };
    double d = read_and_written(std::max(whole.d, in_use));
    if (!past && step == 1 && !whole.sums)
        d *= waste_of_short_runs(matrix_d(s, whole), moves);
    d += first_line_seconds(matrix_d(s, whole), machine, moves) / threads;
    if (whole.terms > 1) { // the first one's lines are in a cache for the others
        const double times = std::max(1.0, whole.terms / at_once);
        d = (d + (times - 1) * read_and_written(in_use)) / whole.terms;
    }
    if (past) { // where D begins on a line
        // Whoever reads D next finds it in memory, also where the caches would have kept it.
        const double reading = moves.rates().reading(threads);
        const double later = outputs * moves.element() / reading -
                             moves.seconds({outputs, 1, whole.d}, reading, threads);
        const double written =
            bytes_past_caches(matrix_d(s, whole), moves) / moves.rates().memory(threads);
        d += whole.on_lines * (written + later - d);
    }
    return d;
}

/// What the busiest thread multiplies.
struct work_share {
    double rows, columns, steps;
    double pieces; ///< of k, after each of which D is written
};

/// Seconds for reading B again for every row of micro-tiles, where B is scattered: with one element
/// per cache line it does not fit L1. A tall product reads all columns before the next rows, others
/// a micro-panel at a time.
double scattered_seconds(const gemm_shape &s, const streamed_problem &how,
                         const base::machine &machine, const traffic &moves, int threads) noexcept {
    if (!s.scatters_b())
        return 0;
    const double bytes_each = moves.element() * moves.line_waste(s.row_stride_b);
    const double columns =
        how.way == stream_way::tall ? real(s.n) : std::min(real(s.n), real(how.kernel->nr));
    if (columns * real(std::min(s.k, how.kc)) * bytes_each <= real(machine.l1d.size) / 2)
        return 0;
    const double passes = std::ceil(real(s.m) / real(how.kernel->mr)) - 1; // traffic has the first
    return moves.in_cache(passes * real(s.k) * real(s.n) * bytes_each, threads);
}

} // namespace

double least_seconds(data_type inputs, double multiply_adds, int threads,
                     const base::machine_rates &rates) noexcept {
    double flops = rates.fma_flops(inputs);
    if (inputs == data_type::bf16)
        flops = std::max(flops, rates.dot_flops_bf16);
    return flops_per_multiply_add(inputs) * multiply_adds /
           (rates.kernel_efficiency * flops * threads);
}

double gemm_plan::predicted_seconds(const gemm_plan_options &options) const noexcept {
    if (options.rates == nullptr) {
        const auto typical = base::machine_rates::typical_of(options.instruction_set);
        gemm_plan_options with_rates = options;
        with_rates.rates = &typical;
        return predicted_seconds(with_rates);
    }
    const base::machine &machine = *options.machine;
    const base::machine_rates &rates = *options.rates;
    const double start = rates.call + rates.fork_join(threads_);
    if (form_ == gemm_form::nothing)
        return start;
    const gemm_shape &s = shape_;
    const traffic moves(machine, rates, size_of(s.type));
    const tensor_sizes whole = transposed_ ? options.whole.transposed() : options.whole;
    const double reading = rates.reading(threads_);
    const double a = moves.seconds(
        {real(s.m) * real(s.k), closest(s.m, s.row_stride_a, s.k, s.column_stride_a), whole.a},
        reading, threads_);
    const double b = moves.seconds(
        {real(s.k) * real(s.n), closest(s.k, s.row_stride_b, s.n, s.column_stride_b), whole.b},
        reading, threads_);
    const double outputs = real(s.m) * real(s.n);
    const index_t step_d = closest(s.m, s.row_stride_d, s.n, s.column_stride_d);
    const bool streams_past_d = form_ == gemm_form::streamed && streamed_.way != stream_way::deep;
    const double in_use =
        streams_past_d ? bytes_in_use(s, *kernel_->kernel) / moves.element() : outputs;
    const double at_once = form_ == gemm_form::small ? real(small_.summed_at_once) : 1;
    double d = output_seconds(s, {whole, in_use, bypasses_caches() && !whole.sums, at_once},
                              {machine, moves, threads_});
    const double far = far_seconds(s, whole, moves);
    switch (form_) {
    case gemm_form::nothing:
    case gemm_form::scale:
        return start + d;
    case gemm_form::small:
        return small_product_seconds(options, whole, {a, b, d, far});
    case gemm_form::dot:
    case gemm_form::gemv:
        return start + a + b + d + far + vector_seconds(machine, rates, whole);
    case gemm_form::outer: {
        // Stores wait for their lines while the next columns are computed, but those of a block
        // wait until the block before is copied past the caches.
        const double computing = vector_seconds(machine, rates, whole);
        const bool in_turn = outer_.copies_blocks();
        const double hidden = in_turn ? 0 : (1 - not_hidden) * std::min(computing, d);
        return start + a + b + far + computing + d - hidden;
    }
    case gemm_form::packed:
    case gemm_form::streamed:
    case gemm_form::split_k:
    case gemm_form::blis:
        break;
    }

    const bool streams =
        form_ == gemm_form::streamed || (form_ == gemm_form::split_k && split_k_.streams);
    const double computing = computing_seconds(rates, whole.sums);
    double seconds = start;
    if (form_ == gemm_form::split_k) // leaves are written and summed
        seconds += moves.in_cache(2 * real(split_k_.leaves) * outputs * moves.element(), threads_);
    if (streams) {
        const streamed_problem &how = form_ == gemm_form::streamed ? streamed_ : split_k_.in_place;
        const double pieces = real(divide_up(how.shape.k, how.kc)) - 1;
        // Each piece of k but the last leaves D where the next one reads it.
        const double strip = real(how.cached_d);
        d += pieces * outputs / strip * moves.overwriting_seconds({strip, step_d, strip}, threads_);
        double busy = computing;
        const double lines_of_b = real(s.k) * real(s.n); // an element on each
        if (s.row_stride_b != 1 && s.n > s.m && lines_of_b * moves.line() > real(machine.l1d.size))
            busy *= misses_in_b;
        else
            busy += scattered_seconds(s, how, machine, moves, threads_);
        const double moving = a + b + d;
        const double bytes =
            moves.element() * (real(s.m) * real(s.k) + real(s.k) * real(s.n) + outputs);
        const double left =
            bytes > long_product * moves.l2() * threads_ ? not_hidden_long : not_hidden;
        // Tiles fetch what the next ones read, not beginnings.
        seconds += (first_line_seconds_of_inputs(s, whole, machine, moves, before_prefetch) +
                    side_by_side_seconds(matrix_a(s, whole), how.kc, true, machine, moves)) /
                   threads_;
        return seconds + std::max(busy, moving) + left * std::min(busy, moving);
    }
    // What is fetched ahead arrives while other blocks are multiplied, and is packed from a cache.
    double arriving = 0;
    const auto packing = [&](bool in_place, double ahead, double from, double elements,
                             bool along) {
        if (in_place)
            return from;
        const double moved = moves.in_cache(elements * moves.element(), threads_);
        arriving += ahead * from;
        return (ahead * moved + (1 - ahead) * from) / (along ? packing_along : packing_across) +
               moved;
    };
    const bool own = form_ != gemm_form::blis; // BLIS packs both
    const auto ahead = own ? loops().fetched() : macro_problem::shares{};
    const double in_a =
        packing(own && loops().direct_a, ahead.a, a, real(s.m) * real(s.k), s.row_stride_a == 1);
    const double in_b =
        packing(own && loops().direct_b, ahead.b, b, real(s.k) * real(s.n), s.column_stride_b == 1);
    // Tiles read in place what nothing packs, and fetch no beginnings of its runs.
    const double in_place =
        own ? (loops().direct_a
                   ? first_line_seconds(matrix_a(s, whole), machine, moves, before_prefetch)
                   : 0) +
                  (loops().direct_b
                       ? first_line_seconds(matrix_b(s, whole), machine, moves, before_prefetch)
                       : 0)
            : 0;
    // Stores of whole registers overlap with computing; single elements do not.
    const bool in_registers = s.m == 1 || std::abs(s.row_stride_d) == 1;
    return seconds + enter_loops * rates.call +
           (in_registers ? std::max(computing, d + arriving) : std::max(computing + d, arriving)) +
           in_a + in_b + in_place / threads_;
}

double mixed_plan::predicted_seconds(const gemm_plan_options &options) const noexcept {
    const auto typical = base::machine_rates::typical_of(options.instruction_set);
    const base::machine_rates &rates = options.rates != nullptr ? *options.rates : typical;
    const double start = rates.call + rates.fork_join(threads_);
    if (form_ == gemm_form::nothing)
        return start;
    const element_format &elements = kernel_->elements;
    const gemm_shape &s = form_ == gemm_form::scale ? given_ : way_.shape;
    const tensor_sizes whole = way_.transposed ? options.whole.transposed() : options.whole;
    const traffic outputs(*options.machine, rates, elements.output);
    const bool past = form_ == gemm_form::packed && macro_.streams && !whole.sums;
    const double d = output_seconds(s, {whole, real(s.m) * real(s.n), past, /*at_once=*/1},
                                    {*options.machine, outputs, threads_});
    if (form_ == gemm_form::scale)
        return start + d;
    // Both inputs are packed, as words.
    const traffic inputs(*options.machine, rates, elements.input);
    const auto packing = [&](double count, index_t step, double all, bool along) {
        const double from = inputs.seconds({count, step, all}, rates.reading(threads_), threads_);
        const double words = count / real(elements.group) * real(elements.word);
        return from / (along ? packing_along : packing_across) + inputs.in_cache(words, threads_);
    };
    const double in_a =
        packing(real(s.m) * real(s.k), closest(s.m, s.row_stride_a, s.k, s.column_stride_a),
                whole.a, s.row_stride_a == 1);
    const double in_b =
        packing(real(s.k) * real(s.n), closest(s.k, s.row_stride_b, s.n, s.column_stride_b),
                whole.b, s.column_stride_b == 1);

    const micro_kernel &kernel = kernel_->loops;
    const blocking &how = blocks();
    const double busy = form_ == gemm_form::split_k
                            ? real(divide_up(leaves_.leaves, threads_)) / real(leaves_.leaves)
                            : 1;
    const thread_grid grid =
        form_ == gemm_form::split_k ? thread_grid{} : choose_grid(threads_, s.m, s.n, how);
    const bool joined = terms_ > 1; // tiles are long then: those of fewer rows take less time
    const double tile_rows = joined ? real(kernel.vector_length) : real(kernel.mr);
    const double rows = std::ceil(share_of(s.m, grid.m, how.mr) / tile_rows) * tile_rows;
    const double columns = share_of(s.n, grid.n, how.nr);
    const double steps = joined ? real(macro_.shape.k) / real(terms_) : busy * real(s.k);
    const bool dots = has_instruction(kernel_->product, options.instruction_set, *options.machine);
    const double flops =
        is_of_integers(kernel_->product) ? rates.fma_flops_f32 * integer_speed(*kernel_, dots)
        : dots && kernel_->product == mixed_product::bf16_dot ? rates.dot_flops_bf16
                                                              : rates.fma_flops_f32;
    const double pieces = joined ? 1 / real(terms_) : std::ceil(steps / real(how.kc));
    const double tiles = rows / real(kernel.mr) * std::ceil(columns / real(kernel.nr)) * pieces;
    const double registers = rows / real(kernel.vector_length) * columns;
    const double cycles =
        tiles * latency + cycles_of_register(rates) * registers *
                              (pieces * update + (pieces - (whole.sums ? 0 : 1)) * load_again);
    const double computing = 2 * rows * columns * steps / (rates.kernel_efficiency * flops) +
                             cycles * seconds_of_cycle(data_type::f32, kernel.vector_length, rates);
    const double entry = (start + enter_loops * rates.call) / real(terms_);
    return entry + std::max(computing, d / real(terms_)) + in_a + in_b +
           (joined ? enter_term * rates.call / threads_ : 0);
}

double gemm_plan::computing_seconds(const base::machine_rates &rates, bool adds) const noexcept {
    const gemm_shape &s = shape_;
    const double length = real(kernel_->kernel->vector_length);
    work_share most{real(s.m), real(s.n), real(s.k), 1};
    switch (form_) {
    case gemm_form::split_k:
        most.steps = std::min(real(s.k), real(divide_up(split_k_.leaves, threads_)) *
                                             real(split_k_.leaf.shape.k));
        most.pieces = std::ceil(
            most.steps / real(split_k_.streams ? split_k_.in_place.kc : split_k_.leaf.blocks.kc));
        break;
    case gemm_form::streamed:
        if (s.m >= s.n)
            most.rows = share_of(s.m, threads_, kernel_->mr);
        else
            most.columns = share_of(s.n, threads_, kernel_->nr);
        most.pieces = std::ceil(most.steps / real(streamed_.kc));
        break;
    default: {
        const blocking blocks = form_ == gemm_form::blis
                                    ? blocking{kernel_->mr, kernel_->nr, 256, 256, 4096}
                                    : macro_.blocks;
        const thread_grid grid = choose_grid(threads_, s.m, s.n, blocks);
        most.rows = share_of(s.m, grid.m, blocks.mr);
        most.columns = share_of(s.n, grid.n, blocks.nr);
        most.pieces = std::ceil(most.steps / real(blocks.kc));
    }
    }
    const double parts = is_complex(s.type) ? 4 : 1; // real multiply-adds for one product
    const double registers = std::ceil(most.rows / length) * most.columns * parts;
    const double tiles = std::ceil(most.rows / real(kernel_->mr)) *
                         std::ceil(most.columns / real(kernel_->nr)) * most.pieces;
    const double cycles =
        registers * most.steps / (rates.fmas_per_cycle * rates.kernel_efficiency) +
        tiles * latency +
        cycles_of_register(rates) * registers *
            (most.pieces * update + (most.pieces - (adds ? 0 : 1)) * load_again);
    const double cycle = seconds_of_cycle(s.type, kernel_->kernel->vector_length, rates);
    double seconds = cycles * cycle;
    if (s.m > 1 && std::abs(s.row_stride_d) != 1)
        seconds += most.rows * most.columns * most.pieces * store_alone * cycle;
    return seconds;
}

} // namespace tenfold::gemm_impl

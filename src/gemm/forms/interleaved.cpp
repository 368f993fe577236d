#include "gemm/forms/interleaved.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/traffic.hpp"
#include "base/with_type.hpp"
#include "gemm/plan/cycles.hpp"
#include "gemm/plan/first_lines.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Rows and columns of a tile of interleaved products, about, which load its edges at each step, in
/// as many loads per cycle as multiply-adds.
constexpr double interleaved_tile = 3.5;
/// The shorter side of a tile, which is whole where registers are few.
constexpr double tile_side = 3;

index_t elements_of_line(const gemm_shape &s, const base::machine &machine) noexcept {
    return std::max<index_t>(1, machine.l1d.line / size_of(s.type));
}

/// Bytes of A and B of one product.
index_t bytes_of_inputs(const gemm_shape &s) noexcept {
    return (s.m * s.k + s.k * s.n) * size_of(s.type);
}

/// Returns true if one line of each element of A and B does not stay in L2: what is fetched for the
/// products of the next call leaves it before that call.
bool outgrows_l2(const gemm_shape &s, const base::machine &machine) noexcept {
    return real(bytes_of_inputs(s)) * real(elements_of_line(s, machine)) > real(machine.l2.size);
}

/// Returns how many products a kernel takes in one call: tile after tile reads their A and B again,
/// which therefore stay in L1, where those that are fetched meanwhile need room, too; or, of larger
/// ones, one line of each element.
index_t products_at_once(const gemm_shape &s, const base::machine &machine, bool fetches) noexcept {
    const index_t in_line = elements_of_line(s, machine);
    const index_t fit =
        machine.l1d.size / (fetches ? 6 : 2) / std::max<index_t>(1, bytes_of_inputs(s));
    return std::max(in_line, fit / in_line * in_line);
}

} // namespace

interleaved_plan::interleaved_plan(const gemm_shape &each, index_t count,
                                   const gemm_plan_options &options) noexcept
    : each_(each), count_(count), kernel_(select(each.type, options.instruction_set)),
      fetches_(options.whole.leave_l2(size_of(each.type), *options.machine) &&
               !outgrows_l2(each, *options.machine)),
      at_once_(products_at_once(each, *options.machine, fetches_)) {
    const double flops =
        flops_per_multiply_add(each.type) * real(each.m) * real(each.n) * real(each.k);
    // Threads take whole lines.
    const auto lines = static_cast<int>(
        std::min<index_t>(std::max(1, options.threads),
                          base::divide_up(count, elements_of_line(each, *options.machine))));
    threads_ = worthwhile_threads(lines, flops * real(count), flops_per_thread);
}

void interleaved_plan::execute(const product_operands<> &x) const noexcept {
    const index_t size = size_of(each_.type);
    base::with_arithmetic_type(each_.type, [&]<class T>(T) {
        const T alpha = base::scalar_cast<T>(x.alpha);
        const T beta = base::scalar_cast<T>(x.beta);
        base::run_parallel(threads_, [&](const base::team_member &me) {
            // Threads take whole lines.
            const index_t grain = std::max<index_t>(1, 64 / size);
            const base::range mine = base::split(count_, me.size(), me.id(), grain);
            const auto multiply = [&](const base::range &part) {
                for (index_t i = part.begin; i < part.end; i += at_once_) {
                    const interleaved_products now{
                        .m = each_.m,
                        .n = each_.n,
                        .k = x.alpha == scalar{} ? 0 : each_.k,
                        .count = std::min(at_once_, part.end - i),
                        .following = fetches_
                                         ? std::clamp<index_t>(mine.end - i - at_once_, 0, at_once_)
                                         : 0,
                        .a = static_cast<const std::byte *>(x.a) + i * size,
                        .a_step_m = each_.row_stride_a,
                        .a_step_k = each_.column_stride_a,
                        .b = static_cast<const std::byte *>(x.b) + i * size,
                        .b_step_k = each_.row_stride_b,
                        .b_step_n = each_.column_stride_b,
                        .d = static_cast<std::byte *>(x.d) + i * size,
                        .d_step_m = each_.row_stride_d,
                        .d_step_n = each_.column_stride_d,
                        .alpha = &alpha,
                        .beta = &beta,
                        .conj_a = each_.conj_a,
                        .conj_b = each_.conj_b};
                    kernel_->kernel->multiply_interleaved(&now);
                }
            };
            base::in_watched_parts(mine, count_, multiply, at_once_);
        });
    });
}

void interleaved_plan::execute_all(const product_operands<> &first, const product_series &steps,
                                   const following &) const noexcept {
    for (index_t i = 0; i < steps.count; ++i)
        execute(steps.product(first, i, size_of(each_.type)));
}

void interleaved_plan::execute_sum(const product_operands<> &first, product_series steps,
                                   const following &) const noexcept {
    steps.d = 0;
    for (index_t i = 0; i < steps.count; ++i) {
        product_operands<> one = steps.product(first, i, size_of(each_.type));
        if (i > 0)
            one.beta = 1.0;
        execute(one);
    }
}

double interleaved_plan::predicted_seconds(const gemm_plan_options &options) const noexcept {
    const auto typical = base::machine_rates::typical_of(options.instruction_set);
    const base::machine_rates &rates = options.rates != nullptr ? *options.rates : typical;
    const gemm_shape &s = each_;
    const double count = real(count_);
    const bool complex = is_complex(s.type);
    const base::traffic moves(*options.machine, rates, size_of(s.type));
    const double m = real(s.m), n = real(s.n), k = real(s.k);
    const double reading = rates.reading(threads_);
    const auto seconds = [&](double elements, double whole, double in_memory) {
        return moves.seconds({count * elements, 1, whole}, in_memory, threads_);
    };
    const double moving = seconds(m * k, options.whole.a, reading) +
                          seconds(k * n, options.whole.b, reading) +
                          moves.overwriting_seconds({count * m * n, 1, options.whole.d}, threads_);
    // The work of one register of products.
    const double multiply_adds = m * n * k * (complex ? 2 : 1);
    const double loads = 2 * m * n * k / interleaved_tile;
    const placed_matrix d = matrix_d(s, options.whole);
    const bool d_apart = lies_apart(d, 2 * moves.line(), moves);
    const bool adds_in_l2 =
        options.whole.sums && d_apart && m * n * moves.line() > real(options.machine->l1d.size);
    const double cycles =
        std::max(multiply_adds / rates.kernel_efficiency, loads) / rates.fmas_per_cycle +
        cycles_of_register(rates) * m * n * (adds_in_l2 ? update + load_again : update);
    // Lines that no call before has fetched come one by one, for each step of k is far from the
    // next where there are several calls.
    const double lines = std::ceil(count / real(elements_of_line(s, *options.machine)));
    const double alone = lines > 1 && outgrows_l2(s, *options.machine)
                             ? lines * (m * k + k * n) * rates.strided_line / threads_
                             : 0;
    // Each of several calls writes a line or a few of each element of D. Where the elements lie
    // lines apart, these follow no others: they come one by one, too, and go back.
    const double calls = std::ceil(count / real(at_once_));
    const double lines_of_call =
        std::ceil(std::min(count, real(at_once_)) / real(elements_of_line(s, *options.machine)));
    const double apart = calls > 1 && d_apart
                             ? 2 * calls * m * n * std::min(before_prefetch, lines_of_call) *
                                   seconds_of_line(d, moves) / threads_
                             : 0;
    // Nothing fetches the lines of products that share one: they come one by one where elements lie
    // apart, or side by side.
    const auto waiting = [&](const placed_matrix &x) {
        return lies_apart(x, least_far(*options.machine), moves)
                   ? real(x.rows) * real(x.columns) * seconds_of_line(x, moves)
                   : side_by_side_seconds(x, s.k, false, *options.machine, moves);
    };
    // Calls begin anywhere in lines, unless products fill whole ones.
    const double line = real(elements_of_line(s, *options.machine));
    const double each_call = std::min(count, real(at_once_));
    const bool fills_lines = std::fmod(count, line) == 0;
    const double touched = each_call / line + (fills_lines ? 0 : 1 - 1 / line); // lines of a call
    // Of what is in no L2, nobody fetches the lines of the first call, but hardware follows those of
    // adjacent elements.
    const auto first_call = [&](const placed_matrix &x) {
        const bool adjacent = (x.rows > 1 && std::abs(x.row_stride) == count_) ||
                              (x.columns > 1 && std::abs(x.column_stride) == count_);
        return adjacent || x.whole * moves.element() <= moves.l2()
                   ? 0
                   : real(x.rows) * real(x.columns) * std::min(before_prefetch, touched) *
                         seconds_of_line(x, moves);
    };
    const placed_matrix a = matrix_a(s, options.whole), b = matrix_b(s, options.whole);
    double aside = 0;
    if (lines <= 1) {
        aside = waiting(a) + waiting(b);
        if (lies_apart(d, least_far(*options.machine), moves)) // stores of others wait in buffers
            aside += waiting(d);
    } else if (alone == 0) {
        aside = first_call(a) + first_call(b);
    }
    aside /= threads_;
    // Tiles read lines again that L1 does not keep.
    const double line_bytes = line * moves.element();
    const double in_l1 = real(options.machine->l1d.size) / 2 / (touched * line_bytes); // elements
    double again = 0;
    if (m * k + k * n > in_l1) {
        const bool keeps_b = 2 * tile_side * k <= in_l1;
        const double of_a = m * k * (std::ceil(n / tile_side) - 1);
        const double of_b = keeps_b ? 0 : k * n * (std::ceil(m / tile_side) - 1);
        again = moves.in_cache(calls * (of_a + of_b) * touched * line_bytes, threads_);
    }
    const double registers =
        std::ceil(count * (complex ? 2 : 1) / real(kernel_->kernel->vector_length));
    const double cycle = seconds_of_cycle(s.type, kernel_->kernel->vector_length, rates);
    const double computing = registers * cycles * cycle / threads_;
    return rates.call + rates.fork_join(threads_) + alone + apart + aside + again +
           std::max(computing, moving) + not_hidden * std::min(computing, moving);
}

std::string interleaved_plan::describe() const {
    return "interleaved: " + std::string(kernel_->name) + ", " + std::to_string(at_once_) +
           " products at a time, " + std::to_string(threads_) +
           (threads_ == 1 ? " thread" : " threads");
}

} // namespace tenfold::gemm_impl

#include "gemm/plan/choose.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/traffic.hpp"
#include "gemm/forms/blis_backend.hpp"
#include "gemm/forms/copied_products.hpp"
#include "gemm/forms/degenerate.hpp"
#include "gemm/forms/joined.hpp"
#include "gemm/forms/small.hpp"
#include "gemm/forms/streamed.hpp"
#include "gemm/plan/cycles.hpp"

namespace tenfold::gemm_impl {
namespace {

using base::divide_up;

/// Register tiles along the short side of streamed products, at most: with more, the long operand
/// is reused often enough that packing it pays.
constexpr index_t most_tiles = 4;

/// Returns how many leaves a sum is worth: several if m and n alone would not occupy a team, and
/// the sum is long.
index_t worthwhile_leaves(const gemm_shape &s, double steps, const counted_tile &tile) noexcept {
    constexpr double enough_tiles = 64;     // for the cores of a socket
    constexpr double steps_per_leaf = 2048; // several blocks of k, so that summing leaves is cheap
    constexpr double most_leaves = 32;
    const double tiles = real(divide_up(s.m, tile.rows)) * real(divide_up(s.n, tile.columns));
    if (tiles > enough_tiles)
        return 1;
    return static_cast<index_t>(std::clamp(steps / steps_per_leaf, 1.0, most_leaves));
}

/// Returns how many leaves of equal length k is cut into.
index_t choose_leaves(const gemm_shape &s, const counted_tile &tile) noexcept {
    const index_t length = divide_up(s.k, worthwhile_leaves(s, real(s.k), tile));
    return divide_up(s.k, length);
}

bool exceeds_l2(index_t rows, index_t columns, const gemm_shape &s,
                const base::machine &machine) noexcept {
    return real(rows) * real(columns) * real(size_of(s.type)) > real(machine.l2.size);
}

/// Each of A's columns is a stream, of which a tile takes a few lines. Hardware prefetches them if
/// there are no more streams than it can track (docs/adr/0007).
constexpr index_t streams_followed = 40;

/// Returns true if A streams from memory while D stays in L2: reading D repeatedly then costs
/// little, and with few columns there is little to compute while A arrives. False if columns share
/// sets of L1: they evict each other even if they are prefetched.
bool waits_for_columns(const gemm_shape &s, const micro_kernel &kernel,
                       const base::machine &machine) noexcept {
    const base::cache &l1 = machine.l1d;
    return s.n >= kernel.nr && s.n <= 2 * kernel.nr && s.m >= 16 * kernel.mr &&
           exceeds_l2(s.m, s.k, s, machine) && !exceeds_l2(s.m, 2 * s.n, s, machine) &&
           s.column_stride_a * size_of(s.type) % std::max<index_t>(1, l1.size / l1.ways) != 0;
}

/// Returns the shape of a single product that equals the sum, if the matrices continue each other
/// along k: either one after the other, or interleaved step by step.
std::optional<gemm_shape> with_longer_k(const product_sum &sum) {
    const auto &[each, count, stride_a, stride_b] = sum;
    gemm_shape s = each;
    if (count == 0 || s.k == 0) {
        s.k = 0;
        return s;
    }
    if (count == 1)
        return s;
    if (!stride_a || !stride_b)
        return std::nullopt;
    const auto continues = [](index_t stride, index_t extent, index_t inner) {
        index_t whole = 0;
        return !__builtin_mul_overflow(extent, inner, &whole) && stride == whole;
    };
    const bool in_turns = s.k == 1 || (continues(s.column_stride_a, count, *stride_a) &&
                                       continues(s.row_stride_b, count, *stride_b));
    const bool in_order =
        continues(*stride_a, s.k, s.column_stride_a) && continues(*stride_b, s.k, s.row_stride_b);
    if (!in_turns && !in_order)
        return std::nullopt;
    if (in_turns) {
        s.column_stride_a = *stride_a;
        s.row_stride_b = *stride_b;
    }
    s.k = base::checked_multiply(count, s.k, "gemm_batch_reduce: matrices times k");
    return s;
}

/// Returns true for products with vectors that do not fit L1. Their own forms read one matrix in
/// long runs, or write it past the caches.
bool prefers_vector_form(const gemm_shape &s, const base::machine &machine) noexcept {
    const double elements = real(s.m) * real(s.k) + real(s.k) * real(s.n) + real(s.m) * real(s.n);
    return (s.m == 1 || s.n == 1 || s.k == 1) &&
           elements * real(size_of(s.type)) > real(machine.l1d.size);
}

/// Returns the way in which loops compute a product. Turned, a product computes fewer registers if
/// rows leave lanes of the last one idle, but where B's columns have adjacent elements, it packs
/// what the streamed form reads in place, and takes longer (docs/adr/0007).
orientation choose_way(const gemm_shape &s, const micro_kernel &kernel,
                       const base::machine &machine) noexcept {
    const orientation kept = unturned(s);
    return s.row_stride_b == 1 && can_stream(kept.shape, kernel, machine)
               ? kept
               : orient(s, kernel.vector_length);
}

/// An outer product computes columns of D, whose elements lie closest.
bool is_outer_turned(const gemm_shape &s) noexcept {
    return std::abs(s.column_stride_d) < std::abs(s.row_stride_d);
}

/// Returns true if the outer or streamed form writes past the caches where D, a part of `whole_d`
/// elements, lies.
bool bypasses_caches(const gemm_shape &s, const micro_kernel &kernel, const base::machine &machine,
                     index_t whole_d) noexcept {
    if (s.k == 1 && kernel.axpby != nullptr)
        return make_outer_problem(is_outer_turned(s) ? s.transposed() : s, kernel, machine, 1,
                                  whole_d)
            .streams;
    const gemm_shape way = choose_way(s, kernel, machine).shape;
    return can_stream(way, kernel, machine) &&
           make_streamed_problem(way, kernel, machine, 1, whole_d).bypasses_caches;
}

/// Returns true for products of a series that move more of D than of A and B, and write it past
/// the caches, because these would not keep it.
bool writes_past_caches(const gemm_shape &s, const micro_kernel &kernel,
                        const gemm_plan_options &options) noexcept {
    const tensor_sizes &whole = options.whole;
    return whole.series && !whole.sums &&
           real(s.m) * real(s.n) > (real(s.m) + real(s.n)) * real(s.k) &&
           leaves_caches(whole.d * real(size_of(s.type)), *options.machine, 1) &&
           bypasses_caches(s, kernel, *options.machine, whole.written_once());
}

#if defined(TENFOLD_HAVE_BLIS)
bool is_for_blis(const gemm_shape &shape, const gemm_plan_options &options) noexcept {
    return options.back == backend::blis && !options.reproducible && blis_accepts(shape);
}
#else
bool is_for_blis(const gemm_shape &, const gemm_plan_options &) noexcept { return false; }
#endif

} // namespace

chosen_form choose_form(const gemm_shape &shape, const micro_kernel &kernel,
                        const counted_tile &tile, const gemm_plan_options &options) noexcept {
    const auto as = [&](gemm_form form, bool transposed = false) {
        return chosen_form{form, {transposed ? shape.transposed() : shape, transposed}, 1};
    };
    if (shape.m == 0 || shape.n == 0)
        return as(gemm_form::nothing);
    if (shape.k == 0)
        return as(gemm_form::scale);
    const bool in_any_order = !options.same_for_all_shapes;
    if (in_any_order && !options.packs_small && !prefers_vector_form(shape, *options.machine) &&
        !writes_past_caches(shape, kernel, options)) {
        const bool turned = is_turned(shape.m, shape.n, shape.row_stride_a, shape.row_stride_d);
        if (takes_small_form(turned ? shape.transposed() : shape, kernel, options))
            return as(gemm_form::small, turned);
    }
    if (in_any_order && (shape.m == 1 || shape.n == 1) && kernel.gemv_columns != nullptr) {
        if (shape.m != shape.n)
            return as(gemm_form::gemv, shape.n != 1);
        // The second vector is copied if it is strided, the first is not.
        return as(gemm_form::dot, shape.column_stride_a != 1 && shape.row_stride_b == 1);
    }
    if (in_any_order && shape.k == 1 && kernel.axpby != nullptr)
        return as(gemm_form::outer, is_outer_turned(shape));
    if (in_any_order && is_for_blis(shape, options))
        return as(gemm_form::blis);

    chosen_form chosen = as(gemm_form::packed);
    if (!in_any_order) {
        // Complex products add their four parts in another order if A and B are swapped.
        if (!is_complex(shape.type))
            chosen.way = orient(shape, kernel.vector_length);
        return chosen;
    }
    chosen.way = choose_way(shape, kernel, *options.machine);
    chosen.leaves = choose_leaves(chosen.way.shape, tile);
    if (chosen.leaves > 1)
        chosen.form = gemm_form::split_k;
    else if (can_stream(chosen.way.shape, kernel, *options.machine))
        chosen.form = gemm_form::streamed;
    return chosen;
}

bool fits_in_place(data_type type, index_t m, index_t n, index_t k, bool alone,
                   const micro_kernel &kernel, const base::machine &machine) noexcept {
    if (m <= 0 || n <= 0 || k <= 0 || !(alone || is_complex(type)))
        return false;
    // If nothing is packed, nearly every load of a register as long as a line crosses lines.
    const index_t size = size_of(type);
    const index_t parts = is_complex(type) ? 2 : 1;
    if (kernel.vector_length * size >= parts * machine.l1d.line)
        return false;
    const index_t most = machine.l2.size / size; // elements of all three matrices together
    // Real products with few columns are faster in the streamed form, which computes all columns
    // before the next rows.
    return (is_complex(type) || n > most_tiles * kernel.nr) && m <= most && n <= most &&
           k <= choose_blocking(machine, kernel, size).kc && m * k + k * n + m * n <= most;
}

bool takes_small_form(const gemm_shape &s, const micro_kernel &kernel,
                      const gemm_plan_options &options) noexcept {
    if (kernel.multiply_small == nullptr || options.back != backend::native ||
        (s.row_stride_d != 1 && s.m > 1))
        return false;
    const bool complex = is_complex(s.type);
    const bool alone = options.threads <= 1 && !options.reproducible;
    if (!is_small(complex, s.m, s.n, s.k) &&
        (complex || !fits_in_place(s.type, s.m, s.n, s.k, alone, kernel, *options.machine)))
        return false;
    const index_t size = size_of(s.type);
    return copied_products::fits(kernel, s.k, size) ||
           !copies_a(*options.machine, kernel, small_product_of(s), s.row_stride_a, size);
}

bool sums_in_registers(const gemm_shape &turned, const small_form &form,
                       const micro_kernel &kernel) noexcept {
    return kernel.multiply_reduced != nullptr && form.in_place() && !form.copies &&
           (!form.fetches() || turned.m % kernel.vector_length != 0);
}

bool fills_registers(data_type type, index_t products, const micro_kernel &kernel) noexcept {
    return products * (is_complex(type) ? 2 : 1) >= kernel.vector_length;
}

bool can_stream(const gemm_shape &shape, const micro_kernel &kernel,
                const base::machine &machine) noexcept {
    constexpr index_t most_columns = INT32_MAX; // kernels divide in 32 bits
    // If k is short, D is most of the traffic; writing it past the cache then pays for reading B
    // more often.
    constexpr index_t few_steps = 64;
    const index_t most_side_by_side = shape.k <= few_steps && may_join_lines(shape, kernel, machine)
                                          ? 2 * most_tiles
                                          : most_tiles;
    // If k is long and each element of B lies on a line of its own, B arrives too late, because
    // hardware does not prefetch it.
    const index_t in_l1 = machine.l1d.size / machine.l1d.line; // lines
    const bool late = shape.k > std::max(shape.m, shape.n) && shape.m > kernel.mr &&
                      shape.scatters_b() && shape.n > in_l1 / shape.k;
    return kernel.skinny.tall != nullptr && shape.row_stride_a == 1 && shape.row_stride_d == 1 &&
           shape.n <= most_columns && !late &&
           (shape.n <= most_side_by_side * kernel.nr || shape.m <= most_tiles * kernel.mr);
}

chosen_stream choose_stream(const gemm_shape &s, const micro_kernel &kernel,
                            const base::machine &machine) noexcept {
    const index_t size = size_of(s.type);
    const index_t longest = std::max({s.m, s.n, s.k});
    const bool from_memory = leaves_caches(real(s.m) * real(s.k) * real(size), machine, 1);
    const bool loses_track = exceeds_l2(s.m, s.k, s, machine) && s.k > streams_followed;
    // A tile of A takes more of L1 than a micro-panel of B, and the next one is fetched meanwhile.
    const index_t in_l1 = steps_in_l1(machine, kernel, size) / 2;
    if (waits_for_columns(s, kernel, machine)) // also if k is longer than m
        return {stream_way::tall, std::min(in_l1, streams_followed), from_memory};
    // Both parts stay in L1 while the other's tiles stream through, and the next parts are
    // prefetched. A's part may take half of L1, or all of it if it is short.
    constexpr index_t shortest = 48;
    const index_t fit = machine.l1d.size / (s.m * size);
    if (longest != s.m && longest != s.n && fit >= shortest) {
        const index_t short_part = std::min<index_t>(64, fit / 16 * 16);
        return {stream_way::deep, std::clamp<index_t>(fit / 32 * 16, short_part, 256)};
    }
    if (longest == s.n && longest != s.m)
        return {stream_way::wide, in_l1};
    return {stream_way::tall, in_l1, from_memory || loses_track};
}

bool leaves_caches(double bytes, const base::machine &machine, int threads) noexcept {
    return bytes > base::kept_in_caches(machine, threads);
}

index_t choose_vector_leaves(index_t m, index_t k) noexcept {
    constexpr index_t enough_rows = 1024;
    constexpr index_t steps_per_leaf = 4096;
    constexpr index_t most_leaves = 64;
    return m >= enough_rows ? 1 : std::clamp<index_t>(k / steps_per_leaf, 1, most_leaves);
}

chosen_deal choose_deal(index_t count, bool small, int shared, int threads,
                        double seconds) noexcept {
    const auto most = std::max<index_t>(1, count);
    const auto team =
        static_cast<int>(std::clamp<index_t>(worthwhile_team(threads, seconds), 1, most));
    // In a round each thread computes one product. The products left after whole rounds would keep
    // only a few threads busy, so the team shares each of them if it is large enough.
    if (small || shared <= 1)
        return {team, count};
    return {team, shared > team ? 0 : count / team * team};
}

chosen_sum choose_sum(const product_sum &sum, const micro_kernel &kernel, const counted_tile &tile,
                      const small_form *small) {
    if (const auto longer = with_longer_k(sum))
        return {reduce_form::longer_k, *longer};
    chosen_sum chosen;
    const gemm_shape &s = sum.each;
    // multiply_reduced packs nothing.
    if (small != nullptr && small->in_place() && kernel.multiply_reduced != nullptr &&
        is_small(is_complex(s.type), s.m, s.n, s.k))
        chosen.form = reduce_form::in_registers;
    const bool turned = chosen.form == reduce_form::in_registers && small->turned;
    chosen.leaves = std::min(sum.count, worthwhile_leaves(turned ? s.transposed() : s,
                                                          real(s.k) * real(sum.count), tile));
    return chosen;
}

index_t choose_terms_at_once(index_t steps, index_t kc, const gemm_plan_options &options) noexcept {
    const index_t fit = std::min(kc / steps, most_terms_at_once);
    if (options.whole.terms <= 1 || fit < 2 || options.same_for_all_shapes)
        return 1;
    // As in all blocks of k, parts of nearly equal length.
    const double calls = std::ceil(options.whole.terms / real(fit));
    return static_cast<index_t>(std::ceil(options.whole.terms / calls));
}

mixed_product choose_bf16(const gemm_plan_options &options) noexcept {
    if (options.sums != bf16_sums::automatic)
        return options.sums == bf16_sums::widened ? mixed_product::bf16_widened
                                                  : mixed_product::bf16_dot;
    const auto rates = options.rates != nullptr
                           ? *options.rates
                           : base::machine_rates::typical_of(options.instruction_set);
    const bool dots =
        !options.reproducible && rates.dot_flops_bf16 > rates.fma_flops_f32 &&
        has_instruction(mixed_product::bf16_dot, options.instruction_set, *options.machine);
    return dots ? mixed_product::bf16_dot : mixed_product::bf16_widened;
}

mixed_product choose_mixed(data_type inputs, const gemm_plan_options &options) noexcept {
    switch (inputs) {
    case data_type::bf16:
        return choose_bf16(options);
    case data_type::i8:
        return mixed_product::i8;
    case data_type::u8:
        return mixed_product::u8_i8;
    case data_type::i32:
        return mixed_product::i32;
    default:
        return mixed_product::f16_widened;
    }
}

} // namespace tenfold::gemm_impl

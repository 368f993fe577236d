#include "gemm/forms/small.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/option_checks.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "gemm/forms/copied_products.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Returns the end of a matrix whose strides are positive.
template <class T> const T *end_of(const matrix_view<T> &x) noexcept {
    return x.data + (x.rows - 1) * x.row_stride + (x.columns - 1) * x.column_stride + 1;
}

/// Returns true if no stride is negative, or so large that positions of small matrices might
/// overflow.
constexpr bool near(index_t strides_in_bits) noexcept {
    return (strides_in_bits & ~index_t{INT32_MAX}) == 0;
}

/// Inlined by force, as suits() and multiply() are: one call more costs the smallest products some
/// 2 % of their time.
template <class T, class C> [[gnu::always_inline]] inline bool
apart(const matrix_view<T> &x, const matrix_view<C> &c) noexcept {
    return end_of(x) <= c.data || end_of(c) <= x.data;
}

/// Returns true if C's columns are contiguous and do not overlap, no stride is negative or very
/// large, and C shares no memory with A or B.
template <class T> [[gnu::always_inline]] inline bool suits(const matrix_view<const T> &a,
                                                            const matrix_view<const T> &b,
                                                            const matrix_view<T> &c) noexcept {
    return (c.row_stride == 1 || c.rows == 1) && (c.column_stride >= c.rows || c.columns == 1) &&
           near(a.row_stride | a.column_stride | b.row_stride | b.column_stride |
                c.column_stride) &&
           apart(a, c) && apart(b, c);
}

struct conjugates {
    bool a, b;
};

/// Multiplies from copies of A's panels. Not inline, because products that are not copied would
/// have room for a panel on their stack.
[[gnu::noinline]] void multiply_copied(const micro_kernel &kernel, const small_product &one,
                                       index_t row_stride_a, index_t element_size) noexcept {
    copied_products(kernel, one, row_stride_a, element_size)
        .multiply(one.a, one.b, one.beta, one.d);
}

/// Decides whether A is copied and which thread takes which columns; the smallest products skip
/// this. Not inline, because they would pay for its registers and its stack.
template <class T> [[gnu::noinline]] bool multiply_in_parts(const micro_kernel &kernel,
                                                            const small_product &product,
                                                            index_t row_stride_a, int threads,
                                                            const base::machine &machine) {
    const bool copies = copies_a(machine, kernel, product, row_stride_a, sizeof(T));
    if (copies && !copied_products::fits(kernel, product.k, sizeof(T)))
        return false;
    const auto run = [&](const small_product &part) {
        if (copies)
            multiply_copied(kernel, part, row_stride_a, sizeof(T));
        else
            kernel.multiply_small(&part);
    };
    if (threads == 1) {
        run(product);
        return true;
    }
    base::run_parallel(threads, [&](base::team_member me) {
        const base::range mine = base::split(product.n, me.size(), me.id(), kernel.nr);
        if (mine.empty())
            return;
        small_product part = product;
        part.n = mine.size();
        part.b = static_cast<const T *>(product.b) + mine.begin * product.b_step_n;
        part.d = static_cast<T *>(product.d) + mine.begin * product.d_step;
        run(part);
    });
    return true;
}

/// With what a product is computed, in either orientation.
struct small_call {
    const micro_kernel &kernel;
    int threads;
    const gemm_options &options;
    const context &ctx;
};

template <class T>
[[gnu::always_inline]] inline bool multiply(const small_call &call, const matrix_view<const T> &a,
                                            const matrix_view<const T> &b, const matrix_view<T> &c,
                                            conjugates conj) {
    if (!suits(a, b, c))
        return false;
    const T alpha = base::scalar_cast<T>(call.options.alpha);
    if (alpha == T(0)) // A and B may hold anything
        return false;
    const T beta = base::scalar_cast<T>(call.options.beta);
    const small_product product{.m = c.rows,
                                .n = c.columns,
                                .k = a.columns,
                                .a = a.data,
                                .a_step = a.column_stride,
                                .b = b.data,
                                .b_step_k = b.row_stride,
                                .b_step_n = b.column_stride,
                                .alpha = &alpha,
                                .beta = &beta,
                                .d = c.data,
                                .d_step = c.column_stride,
                                .conj_a = conj.a,
                                .conj_b = conj.b};
    if (call.threads > 1 || may_copy_a(call.kernel, product, a.row_stride))
        return multiply_in_parts<T>(call.kernel, product, a.row_stride, call.threads,
                                    base::machine_of(call.ctx));
    call.kernel.multiply_small(&product);
    return true;
}

} // namespace

bool copies_a(const base::machine &machine, const micro_kernel &kernel,
              const small_product &product, index_t row_stride_a, index_t element_size) noexcept {
    if (row_stride_a != 1 && product.m > 1)
        return true;
    if (!may_copy_a(kernel, product, row_stride_a) ||
        !copied_products::fits(kernel, product.k, element_size))
        return false;
    // Columns whose distance is a multiple of 2^j bytes fall into the same cache sets: L1 has room
    // for size / 2^j of them, and for half as many if each lies across two lines.
    const base::cache &l1 = machine.l1d;
    const auto step =
        static_cast<std::uint64_t>(product.a_step) * static_cast<std::uint64_t>(element_size);
    const auto apart = static_cast<index_t>(
        std::min<std::uint64_t>(step & -step, static_cast<std::uint64_t>(l1.size / l1.ways)));
    return product.k * apart > 2 * l1.size;
}

template <class T> bool multiply_if_small(const matrix_view<const T> &a,
                                          const matrix_view<const T> &b, const matrix_view<T> &c,
                                          const gemm_options &options, const context &ctx) {
    // These calls come first, because values loaded before them would be saved across them.
    const backend back = options.backend.value_or(ctx.settings().backend);
    const micro_kernel &kernel = *select(data_type_of<T>, ctx.isa())->kernel;
    const index_t m = c.rows;
    const index_t n = c.columns;
    const index_t k = a.columns;
    if (m != a.rows || n != b.columns || k != b.rows || a.data == nullptr || b.data == nullptr ||
        c.data == nullptr)
        return false;
    if (!is_complex(data_type_of<T>) && (options.alpha.imag() != 0 || options.beta.imag() != 0))
        return false;
    if (options.threads < 0 || options.threads > base::most_threads || back != backend::native)
        return false;
    const bool turned = is_turned(m, n, a.row_stride, c.row_stride);
    int threads = 1;
    if (!is_small(is_complex(data_type_of<T>), m, n, k)) {
        threads = options.threads > 0 ? options.threads : ctx.threads();
        const bool alone = threads == 1 && !ctx.settings().reproducible;
        if (!fits_in_place(data_type_of<T>, turned ? n : m, turned ? m : n, k, alone, kernel,
                           base::machine_of(ctx)))
            return false;
        const double flops = 8.0 * static_cast<double>(m) * static_cast<double>(n * k);
        threads = worthwhile_threads(threads, flops, flops_per_thread);
    }
    const small_call call{kernel, threads, options, ctx};
    // C^T = B^T A^T has the same addresses.
    return turned ? multiply(call, b.transposed(), a.transposed(), c.transposed(),
                             {options.conj_b, options.conj_a})
                  : multiply(call, a, b, c, {options.conj_a, options.conj_b});
}

void small_form::multiply(const small_product &with_pointers) const noexcept {
    if (!copies)
        kernel->multiply_small(&with_pointers);
    else
        multiply_copied(*kernel, with_pointers, row_stride_a, element_size);
}

void small_form::multiply_all(const small_product &first, const product_series &steps,
                              const void *later_beta, following next) const noexcept {
    if (copies)
        return multiply_all_copied(first, steps, later_beta, next);
    const small_series all{first,     steps.count, steps.a,    steps.b, steps.d, fetches_a,
                           fetches_b, fetches_d,   later_beta, next.a,  next.b,  next.d};
    kernel->multiply_series(&all);
}

void small_form::multiply_all_copied(const small_product &first, const product_series &steps,
                                     const void *later_beta, following next) const noexcept {
    copied_products each(*kernel, first, row_stride_a, element_size);
    each.set_fetched(steps.b, fetches_b, steps.d, fetches_d);
    const auto *a = static_cast<const std::byte *>(first.a);
    const auto *b = static_cast<const std::byte *>(first.b);
    auto *d = static_cast<std::byte *>(first.d);
    for (index_t i = 0; i < steps.count; ++i) {
        const bool last = i + 1 == steps.count;
        const std::byte *const next_a = a + steps.a * element_size;
        const std::byte *const next_b = b + steps.b * element_size;
        std::byte *const next_d = d + steps.d * element_size;
        const following after = last ? next : following{next_a, next_b, next_d};
        const bool follows = fetches() && after.a != nullptr;
        each.multiply(a, b, i == 0 ? first.beta : later_beta, d, follows ? &after : nullptr);
        a = next_a;
        b = next_b;
        d = next_d;
    }
}

void small_form::sum_all(const small_product &first, const product_series &steps, const void *one,
                         following next) const noexcept {
    constexpr index_t most_ahead = 24;
    const void *a[most_at_once + most_ahead];
    const void *b[most_at_once + most_ahead];
    const index_t read_by_tile =
        std::min(first.m, index_t{kernel->mr}) + std::min(first.n, index_t{kernel->nr});
    const index_t ahead =
        fetches()
            ? std::min<index_t>(most_ahead, products_ahead(read_by_tile * first.k * element_size))
            : 0;
    reduced_product sum{first, 0, a, b, 0, 0, fetches_runs_of_a(), fetches_runs_of_b()};
    // The terms of the sum that follows lie like those of this one.
    const auto at = [&](const void *now, const void *later, index_t term, index_t step) {
        const bool beyond = term >= steps.count;
        return static_cast<const std::byte *>(beyond ? later : now) +
               (beyond ? term - steps.count : term) * step * element_size;
    };
    for (index_t i = 0; i < steps.count; i += summed_at_once) {
        sum.count = std::min(summed_at_once, steps.count - i);
        const index_t left = steps.count - i - sum.count;
        sum.following = std::min(ahead, next.a != nullptr ? left + steps.count : left);
        for (index_t p = 0; p < sum.count + sum.following; ++p) {
            a[p] = at(first.a, next.a, i + p, steps.a);
            b[p] = at(first.b, next.b, i + p, steps.b);
        }
        kernel->multiply_reduced(&sum);
        sum.each.beta = one;
    }
}

index_t products_at_once(const gemm_shape &s, index_t columns,
                         const cache_shares &shares) noexcept {
    constexpr index_t enough_steps = 64;
    const index_t each = (s.m + std::min(s.n, columns)) * s.k * size_of(s.type);
    const index_t wanted = std::min(shares.cached / each, base::divide_up(enough_steps, s.k));
    return std::clamp<index_t>(std::max(shares.near / each, wanted), 1, most_at_once);
}

small_product small_product_of(const gemm_shape &shape) noexcept {
    small_product product{};
    product.m = shape.m;
    product.n = shape.n;
    product.k = shape.k;
    product.a_step = shape.column_stride_a;
    product.b_step_k = shape.row_stride_b;
    product.b_step_n = shape.column_stride_b;
    product.d_step = shape.column_stride_d;
    product.conj_a = shape.conj_a;
    product.conj_b = shape.conj_b;
    return product;
}

small_form make_small_form(const gemm_shape &turned, bool is_turned, const micro_kernel &kernel,
                           const gemm_plan_options &options) noexcept {
    const small_product product = small_product_of(turned);
    const index_t size = size_of(turned.type);
    small_form form{&kernel,
                    is_turned,
                    copies_a(*options.machine, kernel, product, turned.row_stride_a, size),
                    product,
                    turned.row_stride_a,
                    size};
    if (options.whole.leave_l2(size, *options.machine)) {
        const tensor_sizes whole = is_turned ? options.whole.transposed() : options.whole;
        // A tensor of up to a third of L2 stays there while the others pass, one of which is
        // larger.
        const auto passes = [&](double elements) {
            return 3 * elements * static_cast<double>(size) >
                   static_cast<double>(options.machine->l2.size);
        };
        form.fetches_a = passes(whole.a);
        form.fetches_b = passes(whole.b);
        form.fetches_d = passes(whole.d);
    }
    if (sums_in_registers(turned, form, kernel))
        form.summed_at_once =
            products_at_once(turned, turned.n, cache_shares::of(*options.machine));
    return form;
}

std::optional<small_form> find_small_form(const gemm_shape &shape,
                                          const gemm_plan_options &options) {
    const kernel_info *info = select(shape.type, options.instruction_set);
    if (info == nullptr)
        return std::nullopt;
    const bool turned = is_turned(shape.m, shape.n, shape.row_stride_a, shape.row_stride_d);
    const gemm_shape s = turned ? shape.transposed() : shape;
    if (!takes_small_form(s, *info->kernel, options))
        return std::nullopt;
    return make_small_form(s, turned, *info->kernel, options);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template bool multiply_if_small(const matrix_view<const T> &, const matrix_view<const T> &,    \
                                    const matrix_view<T> &, const gemm_options &,                  \
                                    const context &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::gemm_impl

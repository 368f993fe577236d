#include "gemm/plan/mixed_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "gemm/forms/degenerate.hpp"
#include "gemm/forms/joined.hpp"

namespace tenfold::gemm_impl {
namespace {

/// The same with the factors that the kernels take.
template <class Out> mixed_operands<Out> with_factors(const product_operands<> &x) noexcept {
    const auto factor = [](scalar value) {
        if constexpr (std::is_integral_v<Out>)
            return base::integer_factor(value);
        else
            return base::scalar_cast<Out>(value);
    };
    return {.alpha = factor(x.alpha),
            .a = x.a,
            .b = x.b,
            .beta = factor(x.beta),
            .d = static_cast<Out *>(x.d),
            .workspace = x.workspace,
            .finish = x.finish};
}

} // namespace

mixed_plan::mixed_plan(mixed_product product, const gemm_shape &shape,
                       const gemm_plan_options &given)
    : kernel_(&select(product, given.instruction_set, *given.machine)), given_(shape) {
    gemm_plan_options options = given;
    options.back = backend::native; // others have no such kernels
    const chosen_form chosen = choose_form(shape, kernel_->loops, square_tile, options);
    form_ = chosen.form;
    way_ = chosen.way;
    if (way_.transposed) // its tile has the same size
        kernel_ = &select(swapped(product), given.instruction_set, *given.machine);
    const int wanted = std::max(1, options.threads);
    const double outputs = real(shape.m) * real(shape.n);
    threads_ = form_ == gemm_form::scale
                   ? worthwhile_threads(wanted, outputs * 4, bytes_per_thread)
                   : worthwhile_threads(wanted, 2 * outputs * real(shape.k), flops_per_thread);
    if (form_ == gemm_form::nothing || form_ == gemm_form::scale)
        return;

    const micro_kernel &loops = kernel_->loops;
    const element_format &elements = kernel_->elements;
    blocking blocks;
    if (options.blocks) {
        blocks = *options.blocks;
    } else {
        // The caches hold words, so a word is one step of the model.
        blocks = choose_blocking(*options.machine, loops, elements.word);
        blocks.kc *= elements.group;
    }
    blocks.mr = loops.mr;
    blocks.nr = loops.nr;
    blocks.kc = base::round_up(std::max<index_t>(1, blocks.kc), elements.group);
    blocks.mc = std::max(blocks.mr, blocks.mc / blocks.mr * blocks.mr);
    blocks.nc = std::max(blocks.nr, blocks.nc / blocks.nr * blocks.nr);
    gemm_shape at_once = way_.shape;
    if (form_ == gemm_form::packed) {
        const index_t steps = base::round_up(at_once.k, elements.group);
        terms_ = choose_terms_at_once(steps, blocks.kc, options);
        if (terms_ > 1) {
            at_once.k = terms_ * steps;
            threads_ = worthwhile_threads(wanted, 2 * outputs * real(at_once.k), flops_per_thread);
        }
    }
    const macro_place on{*options.machine, blocks, threads_};
    if (form_ == gemm_form::split_k) {
        leaves_ = make_leaves_problem(way_.shape, loops, on, elements, chosen.leaves);
        threads_ = leaves_.threads;
        workspace_ = leaves_.workspace_size();
        return;
    }
    macro_ = make_macro_problem(at_once, loops, on, elements, options.whole.written_once());
    macro_.steps_of_term = terms_ > 1 ? way_.shape.k : 0;
    workspace_ = macro_.workspace_size();
}

template <class Out> void mixed_plan::execute(const mixed_operands<Out> &x) const noexcept {
    if (form_ == gemm_form::nothing)
        return;
    if (form_ == gemm_form::scale || x.alpha == Out{}) {
        scale_elements(given_, x.beta, x.d, threads_);
        if (x.finish != nullptr)
            x.finish->apply_all(given_.m, given_.n, x.d, given_.row_stride_d,
                                given_.column_stride_d, threads_);
        return;
    }
    const void *a = x.a;
    const void *b = x.b;
    multiply(x, &a, &b, 1);
}

template <class Out> void mixed_plan::multiply(mixed_operands<Out> x, const void **a,
                                               const void **b, index_t terms) const noexcept {
    if (way_.transposed)
        std::swap(a, b);
    for (index_t i = 0; i < terms; ++i)
        a[i] = static_cast<const std::byte *>(a[i]) + way_.offset_a * kernel_->elements.input;
    x.d += way_.offset_d;
    std::optional<fused_epilogue> turned;
    if (x.finish != nullptr) {
        turned = *x.finish;
        if (way_.transposed)
            turned->transpose();
        if (way_.offset_d != 0)
            turned->reverse_rows();
        x.finish = &*turned;
    }
    x.a = a[0];
    x.b = b[0];
    if (form_ == gemm_form::split_k)
        return run_leaves(leaves_, x);
    loop_operands operands{.alpha = &x.alpha,
                           .a = x.a,
                           .b = x.b,
                           .beta = &x.beta,
                           .d = x.d,
                           .workspace = x.workspace,
                           .finish = x.finish};
    if (terms_ == 1)
        return run_macro(macro_, operands);
    operands.a = a;
    operands.b = b;
    macro_problem joined = macro_;
    joined.shape.k = macro_.shape.k / terms_ * terms;
    run_macro(joined, operands);
}

template <class Out> void mixed_plan::execute_sum(const mixed_operands<Out> &x,
                                                  const product_terms &terms) const noexcept {
    if (terms.count == 0 || !is_blocked() || x.alpha == Out{}) {
        mixed_operands<Out> scaled = x;
        scaled.alpha = Out{};
        return execute(scaled);
    }
    const index_t calls = base::divide_up(terms.count, terms_);
    base::in_watched_parts({0, calls}, calls, [&](base::range part) {
        for (index_t call = part.begin; call < part.end; ++call) {
            const void *a[most_terms_at_once];
            const void *b[most_terms_at_once];
            const index_t first = call * terms_;
            const index_t count = std::min(terms_, terms.count - first);
            terms.find(terms.matrices, terms.first + first, count, a, b);
            mixed_operands<Out> some = x;
            if (call > 0)
                some.beta = Out(1);
            if (call + 1 < calls)
                some.finish = nullptr;
            multiply(some, a, b, count);
        }
    });
}

template void mixed_plan::execute(const mixed_operands<float> &) const noexcept;
template void mixed_plan::execute(const mixed_operands<std::uint32_t> &) const noexcept;
template void mixed_plan::execute_sum(const mixed_operands<float> &,
                                      const product_terms &) const noexcept;
template void mixed_plan::execute_sum(const mixed_operands<std::uint32_t> &,
                                      const product_terms &) const noexcept;

void mixed_plan::execute_all(const product_operands<> &first, const product_series &steps,
                             following) const noexcept {
    if (is_of_integers(kernel_->product))
        return execute_each<std::uint32_t>(first, steps);
    execute_each<float>(first, steps);
}

template <class Out> void mixed_plan::execute_each(const product_operands<> &first,
                                                   const product_series &steps) const noexcept {
    const element_format &elements = kernel_->elements;
    for (index_t i = 0; i < steps.count; ++i)
        execute(with_factors<Out>(steps.product(first, i, elements.input, elements.output)));
}

void mixed_plan::execute_sum(const product_operands<> &x,
                             const product_terms &terms) const noexcept {
    if (is_of_integers(kernel_->product))
        return execute_sum(with_factors<std::uint32_t>(x), terms);
    execute_sum(with_factors<float>(x), terms);
}

std::string mixed_plan::describe() const {
    std::string text(kernel_name());
    if (workspace_.value > 0)
        text += ", " + blocks().describe();
    if (leaves() > 1)
        text += ", k in " + std::to_string(leaves()) + " leaves";
    if (terms_ > 1)
        text += ", " + std::to_string(terms_) + " terms at once";
    return text + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
}

} // namespace tenfold::gemm_impl

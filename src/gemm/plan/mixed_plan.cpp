#include "gemm/plan/mixed_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/scalars.hpp"
#include "gemm/forms/degenerate.hpp"

namespace tenfold::gemm_impl {

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
    const auto real = [](index_t n) { return static_cast<double>(n); };
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
    const macro_place on{*options.machine, blocks, threads_};
    if (form_ == gemm_form::split_k) {
        leaves_ = make_leaves_problem(way_.shape, loops, on, elements, chosen.leaves);
        threads_ = leaves_.threads;
        workspace_ = leaves_.workspace_size();
        return;
    }
    const auto whole_d =
        options.whole.sums ? index_t{0} : static_cast<index_t>(std::min(options.whole.d, 1e18));
    macro_ = make_macro_problem(way_.shape, loops, on, elements, whole_d);
    workspace_ = macro_.workspace_size();
}

template <class Out>
void mixed_plan::execute(const product_operands<Out, const void *, Out *> &given) const noexcept {
    if (form_ == gemm_form::nothing)
        return;
    if (form_ == gemm_form::scale || given.alpha == Out{}) {
        scale_elements(given_, given.beta, given.d, threads_);
        if (given.finish != nullptr)
            given.finish->apply_all(given_.m, given_.n, given.d, given_.row_stride_d,
                                    given_.column_stride_d, threads_);
        return;
    }
    auto x = given;
    if (way_.transposed)
        std::swap(x.a, x.b);
    x.a = static_cast<const std::byte *>(x.a) + way_.offset_a * kernel_->elements.input;
    x.d += way_.offset_d;
    std::optional<fused_epilogue> turned;
    if (given.finish != nullptr) {
        turned = *given.finish;
        if (way_.transposed)
            turned->transpose();
        if (way_.offset_d != 0)
            turned->reverse_rows();
        x.finish = &*turned;
    }
    if (form_ == gemm_form::split_k)
        return run_leaves(leaves_, x);
    run_macro(macro_, {.alpha = &x.alpha,
                       .a = x.a,
                       .b = x.b,
                       .beta = &x.beta,
                       .d = x.d,
                       .workspace = x.workspace,
                       .finish = x.finish});
}

template void
mixed_plan::execute(const product_operands<float, const void *, float *> &) const noexcept;
template void mixed_plan::execute(
    const product_operands<std::uint32_t, const void *, std::uint32_t *> &) const noexcept;

void mixed_plan::execute_all(const product_operands<> &first, const product_series &steps,
                             following) const noexcept {
    if (is_of_integers(kernel_->product))
        return execute_each<std::uint32_t>(first, steps);
    execute_each<float>(first, steps);
}

template <class Out> void mixed_plan::execute_each(const product_operands<> &first,
                                                   const product_series &steps) const noexcept {
    const element_format &elements = kernel_->elements;
    const auto factor = [](scalar value) {
        if constexpr (std::is_integral_v<Out>)
            return base::integer_factor(value);
        else
            return base::scalar_cast<Out>(value);
    };
    for (index_t i = 0; i < steps.count; ++i) {
        const auto x = steps.product(first, i, elements.input, elements.output);
        execute<Out>({.alpha = factor(x.alpha),
                      .a = x.a,
                      .b = x.b,
                      .beta = factor(x.beta),
                      .d = static_cast<Out *>(x.d),
                      .workspace = x.workspace,
                      .finish = x.finish});
    }
}

void mixed_plan::execute_sum(const product_operands<> &first, product_series steps,
                             following next) const noexcept {
    if (steps.count == 0)
        return;
    const element_format &elements = kernel_->elements;
    execute_all(first, {1}, next);
    steps.d = 0;
    product_operands<> others = steps.product(first, 1, elements.input, elements.output);
    others.beta = 1.0;
    if (--steps.count > 0)
        execute_all(others, steps, next);
}

std::string mixed_plan::describe() const {
    std::string text(kernel_name());
    if (workspace_.value > 0)
        text += ", " + blocks().describe();
    if (leaves() > 1)
        text += ", k in " + std::to_string(leaves()) + " leaves";
    return text + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
}

} // namespace tenfold::gemm_impl

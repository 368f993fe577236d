#include "gemm/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"
#include "gemm/forms/blis_backend.hpp"
#include "gemm/rate_probe.hpp"

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

namespace tenfold::gemm_impl {
namespace {

/// KC if results must not depend on caches.
constexpr index_t fixed_kc = 256;

/// Here, so that every program that plans products has the probe.
[[maybe_unused]] const bool probe_is_known = [] {
    base::known_rate_probe = probe_rates;
    return true;
}();

} // namespace

std::string_view name(gemm_form form) noexcept {
    switch (form) {
    case gemm_form::nothing:
        return "nothing";
    case gemm_form::scale:
        return "scale";
    case gemm_form::small:
        return "small";
    case gemm_form::dot:
        return "dot";
    case gemm_form::gemv:
        return "gemv";
    case gemm_form::outer:
        return "outer";
    case gemm_form::packed:
        return "packed";
    case gemm_form::streamed:
        return "streamed";
    case gemm_form::split_k:
        return "split-k";
    case gemm_form::blis:
        return "blis";
    }
    return "unknown";
}

gemm_plan_options gemm_plan_options::from(const context &ctx) {
    gemm_plan_options options;
    options.threads = ctx.threads();
    options.back = ctx.settings().backend;
    options.reproducible = ctx.settings().reproducible;
    options.instruction_set = ctx.isa();
    options.machine = &base::machine_of(ctx);
    options.rates = &base::rates_of(ctx);
    return options;
}

gemm_plan::gemm_plan(const gemm_shape &shape, const gemm_plan_options &options)
    : given_(shape), shape_(shape) {
    if (shape.m < 0 || shape.n < 0 || shape.k < 0)
        throw error(errc::invalid_argument, "GEMM extents m, n, k = " + std::to_string(shape.m) +
                                                ", " + std::to_string(shape.n) + ", " +
                                                std::to_string(shape.k) + ": none may be negative");
#if !defined(TENFOLD_HAVE_BLIS)
    if (options.back == backend::blis)
        throw error(errc::unsupported, "backend 'blis' is not in this build of Tenfold");
#endif
    kernel_ = select(shape.type, options.instruction_set);
    if (kernel_ == nullptr)
        throw error(errc::unsupported, "GEMM of type " + std::string(tenfold::name(shape.type)) +
                                           ": there are " + base::arithmetic_type_names("and"));
    if (!is_complex(shape.type))
        shape_.conj_a = shape_.conj_b = false;
    const chosen_form chosen =
        choose_form(shape_, *kernel_->kernel, counted_tile::of(*kernel_->kernel), options);
    form_ = chosen.form;
    shape_ = chosen.way.shape;
    transposed_ = chosen.way.transposed;
    offset_a_ = chosen.way.offset_a;
    offset_d_ = chosen.way.offset_d;
    prepare(chosen.leaves, options);
}

/// Prepares the form for its shape.
void gemm_plan::prepare(index_t leaves, const gemm_plan_options &options) {
    const int wanted = std::max(1, options.threads);
    const double m = static_cast<double>(shape_.m);
    const double n = static_cast<double>(shape_.n);
    const double k = static_cast<double>(shape_.k);
    const double bytes = (m * k + k * n + m * n) * static_cast<double>(size_of(shape_.type));
    const double flops = flops_per_multiply_add(shape_.type) * m * n * k;
    threads_ = worthwhile_threads(wanted, bytes, bytes_per_thread);
    const index_t whole_d = options.whole.written_once();
    const micro_kernel &kernel = *kernel_->kernel;
    switch (form_) {
    case gemm_form::nothing:
        threads_ = 1;
        return;
    case gemm_form::scale:
        return;
    case gemm_form::small:
        threads_ = 1;
        small_ = make_small_form(shape_, transposed_, kernel, options);
        return;
    case gemm_form::dot:
    case gemm_form::gemv:
        gemv_ = make_gemv_problem(shape_, kernel, *options.machine, threads_,
                                  transposed_ ? options.whole.b : options.whole.a);
        workspace_ = gemv_.workspace_size();
        return;
    case gemm_form::outer:
        outer_ = make_outer_problem(shape_, kernel, *options.machine, threads_, whole_d);
        workspace_ = outer_.workspace_size();
        return;
    case gemm_form::packed:
    case gemm_form::streamed:
    case gemm_form::split_k:
    case gemm_form::blis:
        break;
    }

    threads_ = worthwhile_threads(wanted, flops, flops_per_thread);
    if (form_ == gemm_form::blis)
        return;
    blocking blocks =
        options.blocks.value_or(choose_blocking(*options.machine, kernel, size_of(shape_.type)));
    blocks.mr = kernel.mr;
    blocks.nr = kernel.nr;
    blocks.kc = options.same_for_all_shapes ? fixed_kc : std::max<index_t>(1, blocks.kc);
    blocks.mc = std::max(blocks.mr, blocks.mc / blocks.mr * blocks.mr);
    blocks.nc = std::max(blocks.nr, blocks.nc / blocks.nr * blocks.nr);
    if (form_ == gemm_form::streamed) {
        streamed_ = make_streamed_problem(shape_, kernel, *options.machine, threads_, whole_d);
        workspace_ = streamed_.workspace_size();
    } else if (form_ == gemm_form::split_k) {
        split_k_ =
            make_split_k_problem(shape_, kernel, {*options.machine, blocks, threads_}, leaves);
        threads_ = split_k_.threads;
        workspace_ = split_k_.workspace_size();
    } else {
        macro_ = make_macro_problem(shape_, kernel, {*options.machine, blocks, threads_}, whole_d);
        workspace_ = macro_.workspace_size();
    }
}

void gemm_plan::execute(const product_operands<> &x, following next) const noexcept {
    if (form_ == gemm_form::nothing)
        return;
    if (form_ == gemm_form::scale || x.alpha == scalar{}) {
        scale_matrix(given_, x.beta, x.d, threads_);
        if (x.finish != nullptr)
            x.finish->apply_all(given_.m, given_.n, x.d, given_.row_stride_d,
                                given_.column_stride_d, threads_);
        return;
    }
    const bool reversed = offset_d_ != 0;
    if (!transposed_ && (x.finish == nullptr || !reversed))
        return execute_turned(x, next);
    product_operands<> turned = x;
    if (transposed_) {
        std::swap(turned.a, turned.b);
        std::swap(next.a, next.b);
    }
    if (x.finish == nullptr)
        return execute_turned(turned, next);
    fused_epilogue finish = *x.finish;
    if (transposed_)
        finish.transpose();
    if (reversed)
        finish.reverse_rows();
    turned.finish = &finish;
    execute_turned(turned, next);
}

void gemm_plan::execute_all(const product_operands<> &first, const product_series &steps,
                            following next) const noexcept {
    if (form_ == gemm_form::small && first.finish == nullptr && first.alpha != scalar{}) {
        return execute_given_small(first, steps, next, /*sums=*/false);
    }
    const index_t size = size_of(shape_.type);
    for (index_t i = 0; i + 1 < steps.count; ++i) {
        const auto after = steps.product(first, i + 1, size);
        execute(steps.product(first, i, size), {after.a, after.b, after.d});
    }
    if (steps.count > 0)
        execute(steps.product(first, steps.count - 1, size), next);
}

void gemm_plan::execute_sum(const product_operands<> &first, product_series steps,
                            following next) const noexcept {
    steps.d = 0;
    if (steps.count == 0)
        return;
    if (form_ == gemm_form::small && first.finish == nullptr && first.alpha != scalar{})
        return execute_given_small(first, steps, next, /*sums=*/true);
    execute_all(first, {1}, steps.count == 1 ? next : following{});
    product_operands<> others = steps.product(first, 1, size_of(shape_.type));
    others.beta = 1.0;
    if (--steps.count > 0)
        execute_all(others, steps, next);
}

void gemm_plan::execute_given_small(product_operands<> first, product_series steps, following next,
                                    bool sums) const noexcept {
    if (transposed_) {
        std::swap(first.a, first.b);
        std::swap(steps.a, steps.b);
        std::swap(next.a, next.b);
    }
    execute_small(first, steps, next, sums);
}

/// Executes in the orientation of shape_.
void gemm_plan::execute_small(const product_operands<> &first, const product_series &steps,
                              following next, bool sums) const noexcept {
    base::with_arithmetic_type(shape_.type, [&]<class T>(T) {
        const T alpha = base::scalar_cast<T>(first.alpha);
        const T beta = base::scalar_cast<T>(first.beta);
        small_product product = small_.product;
        product.a = first.a;
        product.b = first.b;
        product.alpha = &alpha;
        product.beta = &beta;
        product.d = first.d;
        const T one(1);
        if (sums && small_.summed_at_once > 1)
            small_.sum_all(product, steps, &one, next);
        else if (steps.count == 1 && (!small_.fetches() || next.a == nullptr))
            small_.multiply(product);
        else
            small_.multiply_all(product, steps, sums ? &one : &beta, next);
    });
}

/// Executes in the orientation of shape_.
void gemm_plan::execute_turned(const product_operands<> &x, following next) const noexcept {
    switch (form_) {
    case gemm_form::nothing:
    case gemm_form::scale:
        return;
    case gemm_form::small:
        execute_small(x, {}, next, /*sums=*/false);
        if (x.finish != nullptr)
            x.finish->apply_all(shape_.m, shape_.n, x.d, shape_.row_stride_d,
                                shape_.column_stride_d, 1);
        return;
    case gemm_form::dot:
    case gemm_form::gemv:
        return run_gemv(gemv_, x, next.a != x.a ? next.a : nullptr);
    case gemm_form::outer:
        return run_outer(outer_, x, next);
    case gemm_form::packed:
    case gemm_form::streamed:
    case gemm_form::split_k:
        return execute_loops(x, next);
    case gemm_form::blis:
#if defined(TENFOLD_HAVE_BLIS)
        blis_gemm(shape_, threads_, x);
        if (x.finish != nullptr)
            x.finish->apply_all(shape_.m, shape_.n, x.d, shape_.row_stride_d,
                                shape_.column_stride_d, threads_);
#endif
        return;
    }
}

void gemm_plan::execute_loops(const product_operands<> &x, following next) const noexcept {
    const index_t size = size_of(shape_.type);
    const auto first_of_a = [&](const void *a) {
        return static_cast<const std::byte *>(a) + offset_a_ * size;
    };
    if (next.a != nullptr)
        next = {first_of_a(next.a), next.b,
                static_cast<const std::byte *>(next.d) + offset_d_ * size};
    void *const d = static_cast<std::byte *>(x.d) + offset_d_ * size;
    if (form_ == gemm_form::split_k) {
        product_operands<> from_first = x;
        from_first.a = first_of_a(x.a);
        from_first.d = d;
        return run_split_k(split_k_, from_first);
    }
    base::with_arithmetic_type(shape_.type, [&]<class T>(T) {
        const T alpha = base::scalar_cast<T>(x.alpha);
        const T beta = base::scalar_cast<T>(x.beta);
        const loop_operands from_first{.alpha = &alpha,
                                       .a = first_of_a(x.a),
                                       .b = x.b,
                                       .beta = &beta,
                                       .d = d,
                                       .workspace = x.workspace,
                                       .finish = x.finish};
        if (form_ == gemm_form::streamed)
            return run_streamed(streamed_, from_first, next);
        run_macro(macro_, from_first, next);
    });
}

bool gemm_plan::bypasses_caches() const noexcept {
    switch (form_) {
    case gemm_form::outer:
        return outer_.streams;
    case gemm_form::packed:
        return macro_.streams;
    case gemm_form::streamed:
        return streamed_.bypasses_caches;
    default:
        return false;
    }
}

std::string_view gemm_plan::kernel_name() const noexcept {
    switch (form_) {
    case gemm_form::nothing:
    case gemm_form::scale:
        return "";
    case gemm_form::blis:
        return "blis";
    default:
        return kernel_->name;
    }
}

std::string gemm_plan::describe() const {
    std::string text(tenfold::gemm_impl::name(form_));
    if (!kernel_name().empty() && form_ != gemm_form::blis)
        text += ": " + std::string(kernel_name());
    if (is_blocked()) {
        text += ", " + blocks().describe();
        if (loops().direct_a)
            text += ", A in place";
        if (loops().direct_b)
            text += ", B in place";
    }
    if (form_ == gemm_form::split_k)
        text += ", k in " + std::to_string(split_k_.leaves) + " leaves";
    text += ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
    if (form_ == gemm_form::packed && threads_ > 1) {
        const thread_grid grid = choose_grid(threads_, shape_.m, shape_.n, macro_.blocks);
        text += " as " + std::to_string(grid.m) + " x " + std::to_string(grid.n);
    }
    return text;
}

} // namespace tenfold::gemm_impl

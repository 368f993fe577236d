#include "gemm/forms/batch.hpp"

#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/workspace.hpp"

namespace tenfold::gemm_impl {
namespace {

gemm_plan_options on_one_thread(gemm_plan_options options) {
    options.threads = 1;
    return options;
}

index_t panel_bytes(const gemm_plan &plan) noexcept {
    return base::aligned_bytes(plan.workspace_size().value);
}

} // namespace

batch_plan::batch_plan(const gemm_shape &shape, index_t count, const gemm_plan_options &options)
    : shape_(shape), count_(count), alone_(shape, on_one_thread(options)), shared_(shape, options),
      small_(find_small_form(shape, options)) {
    const double seconds = alone_.predicted_seconds(options) * static_cast<double>(count);
    deal_ = choose_deal(count, small_.has_value(), shared_.threads(), options.threads, seconds);
}

byte_count batch_plan::workspace_size() const noexcept {
    return bytes(std::max(deal_.team * panel_bytes(alone_),
                          deal_.dealt < count_ ? panel_bytes(shared_) : 0));
}

/// Computes one product on the calling thread: with the kernel of small products if the shape has a
/// small form, otherwise with the plan for one thread.
template <class T> void batch_plan::multiply_one(const product_operands<> &x) const noexcept {
    if (!small_ || x.alpha == scalar{})
        return alone_.execute(x);
    const T alpha = base::scalar_cast<T>(x.alpha);
    const T beta = base::scalar_cast<T>(x.beta);
    small_product product = small_->product;
    product.a = small_->turned ? x.b : x.a;
    product.b = small_->turned ? x.a : x.b;
    product.alpha = &alpha;
    product.beta = &beta;
    product.d = x.d;
    small_->multiply(product);
    if (x.finish != nullptr)
        x.finish->apply({0, shape_.m}, {0, shape_.n}, x.d, shape_.row_stride_d,
                        shape_.column_stride_d);
}

template <class T> void batch_plan::execute(const operands<T> &x) const noexcept {
    const auto product = [&](index_t i, std::byte *workspace) {
        return product_operands<>{.alpha = x.alpha,
                                  .a = x.a.address(i),
                                  .b = x.b.address(i),
                                  .beta = x.beta,
                                  .d = x.d.address(i),
                                  .workspace = workspace,
                                  .finish = x.finish};
    };
    base::run_parallel(deal_.dealt > 0 ? deal_.team : 1, [&](base::team_member me) {
        const base::range mine = base::split(deal_.dealt, me.size(), me.id());
        std::byte *own = x.workspace + me.id() * panel_bytes(alone_);
        base::in_watched_parts(mine, count_, [&](base::range part) {
            for (index_t i = part.begin; i < part.end; ++i)
                multiply_one<T>(product(i, own));
        });
    });
    base::in_watched_parts({deal_.dealt, count_}, count_, [&](base::range part) {
        for (index_t i = part.begin; i < part.end; ++i)
            shared_.execute(product(i, x.workspace));
    });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void batch_plan::execute<T>(const operands<T> &) const noexcept;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::gemm_impl

#include "gemm/forms/batch.hpp"

#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"
#include "base/workspace.hpp"

namespace tenfold::gemm_impl {
namespace {

gemm_plan_options on_one_thread(gemm_plan_options options) {
    options.threads = 1;
    return options;
}

/// What is known of the batch's tensors.
gemm_plan_options in_batch(gemm_plan_options options, const gemm_shape &s, index_t count) {
    const auto elements = [count](index_t rows, index_t columns) {
        return static_cast<double>(count) * static_cast<double>(rows) *
               static_cast<double>(columns);
    };
    options.whole = {elements(s.m, s.k), elements(s.k, s.n), elements(s.m, s.n), false, true};
    return options;
}

index_t panel_bytes(const gemm_plan &plan) noexcept {
    return base::aligned_bytes(plan.workspace_size().value);
}

} // namespace

batch_plan::batch_plan(const gemm_shape &shape, index_t count, const gemm_plan_options &options)
    : count_(count), alone_(shape, on_one_thread(in_batch(options, shape, count))),
      shared_(shape, options) {
    const double seconds =
        alone_.predicted_seconds(in_batch(options, shape, count)) * static_cast<double>(count);
    deal_ = choose_deal(count, shared_.form() == gemm_form::small, shared_.threads(),
                        options.threads, seconds);
}

byte_count batch_plan::workspace_size() const noexcept {
    return bytes(std::max(deal_.team * panel_bytes(alone_),
                          deal_.dealt < count_ ? panel_bytes(shared_) : 0));
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
        const bool in_steps = x.a.by_stride() && x.b.by_stride() && x.d.by_stride();
        base::in_watched_parts(mine, count_, [&](base::range part) {
            if (in_steps)
                return alone_.execute_all(product(part.begin, own),
                                          {part.size(), x.a.stride(), x.b.stride(), x.d.stride()});
            for (index_t i = part.begin; i < part.end; ++i)
                alone_.execute(product(i, own));
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

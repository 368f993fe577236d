#include "gemm/forms/mixed_reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "base/workspace.hpp"
#include "gemm/forms/split_k.hpp"

namespace tenfold::gemm_impl {
namespace {

mixed_plan plan_of_sum(mixed_product product, const gemm_shape &each, index_t terms,
                       gemm_plan_options options) {
    options.whole.sums = true;
    options.whole.terms = real(terms);
    return mixed_plan(product, each, options);
}

/// Plans a leaf, which is computed by one thread into a dense matrix.
mixed_plan plan_of_part(mixed_product product, gemm_shape each, index_t terms,
                        gemm_plan_options options) {
    each.row_stride_d = 1;
    each.column_stride_d = each.m;
    options.threads = 1;
    return plan_of_sum(product, each, terms, options);
}

chosen_sum choose_mixed_sum(mixed_product product, const product_sum &sum,
                            const gemm_plan_options &options) {
    const micro_kernel &kernel = select(product, options.instruction_set, *options.machine).loops;
    return choose_sum(sum, kernel, square_tile, nullptr);
}

} // namespace

mixed_reduce_plan::mixed_reduce_plan(mixed_product product, const product_sum &sum,
                                     const gemm_plan_options &options)
    : mixed_reduce_plan(product, sum, options, choose_mixed_sum(product, sum, options)) {}

mixed_reduce_plan::mixed_reduce_plan(mixed_product product, const product_sum &sum,
                                     const gemm_plan_options &options, const chosen_sum &chosen)
    : shape_(sum.each), count_(sum.count), form_(chosen.form), leaves_(chosen.leaves),
      product_(form_ == reduce_form::longer_k ? mixed_plan(product, chosen.longer, options)
                                              : plan_of_sum(product, shape_, count_, options)) {
    threads_ = product_.threads();
    if (leaves_ == 1)
        return;
    leaf_.emplace(plan_of_part(product, shape_, base::divide_up(count_, leaves_), options));
    gemm_plan_options of_sum = options;
    of_sum.whole.sums = true;
    const double seconds = leaf_->predicted_seconds(of_sum) * real(count_);
    threads_ =
        static_cast<int>(std::min<index_t>(worthwhile_team(options.threads, seconds), leaves_));
}

index_t mixed_reduce_plan::leaf_bytes() const noexcept {
    return base::aligned_bytes(shape_.m * shape_.n * static_cast<index_t>(sizeof(float)));
}

byte_count mixed_reduce_plan::workspace_size() const noexcept {
    if (leaves_ == 1)
        return product_.workspace_size();
    return bytes(leaves_ * leaf_bytes() +
                 threads_ * base::aligned_bytes(leaf_->workspace_size().value));
}

template <class Out>
void mixed_reduce_plan::add_leaves_of(const mixed_operands<Out> &x,
                                      const product_terms &terms) const noexcept {
    const index_t panel_bytes = base::aligned_bytes(leaf_->workspace_size().value);
    std::byte *const panels = x.workspace + leaves_ * leaf_bytes();
    Out *const leaves = reinterpret_cast<Out *>(x.workspace);
    const index_t leaf_size = leaf_bytes() / static_cast<index_t>(sizeof(Out));
    base::run_parallel(threads_, [&](base::team_member me) {
        const base::range mine = base::split(leaves_, me.size(), me.id());
        for (index_t leaf = mine.begin; leaf < mine.end; ++leaf) {
            const base::work_part part_of_work(1 / real(leaves_));
            const base::range some =
                base::split(count_, static_cast<int>(leaves_), static_cast<int>(leaf));
            product_terms of_leaf = terms;
            of_leaf.first = some.begin;
            of_leaf.count = some.size();
            const mixed_operands<Out> sum{.alpha = Out(1),
                                          .a = nullptr,
                                          .b = nullptr,
                                          .beta = Out(0),
                                          .d = leaves + leaf * leaf_size,
                                          .workspace = panels + me.id() * panel_bytes};
            leaf_->execute_sum(sum, of_leaf);
        }
        me.barrier();
        sum_leaves(shape_, computed_leaves<Out>{leaves, leaf_size, leaves_}, x,
                   base::split(shape_.n, me.size(), me.id()));
    });
}

template <class Out> void mixed_reduce_plan::execute(const mixed_operands<Out> &x,
                                                     const product_terms &terms) const noexcept {
    if (form_ == reduce_form::longer_k) {
        mixed_operands<Out> one = x;
        if (terms.count > 0)
            terms.find(terms.matrices, terms.first, 1, &one.a, &one.b);
        return product_.execute(one);
    }
    if (leaves_ == 1 || x.alpha == Out{})
        return product_.execute_sum(x, terms);
    add_leaves_of(x, terms);
}

template void mixed_reduce_plan::execute(const mixed_operands<float> &,
                                         const product_terms &) const noexcept;
template void mixed_reduce_plan::execute(const mixed_operands<std::uint32_t> &,
                                         const product_terms &) const noexcept;

} // namespace tenfold::gemm_impl

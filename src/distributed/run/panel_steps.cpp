// The steps of a contraction on one rank: products, or sums of leaves, which form a tree, if
// results are reproducible.
#include "distributed/run/panels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/sum_types.hpp"
#include "base/work.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/plan/leaf_boxes.hpp"
#include "reproducible/finish.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns how many waiting sums are added when this step's sum is complete.
int merges_after(index_t step) noexcept {
    return std::countr_one(static_cast<std::uint64_t>(step));
}

} // namespace

/// Returns where a step writes its product: D itself if D lies there and needs no sum over ranks,
/// otherwise a panel.
template <class T> placement<T> panel_contraction<T>::product_of(const step_index &step) const {
    return {is_straight() ? d_ : panel_d_, steps_.product_in_memory(step)};
}

template <class T>
auto panel_contraction<T>::products_of_step(const step_index &step, bool messages) -> products {
    products found{a_.part(step), b_.part(step), product_of(step), 0, {}};
    // Estimates the multiply-adds of boxes, for progress reports. The square root counts batch
    // modes with a power of one and a half, which is accurate enough.
    const auto products_of = [&](const slice &box_a, const slice &box_b, const slice &box_d) {
        const auto size = [](const slice &box) { return static_cast<double>(box.size()); };
        return plan_.problem->unary ? size(box_d)
                                    : std::sqrt(size(box_a) * size(box_b) * size(box_d));
    };
    found.work =
        products_of(plan_.where.panel_of(A, comm_.rank(), step),
                    plan_.problem->unary ? slice{} : plan_.where.panel_of(B, comm_.rank(), step),
                    plan_.where.panel_of(D, comm_.rank(), step));
    steps_.for_each_product(step, messages, [&](const product_boxes &boxes, bool adds) {
        found.all.push_back({boxes, adds, products_of(boxes.a, boxes.b, boxes.d),
                             &local_->products->plan_of(
                                 boxes, {found.a.strides, found.b.strides, found.d.strides})});
    });
    return found;
}

template <class T> void panel_contraction<T>::multiply_step(const step_index &step, bool messages) {
    const products found = comm_.surely([&] { return products_of_step(step, messages); });
    const bool complete = steps_.is_last_along_k(step);
    const T beta = step[3] > 0 ? T(1) : is_straight() ? beta_ : T(0);
    for (const product &one : found.all) {
        const product_boxes &boxes = one.boxes;
        const T adding = one.adds ? T(1) : beta;
        {
            const timed traced(comm_.recorder(), activity::compute, "product");
            const base::work_part part(found.work > 0 ? one.work / found.work : 0);
            const void *second = plan_.problem->unary ? nullptr : found.b.at(boxes.b.offsets);
            check(multiply_here({.plan = *one.plan,
                                 .alpha = scalar(alpha_),
                                 .a = found.a.at(boxes.a.offsets),
                                 .b = second,
                                 .beta = scalar(adding),
                                 .d = found.d.at(boxes.d.offsets),
                                 .workspace = workspace_}),
                  "local contraction");
        }
        progress();
        if (sums() && complete)
            start_sum(boxes.d, found.d);
    }
}

/// Operations in the background go on within a long product, and what others of this node wait for
/// is passed on, unless the caller watches it.
template <class T> status panel_contraction<T>::multiply_here(const local_product &product) {
    // What is traced does not nest.
    const bool passes_on =
        comm_.recorder() == nullptr && (a_.has_to_pass_on() || b_.has_to_pass_on());
    if ((!comm_.has_background() && !passes_on) || base::work_part::is_watched())
        return dist_impl::multiply(product);
    const auto look_after = [&] {
        if (passes_on)
            progress();
        else
            comm_.advance_background();
    };
    const base::function_ref<void()> meanwhile(look_after);
    return dist_impl::multiply(product, &meanwhile); // throws what an operation did
}

template <class T>
void panel_contraction<T>::start_sum(const slice &box, const placement<T> &product) {
    const auto panel = comm_.surely(
        [&] { return placement<const T>(product.data, product.shift, product.strides); });
    sum_->start(box, panel);
}

template <class T>
placement<T> panel_contraction<T>::partial_of(const step_index &step, int level) const {
    return {partial_ + level * partial_sum_elements(plan_.where, comm_.rank()),
            plan_.where.panel_of(D, comm_.rank(), step)};
}

template <class T> void
panel_contraction<T>::add_leaves(const step_index &step) requires(!element_traits<T>::is_integer) {
    using namespace reproducible_impl;
    struct sum_of_box {
        slice d;
        label_box all;
    };
    struct inputs {
        untyped_placement a, b;
        summand where_a, where_b;
        std::vector<sum_of_box> sums;
    };
    const inputs found = comm_.surely([&] {
        inputs its{a_.part(step), b_.part(step), {}, {}, {}};
        its.where_a = summand_of(*local_->what, plan_.where, A, its.a, plan_.types.panel[A]);
        its.where_b = summand_of(*local_->what, plan_.where, B, its.b, plan_.types.panel[B]);
        steps_.for_each_sum(step, [&](const product_boxes &boxes) {
            its.sums.push_back({boxes.d, label_box_of(*local_->what, plan_.where, boxes)});
        });
        return its;
    });
    const bool complete = steps_.is_last_along_k(step);
    for (const sum_of_box &one : found.sums) {
        std::optional<timed> traced;
        const base::work_part untold(0); // progress is reported for a step as a whole
        const auto compute = [&] {
            traced.emplace(comm_.recorder(), activity::compute, "product");
        };
        const auto finish = [&](const label_box &tile, T *sum, numbers strides) {
            const auto of =
                comm_.surely([&] { return tile_of_d(*local_->what, plan_.where, tile, strides); });
            finish_tile(step, of.box, sum, of.strides);
            traced.reset();
            progress();
            compute();
        };
        compute();
        check(local_->leaves->run(one.all, {found.where_a, found.a.data},
                                  {found.where_b, found.b.data}, workspace_, std::ref(finish)),
              "sum of leaves");
        traced.reset();
        if (sums() && complete)
            start_sum(one.d, comm_.surely([&] { return product_of(step); }));
    }
}

/// Adds the waiting sums to this one. The result waits in turn, or is written to D if it is
/// complete.
template <class T> void panel_contraction<T>::finish_tile(
    const step_index &step, const slice &box, T *sum,
    const extents_t &strides) requires(!element_traits<T>::is_integer) {
    const int merges = merges_after(step[3]);
    for (int level = 0; level < merges; ++level) {
        const placement<T> waiting = comm_.surely([&] { return partial_of(step, level); });
        update_box(box.extents, static_cast<const T *>(waiting.at(box.offsets)), waiting.strides,
                   T(1), sum, strides, comm_.threads());
    }
    const bool complete = steps_.is_last_along_k(step);
    const placement<T> to =
        comm_.surely([&] { return complete ? product_of(step) : partial_of(step, merges); });
    const bool finishes = complete && !sums(); // otherwise alpha is applied after the sum over pk
    reproducible_impl::finish<T>(box.extents, finishes ? alpha_ : T(1), sum, strides,
                                 complete && is_straight() ? beta_ : T(0), to.at(box.offsets),
                                 to.strides, std::max(1, plan_.options.threads));
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template auto panel_contraction<T>::products_of_step(const step_index &, bool)                 \
        ->panel_contraction<T>::products;                                                          \
    template void panel_contraction<T>::multiply_step(const step_index &, bool);                   \
    template void panel_contraction<T>::start_sum(const slice &, const placement<T> &);            \
    template placement<T> panel_contraction<T>::product_of(const step_index &) const;
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE
#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void panel_contraction<T>::add_leaves(const step_index &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

// The steps of a contraction on one rank: products, or sums of leaves, which form a tree, if
// results are reproducible.
#include "distributed/run/panels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

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

template <class T> placement<const T> panel_contraction<T>::part(const input_path &path,
                                                                 const step_index &step) const {
    return path.panels ? path.panels->part(step) : placement<const T>(nullptr, slice{});
}

/// Returns where a step writes its product: D itself if D lies there and needs no sum over ranks,
/// otherwise a panel.
template <class T> placement<T> panel_contraction<T>::product_of(const step_index &step) const {
    return {is_straight() ? d_ : panel_d_, steps_.product_in_memory(step)};
}

template <class T> void panel_contraction<T>::multiply_step(const step_index &step, bool messages) {
    const placement<const T> a = part(a_, step);
    const placement<const T> b = part(b_, step);
    const placement<T> d = product_of(step);
    const bool complete = steps_.is_last_along_k(step);
    // Estimates the multiply-adds of boxes, for progress reports. The square root counts batch
    // modes with a power of one and a half, which is accurate enough.
    const auto products_of = [&](const slice &box_a, const slice &box_b, const slice &box_d) {
        const auto size = [](const slice &box) { return static_cast<double>(box.size()); };
        return plan_.problem->unary ? size(box_d)
                                    : std::sqrt(size(box_a) * size(box_b) * size(box_d));
    };
    const double all =
        products_of(plan_.where.panel_of(A, comm_.rank(), step),
                    plan_.problem->unary ? slice{} : plan_.where.panel_of(B, comm_.rank(), step),
                    plan_.where.panel_of(D, comm_.rank(), step));
    const T beta = step[3] > 0 ? T(1) : is_straight() ? beta_ : T(0);
    steps_.for_each_product(step, messages, [&](const product_boxes &boxes, bool adds) {
        const T adding = adds ? T(1) : beta;
        {
            const timed traced(comm_.recorder(), activity::compute, "product");
            const base::work_part part(all > 0 ? products_of(boxes.a, boxes.b, boxes.d) / all : 0);
            const T *second = plan_.problem->unary ? nullptr : b.at(boxes.b.offsets);
            check(dist_impl::multiply({.plan = local_->products->plan_of(boxes, a, b, d),
                                       .alpha = scalar(alpha_),
                                       .a = a.at(boxes.a.offsets),
                                       .b = second,
                                       .beta = scalar(adding),
                                       .d = d.at(boxes.d.offsets),
                                       .workspace = workspace_}),
                  "local contraction");
        }
        progress();
        if (sums() && complete)
            sum_->start(boxes.d, placement<const T>(d.data, d.shift, d.strides));
    });
}

template <class T>
placement<T> panel_contraction<T>::partial_of(const step_index &step, int level) const {
    return {partial_ + level * partial_sum_words(plan_.where, comm_.rank()),
            plan_.where.panel_of(D, comm_.rank(), step)};
}

template <class T> void panel_contraction<T>::add_leaves(const step_index &step) {
    const placement<const T> part_a = part(a_, step);
    const placement<const T> part_b = part(b_, step);
    const auto a = summand_of(*local_->what, plan_.where, A, part_a);
    const auto b = summand_of(*local_->what, plan_.where, B, part_b);
    const bool complete = steps_.is_last_along_k(step);
    steps_.for_each_sum(step, [&](const product_boxes &boxes) {
        std::optional<timed> traced;
        const base::work_part untold(0); // progress is reported for a step as a whole
        const auto compute = [&] {
            traced.emplace(comm_.recorder(), activity::compute, "product");
        };
        const auto finish = [&](const reproducible_impl::label_box &tile, T *sum,
                                reproducible_impl::numbers strides) {
            const tile_of_d of(*local_->what, plan_.where, tile, strides);
            finish_tile(step, of.box, sum, of.strides);
            traced.reset();
            progress();
            compute();
        };
        compute();
        check(local_->leaves->run(label_box_of(*local_->what, plan_.where, boxes), {a, part_a.data},
                                  {b, part_b.data}, workspace_, finish),
              "sum of leaves");
        traced.reset();
        if (sums() && complete) {
            const placement<T> d = product_of(step);
            sum_->start(boxes.d, placement<const T>(d.data, d.shift, d.strides));
        }
    });
}

/// Adds the waiting sums to this one. The result waits in turn, or is written to D if it is
/// complete.
template <class T> void panel_contraction<T>::finish_tile(const step_index &step, const slice &box,
                                                          T *sum, const extents_t &strides) {
    const int merges = merges_after(step[3]);
    for (int level = 0; level < merges; ++level) {
        const placement<T> waiting = partial_of(step, level);
        update_box(box.extents, static_cast<const T *>(waiting.at(box.offsets)), waiting.strides,
                   T(1), sum, strides);
    }
    const bool complete = steps_.is_last_along_k(step);
    const placement<T> to = complete ? product_of(step) : partial_of(step, merges);
    const bool finishes = complete && !sums(); // otherwise alpha is applied after the sum over pk
    reproducible_impl::finish<T>(box.extents, finishes ? alpha_ : T(1), sum, strides,
                                 complete && is_straight() ? beta_ : T(0), to.at(box.offsets),
                                 to.strides, std::max(1, plan_.options.threads));
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void panel_contraction<T>::multiply_step(const step_index &, bool);                   \
    template void panel_contraction<T>::add_leaves(const step_index &);                            \
    template void panel_contraction<T>::finish_tile(const step_index &, const slice &, T *,        \
                                                    const extents_t &);                            \
    template placement<T> panel_contraction<T>::partial_of(const step_index &, int) const;         \
    template placement<T> panel_contraction<T>::product_of(const step_index &) const;              \
    template placement<const T> panel_contraction<T>::part(const input_path &, const step_index &) \
        const;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

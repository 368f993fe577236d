// The steps of a reproducible contraction: like panels.cpp, but sums form a tree.
#include <bit>
#include <cstdint>
#include <optional>

#include "base/work.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/run/panels.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns how many waiting sums are added when this step's sum is complete.
int merges_after(index_t step) noexcept {
    return std::countr_one(static_cast<std::uint64_t>(step));
}

} // namespace

template <class T>
placement<T> panel_contraction<T>::partial_of(const step_index &step, int level) const {
    return {partial_ + level * partial_sum_words(plan_.where, comm_.rank()),
            plan_.where.panel_of(D, comm_.rank(), step)};
}

template <class T> void panel_contraction<T>::add_leaves(const step_index &step) {
    const placement<const T> a = part(a_, step);
    const placement<const T> b = part(b_, step);
    const bool complete = steps_.is_last_along_k(step);
    steps_.for_each_sum(step, [&](const product_boxes &boxes) {
        std::optional<timed> traced;
        const base::work_part untold(0); // progress is reported for a step as a whole
        const auto compute = [&] {
            traced.emplace(comm_.recorder(), activity::compute, "product");
        };
        const auto finish = [&](const slice &box, T *sum, const extents_t &strides) {
            finish_tile(step, box, sum, strides);
            traced.reset();
            progress();
            compute();
        };
        compute();
        check(local_->leaves->run(boxes, a, b, workspace_, finish), "sum of leaves");
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
    if (complete && !sums()) // otherwise alpha is applied after the sum over pk
        scale_box(box.extents, alpha_, sum, strides);
    update_box(box.extents, static_cast<const T *>(sum), strides,
               complete && is_straight() ? beta_ : T(0), to.at(box.offsets), to.strides);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template placement<T> panel_contraction<T>::partial_of(const step_index &, int) const;         \
    template void panel_contraction<T>::add_leaves(const step_index &);                            \
    template void panel_contraction<T>::finish_tile(const step_index &, const slice &, T *,        \
                                                    const extents_t &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold::dist_impl

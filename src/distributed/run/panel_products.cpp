// The products of a contraction's steps, on one rank.
#include "distributed/run/panels.hpp"

#include <cmath>

#include "base/work.hpp"

namespace tenfold::dist_impl {
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
            check(dist_impl::multiply(local_->products->plan_of(boxes, a, b, d), scalar(alpha_),
                                      a.at(boxes.a.offsets), second, scalar(adding),
                                      d.at(boxes.d.offsets), workspace_),
                  "local contraction");
        }
        progress();
        if (sums() && complete)
            sum_->start(boxes.d, placement<const T>(d.data, d.shift, d.strides));
    });
}

#define TENFOLD_INSTANTIATE(T, name) template class panel_contraction<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)

} // namespace tenfold::dist_impl

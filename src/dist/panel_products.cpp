// The products of a contraction's steps, on one rank.
#include <algorithm>

#include "dist/panels.hpp"
#include "dist_plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Pieces of a product between which messages go on. Along m or n they have at least this many
/// positions, and are few, because each packs all of the other operand. Along k they read and write
/// D again, which takes a tenth longer at 256 (docs/adr/0017), so that only products that are short
/// both ways are cut along k.
constexpr index_t least_free = 1024;
constexpr index_t most_free_pieces = 2;
constexpr index_t least_k = 512;
constexpr index_t most_k_pieces = 4;

} // namespace

template <class T> product_boxes panel_contraction<T>::boxes_of(const step_index &step) const {
    const auto box = [&](operand_id operand) {
        return plan_.where.panel_of(operand, comm_.rank(), step);
    };
    return {box(operand_a), box(operand_b), box(operand_d)};
}

template <class T> placement<const T> panel_contraction<T>::part(const input_path &path,
                                                                 const step_index &step) const {
    return path.panels ? path.panels->part(step) : placement<const T>(nullptr, slice{});
}

/// Where a step's product goes: straight to D if it lies there and is complete, else to a panel.
template <class T> placement<T> panel_contraction<T>::product_of(const step_index &step) const {
    if (sums())
        return {panel_d_, plan_.where.panel_of(operand_d, comm_.rank(), step)};
    return {d_in_place_ ? d_ : panel_d_, plan_.where.panel_of(operand_d, comm_.rank())};
}

template <class T>
std::pair<int, index_t> panel_contraction<T>::pieces_of(const product_boxes &boxes) const {
    struct group {
        index_t size = 1;
        index_t extent = 1; ///< of the longest label, and of equal ones the slowest
        int label = -1;
    };
    const auto look_at = [&](operand_id operand, const slice &box, label_class which) {
        group found;
        for (std::size_t mode = 0; mode < box.extents.size(); ++mode) {
            const int label = plan_.where.panel_labels(operand)[mode];
            if (plan_.problem->labels[static_cast<std::size_t>(label)].group != which)
                continue;
            found.size *= box.extents[mode];
            if (box.extents[mode] >= found.extent) {
                found.extent = box.extents[mode];
                found.label = label;
            }
        }
        return found;
    };
    const auto cut = [](const group &one, index_t least, index_t most) {
        return std::pair(one.label, std::min({one.size / least, one.extent, most}));
    };
    const group m = look_at(operand_d, boxes.d, label_class::m);
    const group n = look_at(operand_d, boxes.d, label_class::n);
    const auto free = cut(m.size > n.size ? m : n, least_free, most_free_pieces);
    return free.second > 1
               ? free
               : cut(look_at(operand_a, boxes.a, label_class::k), least_k, most_k_pieces);
}

template <class T> template <class Use>
void panel_contraction<T>::for_each_product(const step_index &step, bool messages,
                                            const Use &use) const {
    const product_boxes whole = boxes_of(step);
    const step_index &counts = plan_.where.step_counts();
    const auto each = [&](int label, index_t parts) {
        const bool along_k =
            plan_.problem->labels[static_cast<std::size_t>(label)].group == label_class::k;
        for (index_t i = 0; i < parts; ++i)
            use(whole.cut(plan_.where, label, i, parts), along_k && i > 0);
    };
    if (sums() && step[3] == counts[3] - 1) {
        const layout_choice &choice = plan_.where.choice();
        if (whole.d.extents.empty())
            use(whole, false);
        else
            each(plan_.where.panel_labels(operand_d)[choice.sum_mode], choice.sum_parts);
        return;
    }
    const auto [label, pieces] = messages ? pieces_of(whole) : std::pair(-1, index_t{1});
    if (pieces > 1)
        each(label, pieces);
    else
        use(whole, false);
}

template <class T> bool panel_contraction<T>::rounds_once() const {
    if (!plan_.problem->unary || !plan_.problem->group(label_class::k).empty())
        return false;
    // alpha a rounds a real number once; beta d + alpha a does where neither product rounds.
    const bool copies = alpha_ == T(1);
    const bool scales = copies || !is_complex(data_type_of<T>);
    return is_straight() && beta_ != T(0) ? copies && beta_ == T(1) : scales;
}

template <class T> void panel_contraction<T>::set_up_products() {
    if (sums())
        sum_.emplace(comm_, plan_.where, plan_.reproducible());
    if (plan_.reproducible() && !rounds_once())
        return set_up_leaves();
    products_.emplace(plan_, local_options_);
    const step_index &counts = plan_.where.step_counts();
    const bool several = counts != step_index{1, 1, 1, 1};
    step_index step{};
    do {
        const placement<const T> a = part(a_, step);
        const placement<const T> b = part(b_, step);
        const placement<T> d = product_of(step);
        const auto prepare = [&](const product_boxes &boxes, bool) {
            products_->prepare(boxes, a, b, d);
        };
        for_each_product(step, false, prepare);
        if (several)
            for_each_product(step, true, prepare);
    } while (advance(step, counts));
}

template <class T> void panel_contraction<T>::multiply_step(const step_index &step, bool messages) {
    const placement<const T> a = part(a_, step);
    const placement<const T> b = part(b_, step);
    const placement<T> d = product_of(step);
    const bool complete = step[3] == plan_.where.step_counts()[3] - 1;
    const T beta = step[3] > 0 ? T(1) : is_straight() ? beta_ : T(0);
    for_each_product(step, messages, [&](const product_boxes &boxes, bool adds) {
        const T adding = adds ? T(1) : beta;
        {
            const timed traced(comm_.recorder(), activity::compute, "product");
            check(products_->run(alpha_, boxes, a, b, adding, d, workspace_), "local contraction");
        }
        progress();
        if (sums() && complete)
            sum_->start(boxes.d, placement<const T>(d.data, d.shift, d.strides));
    });
}

template class panel_contraction<float>;
template class panel_contraction<double>;
template class panel_contraction<c32>;
template class panel_contraction<c64>;

} // namespace tenfold::dist_impl

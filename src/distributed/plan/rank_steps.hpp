// The products of each step on one rank: boxes and strides, without data. Planning uses it to size
// products, execution to run them.
#pragma once

#include <utility>

#include "distributed/plan/local_products.hpp"

namespace tenfold::dist_impl {

/// Moves `step` to the next one: k runs fastest, then m, n, batch. Returns false after the last.
bool advance(step_index &step, const step_index &counts);

/// True if `part` of a panel is used where it lies, in the rank's own piece.
bool lies_in_piece(const layouts &where, tensor_id operand, const slice &piece, const slice &part);

/// Calls use(i) for all i in [0, count), or, if `all` is false and count is large, for the first,
/// the last and some in between.
template <class Use> void for_each_of(index_t count, bool all, const Use &use) {
    constexpr index_t most = 64;
    if (all || count <= most) {
        for (index_t i = 0; i < count; ++i)
            use(i);
        return;
    }
    for (const index_t i : {index_t{0}, index_t{1}, count / 2, count - 2, count - 1})
        use(i);
}

class rank_steps {
public:
    /// A dry run looks only at some of very many parts: cuts are balanced, and the last part is the
    /// longest.
    rank_steps(const plan_state &plan, int rank, bool is_dry_run = false)
        : plan_(plan), rank_(rank), is_dry_run_(is_dry_run) {}

    template <class Use> void for_each_step(const Use &use) const {
        const step_index &counts = plan_.where.step_counts();
        const bool all = !is_dry_run_;
        for_each_of(counts[0], all, [&](index_t batch) {
            for_each_of(counts[2], all, [&](index_t n) {
                for_each_of(counts[1], all, [&](index_t m) {
                    for_each_of(counts[3], all, [&](index_t k) {
                        use(step_index{batch, m, n, k});
                    });
                });
            });
        });
    }

    /// Returns true if products are summed over pk.
    bool sums() const noexcept { return plan_.where.grid().k > 1; }
    bool is_last_along_k(const step_index &step) const noexcept {
        return step[3] == plan_.where.step_counts()[3] - 1;
    }
    product_boxes boxes_of(const step_index &step) const;

    /// Calls use(boxes, adds) for the products of a step, one after the other. These are parts of D
    /// if D is summed over pk; otherwise they are pieces between which messages progress, if
    /// `messages` is set. `adds` says that the product is added to an earlier one.
    template <class Use>
    void for_each_product(const step_index &step, bool messages, const Use &use) const {
        const product_boxes whole = boxes_of(step);
        const auto [label, parts] = cut_of(whole, step, messages);
        const bool along_k = label >= 0 && group_of(label) == label_class::k;
        for_each_part(whole, label, parts, [&](const product_boxes &boxes, bool first) {
            use(boxes, along_k && !first);
        });
    }
    /// Calls use(boxes) for parts of D that become complete one after the other; one call for all
    /// of D if nothing needs parts.
    template <class Use> void for_each_sum(const step_index &step, const Use &use) const {
        const product_boxes whole = boxes_of(step);
        const auto [label, parts] = cut_of(whole, step, false);
        for_each_part(whole, label, parts, [&](const product_boxes &boxes, bool) { use(boxes); });
    }

    /// Where the step's part of A or B will lie, and its product.
    element_places part(tensor_id operand, const step_index &step) const {
        return element_places(panel_in_memory(operand, step));
    }
    element_places product(const step_index &step) const {
        return element_places(product_in_memory(step));
    }
    /// Returns the box whose dense array holds the step's product: the product's own box if it is
    /// summed, otherwise D's whole panel.
    slice product_in_memory(const step_index &step) const;

private:
    /// Returns the label along which a step's products are cut, or -1, and the number of parts.
    std::pair<int, index_t> cut_of(const product_boxes &whole, const step_index &step,
                                   bool messages) const;
    std::pair<int, index_t> pieces_of(const product_boxes &boxes) const;
    label_class group_of(int label) const {
        return plan_.problem->labels[static_cast<std::size_t>(label)].group;
    }
    template <class Use>
    void for_each_part(const product_boxes &whole, int label, index_t parts, const Use &use) const {
        if (label < 0)
            return use(whole, true);
        for_each_of(parts, !is_dry_run_,
                    [&](index_t i) { use(whole.cut(plan_.where, label, i, parts), i == 0); });
    }
    slice panel_in_memory(tensor_id operand, const step_index &step) const;

    const plan_state &plan_;
    int rank_;
    bool is_dry_run_;
};

} // namespace tenfold::dist_impl

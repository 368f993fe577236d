#include "dist/leaf_products.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "dist/copy_box.hpp"
#include "dist_plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr label_class groups[] = {label_class::batch, label_class::m, label_class::n,
                                  label_class::k};

/// One way for all elements: what decides must be global.
product_form form_of(const labelled_problem &problem) {
    if (problem.unary)
        return problem.size_of(label_class::k) == 1 ? product_form::copies : product_form::matrices;
    return problem.size_of(label_class::m) == 1 && problem.size_of(label_class::n) == 1
               ? product_form::dots
               : product_form::matrices;
}

/// sum += other
template <class T> void add(T *sum, const T *other, index_t n, int threads) noexcept {
    constexpr index_t worth_a_thread = 1 << 15;
    const auto team = static_cast<int>(std::clamp<index_t>(n / worth_a_thread, 1, threads));
    base::run_parallel(team, [&](base::team_member me) {
        const base::range mine = base::split(n, me.size(), me.id());
        for (index_t i = mine.begin; i < mine.end; ++i)
            sum[i] += other[i];
    });
}

/// The mode of a panel that runs along `label`; -1: none.
int mode_of(const layouts &where, operand_id operand, int label) {
    const std::vector<int> &labels = where.panel_labels(operand);
    const auto found = std::find(labels.begin(), labels.end(), label);
    return found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
}

} // namespace

template <class T> leaf_products<T>::leaf_products(const plan_state &plan, int threads,
                                                   const context &ctx, tile_budget budget)
    : plan_(plan), threads_(threads), ctx_(ctx), budget_(budget), form_(form_of(*plan.problem)),
      cuts_(plan.leaves.factors(plan.leaves.count())) {}

template <class T>
index_t leaf_products<T>::size_of(const product_boxes &boxes, label_class group) const {
    index_t size = 1;
    for (const int label : plan_.problem->group(group)) {
        const int in_a = mode_of(plan_.where, operand_a, label);
        const slice &box = in_a >= 0 ? boxes.a : boxes.b;
        const int mode = in_a >= 0 ? in_a : mode_of(plan_.where, operand_b, label);
        size *= box.extents[static_cast<std::size_t>(mode)];
    }
    return size;
}

template <class T> index_t leaf_products<T>::leaves_in(const product_boxes &boxes) const {
    index_t count = 1;
    for_each_leaf(boxes, [&](index_t i, const product_boxes &) { count = i + 1; });
    return count;
}

/// use(i, boxes) of leaf i, in the order of the tree.
template <class T> template <class Use>
void leaf_products<T>::for_each_leaf(const product_boxes &tile, const Use &use) const {
    struct digit {
        index_t first, count; ///< parts of the label
    };
    __extension__ using wide = __int128;
    std::vector<digit> digits;
    index_t count = 1;
    const std::vector<int> &labels = plan_.leaves.labels();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto mode = static_cast<std::size_t>(mode_of(plan_.where, operand_a, labels[i]));
        const index_t extent = plan_.problem->labels[static_cast<std::size_t>(labels[i])].extent;
        const auto part_at = [&](index_t position) { // the first one that begins there or later
            return extent == 0
                       ? index_t{0}
                       : static_cast<index_t>((wide{position} * cuts_[i] + extent - 1) / extent);
        };
        const index_t begin = tile.a.offsets[mode];
        const index_t first = part_at(begin);
        const index_t parts = std::max<index_t>(1, part_at(begin + tile.a.extents[mode]) - first);
        digits.push_back({first, parts});
        count *= parts;
    }
    for (index_t leaf = 0; leaf < count; ++leaf) {
        product_boxes boxes = tile;
        index_t rest = leaf;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const index_t part = digits[i].first + rest % digits[i].count;
            rest /= digits[i].count;
            const index_t extent =
                plan_.problem->labels[static_cast<std::size_t>(labels[i])].extent;
            const index_t begin = cut(extent, part, cuts_[i]);
            const index_t size = cut(extent, part + 1, cuts_[i]) - begin;
            for (const operand_id operand : {operand_a, operand_b}) {
                const int mode = mode_of(plan_.where, operand, labels[i]);
                if (mode < 0)
                    continue;
                slice &box = operand == operand_a ? boxes.a : boxes.b;
                box.offsets[static_cast<std::size_t>(mode)] = begin;
                box.extents[static_cast<std::size_t>(mode)] = size;
            }
        }
        use(leaf, boxes);
    }
}

/// Halves boxes until what products need fits the budget: batches first, which costs nothing, then
/// what the operand too large has.
template <class T> template <class Use>
void leaf_products<T>::for_each_tile(const product_boxes &boxes, const Use &use) const {
    const index_t batch = size_of(boxes, label_class::batch);
    const index_t m = size_of(boxes, label_class::m);
    const index_t n = size_of(boxes, label_class::n);
    if (batch * m * n == 0)
        return;
    const index_t k = plan_.leaves.largest(plan_.leaves.count());
    const auto sums =
        static_cast<index_t>(std::bit_width(static_cast<std::uint64_t>(plan_.leaves.count())));
    const bool large_a = batch * m > budget_.copies / std::max<index_t>(1, k);
    const bool large_b =
        !plan_.problem->unary && batch * n > budget_.copies / std::max<index_t>(1, k);
    const bool large_d = batch * m * n > budget_.sums / sums;
    label_class group = label_class::batch;
    if (batch == 1 || !(large_a || large_b || large_d)) {
        if (large_d && m * n > 1)
            group = m >= n ? label_class::m : label_class::n;
        else if (large_a && m > 1)
            group = label_class::m;
        else if (large_b && n > 1)
            group = label_class::n;
        else
            return use(boxes);
    }
    int longest = -1;
    index_t extent = 1;
    for (const int label : plan_.problem->group(group)) {
        const int in_a = mode_of(plan_.where, operand_a, label);
        const index_t one =
            in_a >= 0
                ? boxes.a.extents[static_cast<std::size_t>(in_a)]
                : boxes.b.extents[static_cast<std::size_t>(mode_of(plan_.where, operand_b, label))];
        if (one >= extent) { // of equal ones the last, which is mostly the slowest
            extent = one;
            longest = label;
        }
    }
    for (const index_t half : {0, 1})
        for_each_tile(boxes.cut(plan_.where, longest, half, 2), use);
}

template <class T> product_loops leaf_products<T>::loops_of(const product_boxes &leaf,
                                                            const placement<const T> &a,
                                                            const placement<const T> &b) const {
    product_loops loops;
    for (const label_class which : groups) {
        auto &group = loops.groups[static_cast<std::size_t>(which)];
        for (const int label : plan_.problem->group(which)) {
            const int in_a = mode_of(plan_.where, operand_a, label);
            const int in_b = mode_of(plan_.where, operand_b, label);
            const auto at_a = static_cast<std::size_t>(in_a);
            const auto at_b = static_cast<std::size_t>(in_b);
            group.extents.push_back(in_a >= 0 ? leaf.a.extents[at_a] : leaf.b.extents[at_b]);
            group.strides[0].push_back(in_a >= 0 ? a.strides[at_a] : 0);
            group.strides[1].push_back(in_b >= 0 ? b.strides[at_b] : 0);
        }
    }
    return loops;
}

template <class T> auto leaf_products<T>::shape_of(const product_boxes &leaf,
                                                   const placement<const T> &a,
                                                   const placement<const T> &b) const -> shape {
    shape result;
    for (const extents_t *part : {&leaf.a.extents, &a.strides, &leaf.b.extents, &b.strides})
        result.insert(result.end(), part->begin(), part->end());
    return result;
}

template <class T> extents_t leaf_products<T>::strides_of(const product_boxes &tile) const {
    extents_t strides(tile.d.extents.size(), 0);
    index_t stride = 1;
    for (const label_class group : {label_class::m, label_class::n, label_class::batch})
        for (const int label : plan_.problem->group(group)) {
            const auto mode = static_cast<std::size_t>(mode_of(plan_.where, operand_d, label));
            strides[mode] = stride;
            stride *= tile.d.extents[mode];
        }
    return strides;
}

template <class T> void leaf_products<T>::prepare(const product_boxes &boxes,
                                                  const placement<const T> &a,
                                                  const placement<const T> &b) {
    for_each_tile(boxes, [&](const product_boxes &tile) {
        index_t size = 0;
        index_t leaves = 1;
        for_each_leaf(tile, [&](index_t i, const product_boxes &leaf) {
            const auto [found, is_new] = products_.try_emplace(
                shape_of(leaf, a, b), form_, loops_of(leaf, a, b), !plan_.problem->unary,
                plan_.options.conj_a, plan_.options.conj_b, threads_, ctx_);
            size = std::max(size, found->second.workspace_size());
            leaves = i + 1;
        });
        const auto sums = static_cast<index_t>(std::bit_width(static_cast<std::uint64_t>(leaves)));
        size += sums * base::aligned_bytes(tile.d.size() * static_cast<index_t>(sizeof(T)));
        workspace_size_ = std::max(workspace_size_, size);
    });
}

template <class T>
status leaf_products<T>::run(const product_boxes &boxes, const placement<const T> &a,
                             const placement<const T> &b, std::span<std::byte> workspace,
                             const use_tile &use) const {
    status result;
    for_each_tile(boxes, [&](const product_boxes &tile) {
        const index_t size = tile.d.size();
        base::arena memory(workspace);
        std::vector<T *> sums;
        for (auto left = static_cast<std::uint64_t>(leaves_in(tile)); left > 0; left /= 2)
            sums.push_back(memory.take<T>(size));
        // A binary counter: those of its digits that are 1 are nodes that wait for the one beside.
        std::size_t waiting = 0;
        for_each_leaf(tile, [&](index_t i, const product_boxes &leaf) {
            const T *other = plan_.problem->unary ? nullptr : b.at(leaf.b.offsets);
            const status one = products_.at(shape_of(leaf, a, b))
                                   .run(a.at(leaf.a.offsets), other, sums[waiting], memory.rest());
            if (!one.ok())
                result = one;
            for (int j = std::countr_one(static_cast<std::uint64_t>(i)); j > 0; --j, --waiting)
                add(sums[waiting - 1], sums[waiting], size, threads_);
            ++waiting;
        });
        use(tile.d, sums[0], strides_of(tile));
    });
    return result;
}

template <class T>
isolated_sum<T>::isolated_sum(const plan_state &plan, operand_id operand, slice piece, int threads,
                              const context &ctx, tile_budget budget)
    : piece_(std::move(piece)) {
    const std::vector<int> &panel = plan.where.panel_labels(operand);
    index_t vanishing = 1;
    std::size_t mode = 0;
    for (const int label : plan.problem->operands[operand].distinct) {
        vanishes_.push_back(std::find(panel.begin(), panel.end(), label) == panel.end());
        if (vanishes_.back())
            vanishing *= piece_.extents[mode];
        ++mode;
    }
    most_ = std::max<index_t>(1, budget.copies / std::max<index_t>(1, vanishing));
    const extents_t strides = layout(piece_.extents).strides();
    for_each_tile(piece_, [&](const slice &tile) {
        product_loops loops;
        index_t size = 1;
        for (std::size_t one = 0; one < vanishes_.size(); ++one) {
            auto &group = loops.groups[static_cast<std::size_t>(vanishes_[one] ? label_class::k
                                                                               : label_class::m)];
            group.extents.push_back(tile.extents[one]);
            group.strides[0].push_back(strides[one]);
            size *= vanishes_[one] ? 1 : tile.extents[one];
        }
        const auto [found, is_new] = products_.try_emplace(
            tile.extents, product_form::matrices, loops, false, false, false, threads, ctx);
        workspace_size_ = std::max(workspace_size_,
                                   found->second.workspace_size() +
                                       base::aligned_bytes(size * static_cast<index_t>(sizeof(T))));
    });
}

template <class T> template <class Use>
void isolated_sum<T>::for_each_tile(const slice &box, const Use &use) const {
    index_t size = 1;
    index_t extent = 1;
    std::size_t longest = 0;
    for (std::size_t mode = 0; mode < vanishes_.size(); ++mode) {
        if (vanishes_[mode])
            continue;
        size *= box.extents[mode];
        if (box.extents[mode] >= extent) {
            extent = box.extents[mode];
            longest = mode;
        }
    }
    if (size == 0)
        return;
    if (size <= most_)
        return use(box);
    slice half = box;
    half.extents[longest] = extent / 2;
    for_each_tile(half, use);
    half.offsets[longest] += extent / 2;
    half.extents[longest] = extent - extent / 2;
    for_each_tile(half, use);
}

template <class T>
status isolated_sum<T>::run(const T *piece, T *summed, std::span<std::byte> workspace) const {
    status result;
    const placement<const T> from(piece, piece_);
    slice to_box{{}, {}, false};
    for (std::size_t mode = 0; mode < vanishes_.size(); ++mode)
        if (!vanishes_[mode]) {
            to_box.offsets.push_back(piece_.offsets[mode]);
            to_box.extents.push_back(piece_.extents[mode]);
        }
    const placement<T> to(summed, to_box);
    for_each_tile(piece_, [&](const slice &tile) {
        slice part{{}, {}, false};
        for (std::size_t mode = 0; mode < vanishes_.size(); ++mode)
            if (!vanishes_[mode]) {
                part.offsets.push_back(tile.offsets[mode]);
                part.extents.push_back(tile.extents[mode]);
            }
        base::arena memory(workspace);
        T *sum = memory.take<T>(part.size());
        const status one =
            products_.at(tile.extents).run(from.at(tile.offsets), nullptr, sum, memory.rest());
        if (!one.ok())
            result = one;
        copy_box(part.extents, static_cast<const T *>(sum), dense_strides(part.extents),
                 to.at(part.offsets), to.strides);
    });
    return result;
}

template class leaf_products<float>;
template class leaf_products<double>;
template class leaf_products<c32>;
template class leaf_products<c64>;
template class isolated_sum<float>;
template class isolated_sum<double>;
template class isolated_sum<c32>;
template class isolated_sum<c64>;

} // namespace tenfold::dist_impl

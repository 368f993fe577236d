#include "distributed/plan/leaf_products.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// All elements of a contraction must use the same form, so only global extents decide.
product_form form_of(const labelled_problem &problem) {
    if (problem.unary)
        return problem.size_of(label_class::k) == 1 ? product_form::copies : product_form::matrices;
    return problem.size_of(label_class::m) == 1 && problem.size_of(label_class::n) == 1
               ? product_form::dots
               : product_form::matrices;
}

product_kind kind_of(const plan_state &plan) {
    return {.form = form_of(*plan.problem),
            .has_b = !plan.problem->unary,
            .conj_a = plan.options.conj_a,
            .conj_b = plan.options.conj_b};
}

/// Up to this many elements of a tile, all of its leaves' products are kept at the same time.
constexpr index_t small_tile = 64;

/// Computes sum += other.
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
int mode_of(const layouts &where, tensor_id operand, int label) {
    const std::vector<int> &labels = where.panel_labels(operand);
    const auto found = std::find(labels.begin(), labels.end(), label);
    return found == labels.end() ? -1 : static_cast<int>(found - labels.begin());
}

} // namespace

template <class T> leaf_products<T>::leaf_products(const plan_state &plan, int threads,
                                                   const context &ctx, tile_budget budget)
    : plan_(plan), threads_(threads), ctx_(ctx), budget_(budget), kind_(kind_of(plan)),
      cuts_(plan.leaves.factors(plan.leaves.count())) {}

template <class T>
index_t leaf_products<T>::size_of(const product_boxes &boxes, label_class group) const {
    index_t size = 1;
    for (const int label : plan_.problem->group(group)) {
        const int in_a = mode_of(plan_.where, A, label);
        const slice &box = in_a >= 0 ? boxes.a : boxes.b;
        const int mode = in_a >= 0 ? in_a : mode_of(plan_.where, B, label);
        size *= box.extents[static_cast<std::size_t>(mode)];
    }
    return size;
}

/// Returns the cuts of each contracted label along which leaves are cut.
template <class T> auto leaf_products<T>::cuts_of(const product_boxes &tile) const
    -> std::vector<leaf_cut> {
    __extension__ using wide = __int128;
    std::vector<leaf_cut> cuts;
    const std::vector<int> &labels = plan_.leaves.labels();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const int in_a = mode_of(plan_.where, A, labels[i]);
        const auto mode = static_cast<std::size_t>(in_a);
        const index_t extent = plan_.problem->labels[static_cast<std::size_t>(labels[i])].extent;
        const auto part_at = [&](index_t position) { // the first part that begins at `position` or
                                                     // later
            return extent == 0
                       ? index_t{0}
                       : static_cast<index_t>((wide{position} * cuts_[i] + extent - 1) / extent);
        };
        const index_t begin = tile.a.offsets[mode];
        const index_t first = part_at(begin);
        const index_t count = std::max<index_t>(1, part_at(begin + tile.a.extents[mode]) - first);
        cuts.push_back({extent, cuts_[i], first, count, in_a, mode_of(plan_.where, B, labels[i])});
    }
    return cuts;
}

template <class T> index_t leaf_products<T>::leaves_in(const product_boxes &boxes) const {
    index_t count = 1;
    for (const leaf_cut &one : cuts_of(boxes))
        count *= one.count;
    return count;
}

/// Calls use(i, boxes) for each leaf i, in the order of the tree.
template <class T> template <class Use>
void leaf_products<T>::for_each_leaf(const product_boxes &tile, const Use &use) const {
    const std::vector<leaf_cut> cuts = cuts_of(tile);
    product_boxes boxes = tile;
    const index_t count = leaves_in(tile);
    for (index_t leaf = 0; leaf < count; ++leaf) {
        index_t rest = leaf;
        for (const leaf_cut &one : cuts) {
            const index_t part = one.first + rest % one.count;
            rest /= one.count;
            const index_t begin = cut(one.extent, part, one.parts);
            const index_t size = cut(one.extent, part + 1, one.parts) - begin;
            const auto set = [&](slice &box, int mode) {
                if (mode < 0)
                    return;
                box.offsets[static_cast<std::size_t>(mode)] = begin;
                box.extents[static_cast<std::size_t>(mode)] = size;
            };
            set(boxes.a, one.in_a);
            set(boxes.b, one.in_b);
        }
        use(leaf, boxes);
    }
}

/// Halves boxes until the memory of products fits the budget: first along batch labels, which costs
/// nothing, then along labels of the operand that is too large.
template <class T> template <class Use>
void leaf_products<T>::for_each_tile(const product_boxes &boxes, const Use &use,
                                     const passed_over &is_passed_over) const {
    if (is_passed_over && is_passed_over(boxes))
        return;
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
        const int in_a = mode_of(plan_.where, A, label);
        const index_t one =
            in_a >= 0 ? boxes.a.extents[static_cast<std::size_t>(in_a)]
                      : boxes.b.extents[static_cast<std::size_t>(mode_of(plan_.where, B, label))];
        if (one >= extent) { // of equal ones the last, which is mostly the slowest
            extent = one;
            longest = label;
        }
    }
    for (const index_t half : {0, 1})
        for_each_tile(boxes.cut(plan_.where, longest, half, 2), use, is_passed_over);
}

template <class T> product_loops leaf_products<T>::loops_of(const product_boxes &leaf,
                                                            const placement<const T> &a,
                                                            const placement<const T> &b) const {
    product_loops loops;
    for (const label_class which : einsum_impl::product_classes) {
        auto &group = loops.groups[static_cast<std::size_t>(which)];
        for (const int label : plan_.problem->group(which)) {
            const int in_a = mode_of(plan_.where, A, label);
            const int in_b = mode_of(plan_.where, B, label);
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
            const auto mode = static_cast<std::size_t>(mode_of(plan_.where, D, label));
            strides[mode] = stride;
            stride *= tile.d.extents[mode];
        }
    return strides;
}

template <class T> bool leaf_products<T>::are_small(const product_boxes &tile) const {
    return kind_.form == product_form::dots && tile.d.size() <= small_tile;
}

template <class T>
auto leaf_products<T>::product_of(const product_boxes &leaf, const placement<const T> &a,
                                  const placement<const T> &b, recent_products &recent) const
    -> const matrix_product<T> * {
    for (const auto &[extents_a, extents_b, product] : recent)
        if (extents_a == leaf.a.extents && extents_b == leaf.b.extents)
            return product;
    const auto found = products_.find(shape_of(leaf, a, b));
    if (found == products_.end())
        return nullptr;
    recent.push_back({leaf.a.extents, leaf.b.extents, &found->second});
    return &found->second;
}

template <class T> void leaf_products<T>::prepare(const product_boxes &boxes,
                                                  const placement<const T> &a,
                                                  const placement<const T> &b) {
    std::set<shape> known; // there may be millions of tiles, of few different shapes
    const auto is_known = [&](const product_boxes &part) {
        return !known.insert(shape_of(part, a, b)).second;
    };
    const auto plan_leaves = [&](const product_boxes &tile) {
        const bool together = are_small(tile);
        const int threads = together ? 1 : threads_;
        recent_products recent;
        for_each_leaf(tile, [&](index_t, const product_boxes &leaf) {
            if (product_of(leaf, a, b, recent) != nullptr)
                return;
            products_.try_emplace(shape_of(leaf, a, b), kind_, loops_of(leaf, a, b), threads, ctx_);
            product_of(leaf, a, b, recent);
        });
        index_t each = 0;
        for (const auto &[extents_a, extents_b, product] : recent)
            each = std::max(each, product->workspace_size());
        const index_t leaves = leaves_in(tile);
        const auto sums = static_cast<index_t>(std::bit_width(static_cast<std::uint64_t>(leaves)));
        const index_t size = tile.d.size() * static_cast<index_t>(sizeof(T));
        workspace_size_ = std::max(workspace_size_,
                                   together ? base::aligned_bytes(leaves * size) + threads_ * each
                                            : sums * base::aligned_bytes(size) + each);
    };
    for_each_tile(boxes, plan_leaves, is_known);
}

template <class T>
status leaf_products<T>::run(const product_boxes &boxes, const placement<const T> &a,
                             const placement<const T> &b, std::span<std::byte> workspace,
                             const use_tile &use) const {
    status result;
    for_each_tile(boxes, [&](const product_boxes &tile) {
        const auto [status, sum] =
            are_small(tile) ? add_small(tile, a, b, workspace) : add_large(tile, a, b, workspace);
        if (!status.ok())
            result = status;
        use(tile.d, sum, strides_of(tile));
    });
    return result;
}

/// Computes one leaf's product after the other, each with all threads.
template <class T>
auto leaf_products<T>::add_large(const product_boxes &tile, const placement<const T> &a,
                                 const placement<const T> &b, std::span<std::byte> workspace) const
    -> tile_sum {
    const index_t size = tile.d.size();
    base::arena memory(workspace);
    std::vector<T *> sums;
    for (auto left = static_cast<std::uint64_t>(leaves_in(tile)); left > 0; left /= 2)
        sums.push_back(memory.take<T>(size));
    status result;
    recent_products recent;
    // A binary counter: each digit that is 1 stands for a node that waits for its neighbour.
    std::size_t waiting = 0;
    for_each_leaf(tile, [&](index_t i, const product_boxes &leaf) {
        const T *other = plan_.problem->unary ? nullptr : b.at(leaf.b.offsets);
        const status one = product_of(leaf, a, b, recent)
                               ->run(a.at(leaf.a.offsets), other, sums[waiting], memory.rest());
        if (!one.ok())
            result = one;
        for (int j = std::countr_one(static_cast<std::uint64_t>(i)); j > 0; --j, --waiting)
            add(sums[waiting - 1], sums[waiting], size, threads_);
        ++waiting;
    });
    return {result, sums[0]};
}

/// Computes the products of all leaves, shared by the threads, before adding any of them.
template <class T>
auto leaf_products<T>::add_small(const product_boxes &tile, const placement<const T> &a,
                                 const placement<const T> &b, std::span<std::byte> workspace) const
    -> tile_sum {
    struct work {
        const matrix_product<T> *product;
        const T *a, *b;
    };
    std::vector<work> leaves;
    recent_products recent;
    for_each_leaf(tile, [&](index_t, const product_boxes &leaf) {
        leaves.push_back({product_of(leaf, a, b, recent), a.at(leaf.a.offsets),
                          plan_.problem->unary ? nullptr : b.at(leaf.b.offsets)});
    });
    const auto count = static_cast<index_t>(leaves.size());
    const index_t size = tile.d.size();
    index_t each = 0;
    for (const auto &[extents_a, extents_b, product] : recent)
        each = std::max(each, product->workspace_size());
    base::arena memory(workspace);
    T *sums = memory.take<T>(count * size);
    const std::span<std::byte> rest = memory.rest();
    const auto team = static_cast<int>(std::min<index_t>(count, threads_));
    std::vector<status> results(static_cast<std::size_t>(team));
    base::run_parallel(team, [&](base::team_member me) {
        const auto own =
            rest.subspan(static_cast<std::size_t>(me.id() * each), static_cast<std::size_t>(each));
        const base::range mine = base::split(count, me.size(), me.id());
        for (index_t i = mine.begin; i < mine.end; ++i) {
            const work &leaf = leaves[static_cast<std::size_t>(i)];
            const status one = leaf.product->run(leaf.a, leaf.b, sums + i * size, own);
            if (!one.ok())
                results[static_cast<std::size_t>(me.id())] = one;
        }
    });
    for (index_t distance = 1; distance < count; distance *= 2)
        for (index_t i = 0; i + distance < count; i += 2 * distance)
            for (index_t j = 0; j < size; ++j)
                sums[i * size + j] += sums[(i + distance) * size + j];
    const auto failed =
        std::find_if(results.begin(), results.end(), [](const status &one) { return !one.ok(); });
    return {failed == results.end() ? status{} : *failed, sums};
}

#define TENFOLD_INSTANTIATE(T, name) template class leaf_products<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

#include "distributed/plan/isolated_sum.hpp"

#include <algorithm>
#include <set>

namespace tenfold::dist_impl {

template <class T>
isolated_sum<T>::isolated_sum(const plan_state &plan, tensor_id operand, slice piece, int threads,
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
    std::set<extents_t> known; // there may be millions of tiles, of few different shapes
    const auto is_known = [&](const slice &part) { return !known.insert(part.extents).second; };
    const auto plan_tile = [&](const slice &tile) {
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
            tile.extents, product_kind{.form = product_form::matrices}, loops, threads, ctx);
        workspace_size_ = std::max(workspace_size_,
                                   found->second.workspace_size() +
                                       base::aligned_bytes(size * static_cast<index_t>(sizeof(T))));
    };
    for_each_tile(piece_, plan_tile, is_known);
}

template <class T> template <class Use>
void isolated_sum<T>::for_each_tile(const slice &box, const Use &use,
                                    const passed_over &is_passed_over) const {
    if (is_passed_over && is_passed_over(box))
        return;
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
    for_each_tile(half, use, is_passed_over);
    half.offsets[longest] += extent / 2;
    half.extents[longest] = extent - extent / 2;
    for_each_tile(half, use, is_passed_over);
}

template <class T> status isolated_sum<T>::run(const T *piece, std::span<std::byte> workspace,
                                               const use_tile &use) const {
    status result;
    const placement<const T> from(piece, piece_);
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
        use(part, sum);
    });
    return result;
}

#define TENFOLD_INSTANTIATE(T, name) template class isolated_sum<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

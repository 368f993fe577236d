#include "distributed/plan/pair_boxes.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"

namespace tenfold::dist_impl {
namespace {

using base::pair_row;
using chem::pair_kind;

/// Calls use(row) for the rows of the pairs [begin, end).
template <class Use> void for_each_row(const base::range &pairs, pair_kind kind, const Use &use) {
    index_t begin = pairs.begin;
    for (index_t p = 0; begin < pairs.end; ++p) {
        const index_t first = base::pair_count(p, kind);
        const index_t last = std::min(pairs.end, base::pair_count(p + 1, kind));
        if (begin >= last)
            continue;
        use(pair_row{p, begin - first, last - first});
        begin = last;
    }
}

base::range range_of(const slice &block, std::size_t mode) {
    return {block.offsets[mode], block.offsets[mode] + block.extents[mode]};
}

/// A block with one or two modes taken out and others put in.
slice replaced(const slice &block, int mode, int modes_together, const slice &by) {
    slice result = block;
    for (auto [numbers, others] :
         {std::pair(&result.offsets, &by.offsets), std::pair(&result.extents, &by.extents)}) {
        numbers->erase(numbers->begin() + mode, numbers->begin() + mode + modes_together);
        numbers->insert(numbers->begin() + mode, others->begin(), others->end());
    }
    return result;
}

/// The places of the pairs with one index in each of two ranges, in order, as few ranges as that
/// takes.
std::vector<base::range> pairs_between(const base::range &one, const base::range &other) {
    std::vector<base::range> found;
    const auto add = [&](index_t p, index_t begin, index_t end) {
        if (begin >= end)
            return;
        const base::range places{chem::pair_count(p) + begin, chem::pair_count(p) + end};
        if (!found.empty() && found.back().end >= places.begin)
            found.back().end = std::max(found.back().end, places.end);
        else
            found.push_back(places);
    };
    const auto is_in = [](index_t p, const base::range &where) {
        return where.begin <= p && p < where.end;
    };
    const index_t first = std::min(one.begin, other.begin);
    for (index_t p = first; p < std::max(one.end, other.end); ++p) {
        std::pair<base::range, base::range> lower;
        if (is_in(p, one))
            lower.first = {other.begin, std::min(other.end, p + 1)};
        if (is_in(p, other))
            lower.second = {one.begin, std::min(one.end, p + 1)};
        if (lower.second.begin < lower.first.begin)
            std::swap(lower.first, lower.second);
        add(p, lower.first.begin, lower.first.end);
        add(p, lower.second.begin, lower.second.end);
    }
    return found;
}

} // namespace

std::vector<pair_row_box> boxes_to_pack(const slice &block, int mode, pair_kind kind) {
    std::vector<pair_row_box> found;
    if (block.empty())
        return found;
    for_each_row(range_of(block, static_cast<std::size_t>(mode)), kind, [&](const pair_row &row) {
        const slice pq{{row.p, row.begin}, {1, row.size()}};
        const slice qp{{row.begin, row.p}, {row.size(), 1}};
        found.push_back({row, false, replaced(block, mode, 1, pq)});
        found.push_back({row, true, replaced(block, mode, 1, qp)});
    });
    return found;
}

std::vector<pair_row_box> boxes_to_unpack(const slice &block, int mode, pair_kind kind) {
    std::vector<pair_row_box> found;
    if (block.empty())
        return found;
    const base::range p = range_of(block, static_cast<std::size_t>(mode));
    const base::range q = range_of(block, static_cast<std::size_t>(mode) + 1);
    const index_t diagonal = kind == pair_kind::symmetric ? 1 : 0;
    const auto add = [&](index_t high, const base::range &low, index_t end, bool is_flipped) {
        const pair_row row{high, low.begin, std::min(low.end, end)};
        if (row.begin < row.end)
            found.push_back(
                {row, is_flipped, replaced(block, mode, 2, {{row.place(kind)}, {row.size()}})});
    };
    // Pairs p = q are in the first kind only.
    for (index_t high = p.begin; high < p.end; ++high)
        add(high, q, high + diagonal, false);
    for (index_t high = q.begin; high < q.end; ++high)
        add(high, p, high, true);
    return found;
}

std::vector<slice> boxes_to_pack_matrices(const slice &block) {
    std::vector<slice> found;
    if (block.empty())
        return found;
    constexpr auto symmetric = pair_kind::symmetric;
    const base::range pairs = range_of(block, 0);
    const index_t begin = chem::pair_at(pairs.begin).p;
    const index_t end = chem::pair_at(pairs.end - 1).p + 1;
    for_each_row(range_of(block, 1), symmetric, [&](const pair_row &column) {
        const index_t s = column.begin;
        found.push_back({{begin, 0, column.p, s}, {end - begin, end, 1, column.size()}});
        if (begin > 0)
            found.push_back({{0, begin, column.p, s}, {begin, end - begin, 1, column.size()}});
    });
    return found;
}

std::vector<slice> boxes_to_unpack_matrices(const slice &block) {
    std::vector<slice> found;
    if (block.empty())
        return found;
    const std::vector<base::range> rows = pairs_between(range_of(block, 0), range_of(block, 1));
    const std::vector<base::range> columns = pairs_between(range_of(block, 2), range_of(block, 3));
    for (const base::range &column : columns)
        for (const base::range &row : rows)
            found.push_back(
                {{row.begin, column.begin}, {row.end - row.begin, column.end - column.begin}});
    return found;
}

slice bounds_to_pack_matrices(const slice &block) {
    if (block.empty())
        return {extents_t(4, 0), extents_t(4, 0), true};
    const chem::pair_box found = chem::packed_from({block.offsets, block.extents});
    return {found.offsets, found.extents};
}

slice bounds_to_unpack_matrices(const slice &block) {
    if (block.empty())
        return {extents_t(2, 0), extents_t(2, 0), true};
    const chem::pair_box found = chem::unpacked_from({block.offsets, block.extents});
    return {found.offsets, found.extents};
}

} // namespace tenfold::dist_impl

#include "apps/server/chunks.hpp"

#include <algorithm>

namespace tenfold::server {

namespace {

/// The mode that is the i-th fastest.
std::size_t mode_at(std::size_t i, std::size_t modes, memory_order order) noexcept {
    return order == memory_order::fortran ? i : modes - 1 - i;
}

} // namespace

extents_t largest_chunk(extents_t extents, memory_order order, index_t most) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
        index_t &extent = extents[mode_at(i, extents.size(), order)];
        extent = std::min(extent, most);
        most /= extent;
    }
    return extents;
}

std::vector<slice> chunks_of(const extents_t &extents, memory_order order, index_t most) {
    if (layout(extents).empty())
        return {};
    const extents_t largest = largest_chunk(extents, order, most);
    slice box{extents_t(extents.size(), 0), largest};
    std::vector<slice> boxes;
    for (;;) {
        boxes.push_back(box);
        std::size_t i = 0;
        for (; i < extents.size(); ++i) {
            const std::size_t mode = mode_at(i, extents.size(), order);
            index_t &offset = box.offsets[mode];
            offset = offset + largest[mode] < extents[mode] ? offset + largest[mode] : 0;
            box.extents[mode] = std::min(largest[mode], extents[mode] - offset);
            if (offset > 0)
                break;
        }
        if (i == extents.size())
            return boxes;
    }
}

slice overlap_of(const slice &a, const slice &b) {
    slice result = a;
    result.none = a.none || b.none;
    for (std::size_t mode = 0; mode < a.extents.size() && !result.none; ++mode) {
        const index_t first = std::max(a.offsets[mode], b.offsets[mode]);
        const index_t last =
            std::min(a.offsets[mode] + a.extents[mode], b.offsets[mode] + b.extents[mode]);
        result.offsets[mode] = first;
        result.extents[mode] = std::max<index_t>(0, last - first);
    }
    return result;
}

layout dense(extents_t extents, memory_order order) {
    return order == memory_order::c ? layout::row_major(std::move(extents))
                                    : layout(std::move(extents));
}

} // namespace tenfold::server

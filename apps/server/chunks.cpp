#include "apps/server/chunks.hpp"

#include <algorithm>

namespace tenfold::server {

std::vector<slice> chunks_of(const extents_t &extents, memory_order order, index_t most) {
    const layout whole(extents);
    if (whole.empty())
        return {};
    // Modes from the slowest to the fastest.
    std::vector<std::size_t> modes(extents.size());
    for (std::size_t i = 0; i < modes.size(); ++i)
        modes[i] = order == memory_order::c ? i : modes.size() - 1 - i;
    // The slowest mode behind which everything fits. It is cut; slower ones are walked one by one.
    index_t inner = whole.size();
    std::size_t cut = 0;
    for (; cut < modes.size(); ++cut) {
        inner /= extents[modes[cut]];
        if (inner <= most)
            break;
    }
    slice box{extents_t(extents.size(), 0), extents};
    if (modes.empty())
        return {box};
    for (std::size_t i = 0; i < cut; ++i)
        box.extents[modes[i]] = 1;
    const index_t step = std::max<index_t>(1, most / inner);
    std::vector<slice> boxes;
    for (;;) {
        const std::size_t mode = modes[cut];
        for (index_t first = 0; first < extents[mode]; first += step) {
            box.offsets[mode] = first;
            box.extents[mode] = std::min(step, extents[mode] - first);
            boxes.push_back(box);
        }
        std::size_t i = cut;
        for (; i > 0; --i) {
            if (++box.offsets[modes[i - 1]] < extents[modes[i - 1]])
                break;
            box.offsets[modes[i - 1]] = 0;
        }
        if (i == 0)
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

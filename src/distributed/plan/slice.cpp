#include "distributed/plan/slice.hpp"

#include <algorithm>

namespace tenfold {

index_t slice::size() const noexcept {
    if (none)
        return 0;
    index_t size = 1; // an empty mode makes the size 0 whatever the others are
    for (const index_t extent : extents)
        if (extent == 0)
            return 0;
    for (const index_t extent : extents)
        size *= extent;
    return size;
}

std::string slice::describe() const {
    if (none)
        return "nothing";
    return "offsets " + dist_impl::list(offsets) + ", extents " + dist_impl::list(extents);
}

namespace dist_impl {

std::string list(const extents_t &numbers) {
    std::string text = "(";
    for (std::size_t k = 0; k < numbers.size(); ++k)
        text += (k == 0 ? "" : ", ") + std::to_string(numbers[k]);
    return text + ")";
}

slice intersect(const slice &a, const slice &b) {
    slice both{a.offsets, a.extents, a.none || b.none};
    for (std::size_t k = 0; k < a.extents.size(); ++k) {
        const index_t begin = std::max(a.offsets[k], b.offsets[k]);
        const index_t end = std::min(a.offsets[k] + a.extents[k], b.offsets[k] + b.extents[k]);
        both.offsets[k] = begin;
        both.extents[k] = std::max<index_t>(0, end - begin);
    }
    return both;
}

index_t intersection_size(const slice &a, const slice &b) noexcept {
    if (a.empty() || b.empty())
        return 0;
    index_t size = 1;
    for (std::size_t k = 0; k < a.extents.size(); ++k) {
        const index_t begin = std::max(a.offsets[k], b.offsets[k]);
        const index_t end = std::min(a.offsets[k] + a.extents[k], b.offsets[k] + b.extents[k]);
        if (end <= begin)
            return 0;
        size *= end - begin;
    }
    return size;
}

} // namespace dist_impl
} // namespace tenfold

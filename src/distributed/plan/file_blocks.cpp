#include "distributed/plan/file_blocks.hpp"

#include <algorithm>

#include <tenfold/tensor_view.hpp>

#include "base/checked.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

file_blocks::file_blocks(extents_t extents, bool row_major, index_t most)
    : extents_(std::move(extents)), row_major_(row_major) {
    if (std::find(extents_.begin(), extents_.end(), 0) != extents_.end()) {
        count_ = 0;
        return;
    }
    const std::size_t order = extents_.size();
    for (; whole_ < order && extents_[mode(whole_)] <= most / slab_; ++whole_)
        slab_ *= extents_[mode(whole_)];
    if (whole_ == order)
        return;
    cut_extent_ = extents_[mode(whole_)];
    parts_ = base::divide_up(cut_extent_, most / slab_);
    largest_part_ = base::divide_up(cut_extent_, parts_);
    count_ = parts_;
    for (std::size_t k = whole_ + 1; k < order; ++k)
        count_ *= extents_[mode(k)];
}

std::size_t file_blocks::mode(std::size_t k) const noexcept {
    return row_major_ ? extents_.size() - 1 - k : k;
}

slice file_blocks::box(index_t i) const {
    slice box{extents_t(extents_.size(), 0), extents_};
    if (whole_ == extents_.size())
        return box;
    const std::size_t split = mode(whole_);
    const index_t part = i % parts_;
    box.offsets[split] = cut(cut_extent_, part, parts_);
    box.extents[split] = cut(cut_extent_, part + 1, parts_) - box.offsets[split];
    i /= parts_;
    for (std::size_t k = whole_ + 1; k < extents_.size(); ++k) {
        box.offsets[mode(k)] = i % extents_[mode(k)];
        box.extents[mode(k)] = 1;
        i /= extents_[mode(k)];
    }
    return box;
}

index_t file_blocks::begin(index_t i) const noexcept {
    return slab_ * (cut(cut_extent_, i % parts_, parts_) + cut_extent_ * (i / parts_));
}

extents_t file_blocks::strides_of(const slice &box) const {
    return (row_major_ ? layout::row_major(box.extents) : layout(box.extents)).strides();
}

} // namespace tenfold::dist_impl

// The positions of a tensor's elements: layout (extents and strides) and tensor_view (layout and
// pointer).
#pragma once

#include <array>
#include <cassert>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

using extents_t = std::vector<index_t>;

/// Extents and strides of a tensor, in elements. Strides may be positive, negative or zero. The
/// element at (i0, i1, ...) is at sum(i_k * stride_k) from the data pointer. Order 0 is a scalar
/// (one element).
class layout {
public:
    layout() = default;
    layout(const layout &) = default;
    layout &operator=(const layout &) = default;
    /// A moved-from layout has no modes and, unlike a scalar, no element.
    layout(layout &&other) noexcept
        : extents_(std::move(other.extents_)), strides_(std::move(other.strides_)),
          size_(std::exchange(other.size_, 0)) {}
    layout &operator=(layout &&other) noexcept {
        if (this == &other)
            return *this;
        extents_ = std::exchange(other.extents_, {});
        strides_ = std::exchange(other.strides_, {});
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// Dense, column-major: mode 0 has stride 1. Throws errc::invalid_argument for a negative
    /// extent, and errc::overflow if the size does not fit 64 bits.
    explicit layout(extents_t extents);

    /// Any strides. Throws as above, and errc::order_mismatch if the two vectors differ in length.
    /// The position of the furthest element must fit 64 bits (errc::overflow). The stride of a mode
    /// of extent 1 has no effect.
    layout(extents_t extents, extents_t strides);

    /// Dense, row-major: the last mode has stride 1.
    static layout row_major(extents_t extents);

    /// A sub-tensor of a dense column-major tensor with extents `outer`, which HPTT calls outer
    /// sizes. Throws errc::extent_mismatch if an extent is larger than its outer extent.
    static layout within(extents_t extents, const extents_t &outer);

    int order() const noexcept { return static_cast<int>(extents_.size()); }
    index_t extent(int mode) const noexcept { return extents_[static_cast<std::size_t>(mode)]; }
    index_t stride(int mode) const noexcept { return strides_[static_cast<std::size_t>(mode)]; }
    const extents_t &extents() const noexcept { return extents_; }
    const extents_t &strides() const noexcept { return strides_; }

    /// Number of elements; 1 for order 0.
    index_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }

    /// Lowest and highest position of an element relative to the data pointer; both 0 when empty.
    index_t lowest() const noexcept;
    index_t highest() const noexcept;

    /// The layout of a block with these extents; its origin is at offset_of(offsets). Throws
    /// errc::extent_mismatch if offset + extent exceeds a mode's extent.
    layout block(const extents_t &offsets, const extents_t &extents) const;
    /// Unchecked: `position` must have one index per mode.
    index_t offset_of(std::span<const index_t> position) const noexcept {
        index_t offset = 0;
        for (std::size_t k = 0; k < position.size(); ++k)
            offset += position[k] * strides_[k];
        return offset;
    }
    /// Throws errc::order_mismatch unless there is one index per mode, and errc::invalid_argument
    /// for an index outside its mode.
    index_t checked_offset_of(std::span<const index_t> position) const;

    /// True if two different positions share an element. The answer is exact for nested strides, as
    /// sub-tensors have them; for unusual strides that would take too long to check, it is true.
    bool overlaps_itself() const;

    /// "extents (48, 36), strides (1, 48)".
    std::string describe() const;

    friend bool operator==(const layout &, const layout &) = default;

private:
    extents_t extents_;
    extents_t strides_;
    index_t size_ = 1;
};

/// A non-owning view of a tensor: pointer and layout. T is an element type, const for read-only
/// views.
template <class T> class tensor_view {
public:
    using value_type = std::remove_const_t<T>;

    /// A scalar: order 0.
    explicit tensor_view(T *data) : data_(data) {}
    tensor_view(T *data, extents_t extents) : data_(data), layout_(std::move(extents)) {}
    tensor_view(T *data, extents_t extents, extents_t strides)
        : data_(data), layout_(std::move(extents), std::move(strides)) {}
    tensor_view(T *data, tenfold::layout layout) : data_(data), layout_(std::move(layout)) {}

    /// A view of T converts to a view of const T.
    operator tensor_view<const T>() const requires(!std::is_const_v<T>) { return {data_, layout_}; }

    T *data() const noexcept { return data_; }
    const tenfold::layout &shape() const noexcept { return layout_; }
    int order() const noexcept { return layout_.order(); }
    index_t extent(int mode) const noexcept { return layout_.extent(mode); }
    index_t size() const noexcept { return layout_.size(); }

    /// The block with these extents that starts at `offsets`.
    tensor_view block(const extents_t &offsets, const extents_t &extents) const {
        tenfold::layout part = layout_.block(offsets, extents); // checks the offsets
        return {data_ + layout_.offset_of(offsets), std::move(part)};
    }

    /// The element at a position: one index per mode, each from 0 to less than the mode's extent.
    /// Like operator[] of arrays it is unchecked, except that assert() checks the number of
    /// indices; at() is checked.
    template <class... I> T &operator()(I... position) const noexcept {
        const std::array<index_t, sizeof...(I)> indices{static_cast<index_t>(position)...};
        assert(sizeof...(I) == layout_.strides().size() && "one index per mode");
        return data_[layout_.offset_of(indices)];
    }
    /// The same element. Throws errc::order_mismatch for a wrong number of indices, and
    /// errc::invalid_argument for an index outside its mode.
    template <class... I> T &at(I... position) const {
        const std::array<index_t, sizeof...(I)> indices{static_cast<index_t>(position)...};
        return data_[layout_.checked_offset_of(indices)];
    }

private:
    T *data_;
    tenfold::layout layout_;
};

} // namespace tenfold

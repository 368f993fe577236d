// A tensor that owns its elements.
#pragma once

#include <cassert>
#include <memory>

#include <tenfold/tensor_view.hpp>

namespace tenfold {

namespace base {
/// 64-byte aligned storage; throws tenfold::error(errc::out_of_memory) that states the bytes.
void *allocate_aligned(byte_count size);
void free_aligned(void *memory) noexcept;
struct aligned_deleter {
    void operator()(void *memory) const noexcept { free_aligned(memory); }
};
/// Bytes of 0. Of large memory each of the context::global()'s threads writes a part, so that its
/// pages lie with the cores that will compute on it; inside a parallel region, the caller all.
void fill_with_zeros(void *memory, byte_count size) noexcept;
} // namespace base

/// Says that elements are not set: `tensor<double> A({48, 36}, uninitialized)`.
struct uninitialized_t {
    explicit uninitialized_t() = default;
};
inline constexpr uninitialized_t uninitialized{};

/// Dense, column-major, zero-initialised, aligned to 64 bytes, move-only. Copying is spelled out:
/// a copy of a tensor is rarely what was meant. What is moved from has no modes, size 0 and no
/// memory.
template <class T> class tensor {
public:
    explicit tensor(extents_t extents) : tensor(std::move(extents), uninitialized) {
        base::fill_with_zeros(data_.get(), checked_bytes(layout_)); // 0 in every element type
    }
    /// Elements that hold anything, on pages that nobody has touched: whoever writes them first
    /// decides with which cores they lie.
    tensor(extents_t extents, uninitialized_t)
        : layout_(std::move(extents)),
          data_(static_cast<T *>(base::allocate_aligned(checked_bytes(layout_)))) {}

    T *data() noexcept { return data_.get(); }
    const T *data() const noexcept { return data_.get(); }
    const tenfold::layout &shape() const noexcept { return layout_; }
    index_t size() const noexcept { return layout_.size(); }

    tensor_view<T> view() { return {data_.get(), layout_}; }
    tensor_view<const T> view() const { return {data_.get(), layout_}; }
    operator tensor_view<T>() { return view(); }
    operator tensor_view<const T>() const { return view(); }

    /// As tensor_view's: operator() is not checked, at() is.
    template <class... I> T &operator()(I... position) noexcept {
        return data_.get()[offset_of(position...)];
    }
    template <class... I> const T &operator()(I... position) const noexcept {
        return data_.get()[offset_of(position...)];
    }
    template <class... I> T &at(I... position) {
        return data_.get()[checked_offset_of(position...)];
    }
    template <class... I> const T &at(I... position) const {
        return data_.get()[checked_offset_of(position...)];
    }

private:
    /// Not by way of view(): copying a layout allocates.
    template <class... I> index_t offset_of(I... position) const noexcept {
        const std::array<index_t, sizeof...(I)> indices{static_cast<index_t>(position)...};
        assert(sizeof...(I) == layout_.strides().size() && "one index per mode");
        return layout_.offset_of(indices);
    }
    template <class... I> index_t checked_offset_of(I... position) const {
        const std::array<index_t, sizeof...(I)> indices{static_cast<index_t>(position)...};
        return layout_.checked_offset_of(indices);
    }
    static byte_count checked_bytes(const tenfold::layout &shape);

    tenfold::layout layout_;
    std::unique_ptr<T, base::aligned_deleter> data_;
};

/// Bytes of `shape` with elements of `type`; throws errc::overflow that states the extents.
byte_count storage_bytes(const layout &shape, data_type type);

template <class T> byte_count tensor<T>::checked_bytes(const tenfold::layout &shape) {
    return storage_bytes(shape, data_type_of<T>);
}

} // namespace tenfold

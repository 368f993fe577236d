// A tensor that owns its elements.
#pragma once

#include <cassert>
#include <memory>

#include <tenfold/tensor_view.hpp>

namespace [[gnu::visibility("default")]] tenfold {

namespace base {
/// Allocates storage aligned to 64 bytes. Throws errc::out_of_memory with the number of bytes.
void *allocate_aligned(byte_count size);
void free_aligned(void *memory) noexcept;
struct aligned_deleter {
    void operator()(void *memory) const noexcept { free_aligned(memory); }
};
/// Sets `size` bytes to 0. Threads of context::global() share memory of 8 MiB and more, so that
/// pages are allocated near the cores that will compute on them (first touch). Inside a parallel
/// region the caller writes everything.
void fill_with_zeros(void *memory, byte_count size) noexcept;
} // namespace base

/// Leaves elements uninitialised: `tensor<double> A({48, 36}, uninitialized)`.
struct uninitialized_t {
    explicit uninitialized_t() = default;
};
inline constexpr uninitialized_t uninitialized{};

/// A dense, column-major tensor, initialised with zeros and aligned to 64 bytes. Move-only, because
/// an implicit copy of a tensor is rarely intended. A moved-from tensor has no modes, size 0 and no
/// memory.
template <class T> class tensor {
public:
    explicit tensor(extents_t extents) : tensor(std::move(extents), uninitialized) {
        base::fill_with_zeros(data_.get(), checked_bytes(layout_)); // 0 in every element type
    }
    /// Leaves elements uninitialised and pages untouched: the first thread that writes a page
    /// decides near which cores it is allocated.
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

    /// operator() is unchecked and at() is checked, as in tensor_view.
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
    /// Does not use view(), because copying a layout allocates.
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

/// Bytes of `shape` with elements of `type`. Throws errc::overflow with the extents.
byte_count storage_bytes(const layout &shape, data_type type);

template <class T> byte_count tensor<T>::checked_bytes(const tenfold::layout &shape) {
    return storage_bytes(shape, data_type_of<T>);
}

} // namespace tenfold

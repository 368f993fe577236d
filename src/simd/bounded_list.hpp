// A list that needs no memory of its own: tables of kernels are made in functions that must not
// fail.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

namespace tenfold::simd {

constexpr std::size_t most_variants = 16; ///< variants.cpp asserts it

/// At most `Most` elements.
template <class T, std::size_t Most> class bounded_list {
public:
    bounded_list() = default;
    bounded_list(std::initializer_list<T> elements) {
        for (const T &one : elements)
            push_back(one);
    }
    void push_back(const T &one) noexcept { elements_[size_++] = one; }

    const T *data() const noexcept { return elements_.data(); }
    std::size_t size() const noexcept { return size_; }
    const T *begin() const noexcept { return data(); }
    const T *end() const noexcept { return data() + size_; }
    const T &back() const noexcept { return elements_[size_ - 1]; }

private:
    std::array<T, Most> elements_{};
    std::size_t size_ = 0;
};

} // namespace tenfold::simd

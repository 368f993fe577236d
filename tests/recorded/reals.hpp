// Numbers whose sums are rounded, so that the order of summation shows.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <tenfold/tensor_view.hpp>

#include "base/with_type.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// Generates many numbers fast: SplitMix64 (G. L. Steele et al., OOPSLA 2014), started anew for
/// each tensor.
class number_stream {
public:
    explicit number_stream(random_source &random)
        : state_(static_cast<std::uint64_t>(random.integer(0, INT64_MAX))) {}

    /// In [-1, 1), both parts of complex numbers; integers of any value.
    template <class T> T next() {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(bits());
        else if constexpr (is_complex(data_type_of<T>)) {
            const auto first = static_cast<typename T::value_type>(real());
            return {first, static_cast<typename T::value_type>(real())};
        } else if constexpr (sizeof(T) == 2)
            return T(static_cast<float>(real()));
        else
            return static_cast<T>(real());
    }

private:
    std::uint64_t bits() noexcept {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31);
    }
    double real() noexcept {
        constexpr double unit = 0x1p-63;
        return static_cast<double>(static_cast<std::int64_t>(bits()) >> 11 << 11) * unit;
    }

    std::uint64_t state_;
};

/// Fills `count` adjacent elements.
template <class T> void fill_with_reals(T *data, index_t count, random_source &random) {
    number_stream numbers(random);
    for (index_t i = 0; i < count; ++i)
        data[i] = numbers.next<T>();
}
inline void fill_with_reals(data_type type, void *data, index_t count, random_source &random) {
    base::with_type(type,
                    [&]<class T>(T) { fill_with_reals(static_cast<T *>(data), count, random); });
}

/// Returns 0, 1, -1, or a number whose products are rounded; sometimes with an imaginary part if
/// complex.
inline scalar random_factor(random_source &random, bool complex) {
    const double real = random.chance(0.5) ? 2 * random.real() - 1
                                           : static_cast<double>(random.pick<int>({0, 1, 1, -1}));
    const double imaginary = complex && random.chance(0.4) ? random.real() : 0;
    return {real, imaginary};
}

/// Memory of a layout, `shift` elements past a multiple of 64 bytes, filled with real numbers.
template <class T> class real_numbers {
public:
    real_numbers(layout shape, random_source &random, index_t shift = 0)
        : shape_(std::move(shape)), origin_(shift - shape_.lowest()),
          size_(origin_ + shape_.highest() + 1),
          data_(new (std::align_val_t(64)) T[static_cast<std::size_t>(size_)]) {
        fill_with_reals(data_.get(), size_, random);
    }

    const layout &shape() const noexcept { return shape_; }
    T *data() noexcept { return data_.get() + origin_; }

private:
    struct release {
        void operator()(T *data) const noexcept { ::operator delete[](data, std::align_val_t(64)); }
    };

    layout shape_;
    index_t origin_;
    index_t size_;
    std::unique_ptr<T[], release> data_;
};

} // namespace tenfold::testing

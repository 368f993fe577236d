// A tensor for tests: integer values that differ by position, with poison and canaries around them.
#pragma once

#include <cstring>
#include <sstream>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <tenfold/operand.hpp>

#include "support/guarded.hpp"

namespace tenfold::testing {

/// The type of expected values, exact for the integers that the tests use.
template <class T> using exact_t =
    std::conditional_t<is_complex(data_type_of<T>), std::complex<double>, double>;

template <class T> exact_t<T> exact(T value) {
    if constexpr (is_complex(data_type_of<T>))
        return {value.real(), value.imag()};
    else
        return static_cast<double>(
            static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(value));
}

template <class T> T rounded(exact_t<T> value) {
    if constexpr (is_complex(data_type_of<T>))
        return T(static_cast<typename T::value_type>(value.real()),
                 static_cast<typename T::value_type>(value.imag()));
    else if constexpr (sizeof(T) == 2)
        return T(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

/// Calls body(position) for every position, mode 0 fastest.
template <class Body> void for_each_position(const extents_t &extents, Body &&body) {
    index_t count = 1;
    for (const index_t extent : extents)
        count *= extent;
    extents_t position(extents.size(), 0);
    for (index_t i = 0; i < count; ++i) {
        body(static_cast<const extents_t &>(position));
        for (std::size_t mode = 0; mode < extents.size() && ++position[mode] == extents[mode];
             ++mode)
            position[mode] = 0;
    }
}

/// Returns one of -9 .. -1, 1 .. 9, depending on position and seed.
double integer_at(const extents_t &position, int seed);

/// Elements at the positions of `shape` in guarded memory. Between and around them are canaries:
/// NaN, which shows if it is read, unless `canary` is another value. The destructor checks that the
/// library wrote only to elements of outputs.
template <class T> class test_tensor {
public:
    explicit test_tensor(layout shape, std::size_t offset = 0)
        : shape_(std::move(shape)),
          memory_(static_cast<std::size_t>(shape_.highest() - shape_.lowest() + 1) * sizeof(T),
                  std::byte{0xff}, offset),
          data_(reinterpret_cast<T *>(memory_.data()) - shape_.lowest()) {}
    explicit test_tensor(extents_t extents) : test_tensor(layout(std::move(extents))) {}
    test_tensor(extents_t extents, extents_t strides)
        : test_tensor(layout(std::move(extents), std::move(strides))) {}
    test_tensor(const test_tensor &) = delete;
    test_tensor &operator=(const test_tensor &) = delete;
    ~test_tensor() {
        EXPECT_TRUE(memory_.guards_intact()) << "written outside of " << shape_.describe();
        if (!seen_.empty())
            check_untouched();
    }

    /// Sets values that depend on the position; real and imaginary parts differ.
    void fill(int seed) {
        for_each_position(shape_.extents(), [&](const extents_t &position) {
            exact_t<T> value = integer_at(position, seed);
            if constexpr (is_complex(data_type_of<T>))
                value = {value.real(), integer_at(position, seed + 1000)};
            data_[shape_.offset_of(position)] = rounded<T>(value);
        });
    }
    /// Sets all elements to NaN.
    void poison() {
        for_each_position(shape_.extents(), [&](const extents_t &position) {
            std::memset(static_cast<void *>(&data_[shape_.offset_of(position)]), 0xff, sizeof(T));
        });
    }

    /// at() returns an element's value, element() the element.
    exact_t<T> at(const extents_t &position) const {
        return exact(data_[shape_.offset_of(position)]);
    }
    template <class... I> exact_t<T> operator()(I... position) const {
        return at({static_cast<index_t>(position)...});
    }
    template <class... I> T &element(I... position) {
        return data_[shape_.offset_of(extents_t{static_cast<index_t>(position)...})];
    }

    T *data() const noexcept { return data_; }
    const layout &shape() const noexcept { return shape_; }

    /// The operands for the library. The destructor checks changes from here on.
    input in() const {
        remember();
        return {data_type_of<T>, data_, shape_};
    }
    output out() {
        remember();
        written_ = true;
        return {data_type_of<T>, data_, shape_};
    }
    operator input() const { return in(); }
    operator output() { return out(); }

    /// True if all bytes are as they were when the library last got the tensor.
    bool unchanged() const {
        return std::equal(seen_.begin(), seen_.end(), memory_.data()) && memory_.guards_intact();
    }

private:
    void remember() const { seen_.assign(memory_.data(), memory_.data() + memory_.size()); }

    void check_untouched() const {
        std::vector<bool> may_change(memory_.size(), false);
        if (written_)
            for_each_position(shape_.extents(), [&](const extents_t &position) {
                const index_t element = shape_.offset_of(position) - shape_.lowest();
                for (std::size_t byte = 0; byte < sizeof(T); ++byte)
                    may_change[static_cast<std::size_t>(element) * sizeof(T) + byte] = true;
            });
        for (std::size_t i = 0; i < memory_.size(); ++i)
            if (!may_change[i] && memory_.data()[i] != seen_[i]) {
                ADD_FAILURE() << "byte " << i << " of " << shape_.describe()
                              << " was written, but is no element of an output";
                return;
            }
    }

    layout shape_;
    guarded_buffer memory_;
    T *data_;
    mutable std::vector<std::byte> seen_; ///< all bytes, when the library got the tensor
    bool written_ = false;                ///< the library may write elements
};

/// Returns f(p[0], p[1], ...), with as many arguments as f takes.
template <class F> auto at_position(const F &f, const extents_t &p) {
    if constexpr (std::is_invocable_v<F>)
        return f();
    else if constexpr (std::is_invocable_v<F, index_t>)
        return f(p.at(0));
    else if constexpr (std::is_invocable_v<F, index_t, index_t>)
        return f(p.at(0), p.at(1));
    else if constexpr (std::is_invocable_v<F, index_t, index_t, index_t>)
        return f(p.at(0), p.at(1), p.at(2));
    else
        return f(p.at(0), p.at(1), p.at(2), p.at(3));
}

/// Checks that every element of `actual` is exactly expected(i, j, ..).
template <class T, class F> void expect_equal(const test_tensor<T> &actual, const F &expected) {
    int wrong = 0;
    std::string first;
    for_each_position(actual.shape().extents(), [&](const extents_t &position) {
        const exact_t<T> wanted = at_position(expected, position);
        if (actual.at(position) == wanted || ++wrong > 1)
            return;
        std::ostringstream text;
        text << "the first at (";
        for (const index_t i : position)
            text << ' ' << i;
        text << " ): " << actual.at(position) << ", expected " << wanted;
        first = text.str();
    });
    EXPECT_EQ(wrong, 0) << "of " << actual.shape().size() << " elements; " << first;
}

/// Returns term(0) + .. + term(count - 1).
template <class F> auto sum(index_t count, const F &term) {
    decltype(term(index_t{})) total = 0;
    for (index_t i = 0; i < count; ++i)
        total += term(i);
    return total;
}

} // namespace tenfold::testing

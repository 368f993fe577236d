// Products of real numbers with their exact results.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include <tenfold/gemm_batch.hpp>

#include "gemm/forms/degenerate.hpp"
#include "gemm/matrices.hpp"
#include "support/error_bound.hpp"
#include "support/exact_sum.hpp"

namespace tenfold::testing {

enum class numbers { uniform, positive, cancelling, rising, falling, lost };
inline constexpr std::array all_numbers{numbers::uniform, numbers::positive, numbers::cancelling,
                                        numbers::rising,  numbers::falling,  numbers::lost};

inline std::string_view name(numbers kind) {
    constexpr std::array<std::string_view, all_numbers.size()> names{
        "uniform", "positive", "cancelling", "rising", "falling", "lost"};
    return names[static_cast<std::size_t>(kind)];
}

/// The smallest possible share of one product in the sum of k `positive` ones.
inline double least_share(index_t k) {
    constexpr double least = 0.25, most = 1; // for complex numbers twice these
    return least / (least + most * static_cast<double>(k - 1));
}

/// A number whose parts are uniform in [low, high).
template <class T> T random_number(random_source &random, double low, double high) {
    const auto part = [&] { return low + (high - low) * random.real(); };
    if constexpr (is_complex_number<T>) {
        using real = typename T::value_type;
        const auto re = static_cast<real>(part());
        return T(re, static_cast<real>(part()));
    } else {
        return static_cast<T>(part());
    }
}

/// Fills A and B for products of one kind.
template <class T> void fill(guarded_matrix<T> &a, guarded_matrix<T> &b,
                             const gemm_impl::gemm_shape &s, numbers kind, random_source &random) {
    using real = decltype(std::real(T{}));
    const double low = kind == numbers::positive ? 0.5 : -1;
    // Sizes go from 2^-reach to 2^reach along k, or back: so far apart that some of the small
    // numbers are lost in the large ones, but not all.
    const int reach = sizeof(real) == 4 ? 16 : 40;
    const auto size = [&](index_t p) {
        const auto exponent = static_cast<int>(2 * reach * p / std::max<index_t>(1, s.k - 1));
        if (kind == numbers::rising)
            return static_cast<real>(std::ldexp(1.0, exponent - reach));
        return kind == numbers::falling ? static_cast<real>(std::ldexp(1.0, reach - exponent))
                                        : real(1);
    };
    for (index_t p = 0; p < s.k; ++p) {
        for (index_t i = 0; i < s.m; ++i)
            a.at(i, p) = size(p) * random_number<T>(random, low, 1);
        for (index_t j = 0; j < s.n; ++j)
            b.at(p, j) = random_number<T>(random, low, 1);
    }
    const index_t half = s.k / 2;
    if (kind == numbers::cancelling) // the second half nearly cancels the first
        for (index_t p = 0; p < half; ++p) {
            for (index_t i = 0; i < s.m; ++i)
                a.at(i, p + half) =
                    -a.at(i, p) * static_cast<real>(1 + 4 * random.real() * unit_roundoff<T>);
            for (index_t j = 0; j < s.n; ++j)
                b.at(p + half, j) = b.at(p, j);
        }
    if (kind == numbers::lost) // 1, and then half of its last place each time
        for (index_t p = 0; p < s.k; ++p) {
            for (index_t i = 0; i < s.m; ++i)
                a.at(i, p) = T(1);
            for (index_t j = 0; j < s.n; ++j)
                b.at(p, j) = T(p == 0 ? real(1) : static_cast<real>(unit_roundoff<T>));
        }
}

/// A random scalar that T holds exactly.
template <class T> scalar random_factor(random_source &random) {
    const T factor = random_number<T>(random, -2, 2);
    return {static_cast<double>(std::real(factor)), static_cast<double>(std::imag(factor))};
}

/// One product: its operands, and the error of a result.
template <class T> struct accuracy_case {
    gemm_case<T> product;

    accuracy_case(const gemm_impl::gemm_shape &s, numbers kind, random_source &random)
        : product(s, kind == numbers::positive ? scalar(1) : random_factor<T>(random),
                  random.chance(0.5) || kind == numbers::positive ? scalar(0)
                                                                  : random_factor<T>(random),
                  random) {
        fill(product.a, product.b, s, kind, random);
        if (product.beta != scalar{})
            for (index_t j = 0; j < s.n; ++j)
                for (index_t i = 0; i < s.m; ++i)
                    product.d.at(i, j) = random_number<T>(random, -1, 1);
    }

    /// The largest error of D's elements, relative to |alpha| sum |a||b| + |beta d|.
    double largest_error(guarded_matrix<T> is) const {
        guarded_matrix<T> a = product.a, b = product.b, d = product.d;
        const gemm_impl::gemm_shape &s = product.shape;
        double largest = 0;
        for (index_t j = 0; j < s.n; ++j)
            for (index_t i = 0; i < s.m; ++i) {
                exact_element element;
                for (index_t p = 0; p < s.k; ++p)
                    element.add_product(widened(a.at(i, p), s.conj_a),
                                        widened(b.at(p, j), s.conj_b));
                element.finish(product.alpha, product.beta, widened(d.at(i, j), false));
                largest = std::max(largest, element.relative_error(widened(is.at(i, j), false)));
            }
        return largest;
    }

private:
    static exact_element::number widened(T value, bool conjugate) {
        const auto imaginary = static_cast<double>(std::imag(value));
        return {static_cast<double>(std::real(value)), conjugate ? -imaginary : imaginary};
    }
};

} // namespace tenfold::testing

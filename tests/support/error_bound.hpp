// The largest error of a sum of products by rounding: the bounds of docs/accuracy.md, which derives
// them. Errors are relative to |alpha| sum |a||b| + |beta c|.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>

namespace tenfold::testing {

/// The order in which the products of one element are added.
struct summation {
    std::int64_t terms = 0;
    /// Products in the longest chain of updates of D or of a partial sum; 0: all of them.
    std::int64_t block = 0;
    /// Products in the longest partial sum, if partial sums are added by a tree; 0: all.
    std::int64_t leaf = 0;
};

/// Half the distance from 1 to the next number of T, or of its parts: 2^-24, 2^-53.
template <class T> inline constexpr double
    unit_roundoff = static_cast<double>(std::numeric_limits<decltype(std::real(T{}))>::epsilon()) /
                    2;

template <class T> inline constexpr bool is_complex_number = false;
template <class T> inline constexpr bool is_complex_number<std::complex<T>> = true;

/// n u / (1 - n u), or infinity if n u >= 1, where the model gives no bound.
inline double gamma(double n, double u) noexcept {
    return n * u < 1 ? n * u / (1 - n * u) : std::numeric_limits<double>::infinity();
}

/// The largest number of roundings between one product and D.
inline double roundings(const summation &how, bool complex) noexcept {
    const auto divide_up = [](std::int64_t n, std::int64_t by) { return (n + by - 1) / by; };
    const std::int64_t leaf = how.leaf > 0 ? std::min(how.leaf, how.terms) : how.terms;
    const std::int64_t chain = how.block > 0 ? std::min(how.block, leaf) : leaf;
    const std::int64_t blocks = chain > 0 ? divide_up(leaf, chain) : 1;
    std::int64_t levels = 0;
    for (std::int64_t leaves = leaf > 0 ? divide_up(how.terms, leaf) : 1; leaves > 1;
         leaves = divide_up(leaves, 2))
        ++levels;
    return static_cast<double>(complex ? 2 * chain + blocks + levels + 4
                                       : chain + blocks + levels + 1);
}

/// The bound on |d - exact| / (|alpha| sum |a||b| + |beta c|) for D of type T.
template <class T> double error_bound(const summation &how) noexcept {
    constexpr double square_root_of_2 = 1.4142135623730951;
    const double real = gamma(roundings(how, is_complex_number<T>), unit_roundoff<T>);
    return is_complex_number<T> ? square_root_of_2 * real : real;
}

/// The bound of what is rounded once more, with the unit roundoff `unit`.
inline double rounded_bound(double bound, double unit) noexcept {
    return bound + unit * (1 + bound);
}

/// The bound for any order of the sum.
template <class T> double error_bound(std::int64_t terms) noexcept {
    return error_bound<T>(summation{.terms = terms});
}

} // namespace tenfold::testing

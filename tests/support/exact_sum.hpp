// Sums of products in twice double's precision, with which results of f32 and f64 are compared.
#pragma once

#include <complex>

namespace tenfold::testing {

/// A sum of products of doubles, as if computed with 106 bits: the rounding errors of products and
/// additions are summed separately (Ogita, Rump and Oishi, Accurate sum and dot product, SIAM J.
/// Sci. Comput. 26 (2005), algorithm 5.3).
class exact_sum {
public:
    void add_product(double x, double y) noexcept;
    void add(const exact_sum &other) noexcept;
    void scale(double factor) noexcept;
    /// The distance of `value` from the sum.
    double distance(double value) const noexcept;

private:
    double high_ = 0;
    double low_ = 0;
};

/// d = alpha sum a b + beta c and its magnitude |alpha| sum |a||b| + |beta c|, for real and complex
/// numbers.
class exact_element {
public:
    using number = std::complex<double>;

    void add_product(number a, number b) noexcept;
    /// Call this after all products.
    void finish(number alpha, number beta, number c) noexcept;
    /// Returns |value - d| / magnitude; 0 / 0 gives 0, and a NaN gives infinity.
    double relative_error(number value) const noexcept;

private:
    exact_sum real_, imaginary_;
    double magnitude_ = 0;
};

} // namespace tenfold::testing

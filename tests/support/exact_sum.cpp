#include "exact_sum.hpp"

#include <cmath>
#include <limits>

namespace tenfold::testing {
namespace {

/// x + y = sum + error, exactly (Knuth).
struct two_sum {
    two_sum(double x, double y) noexcept : sum(x + y) {
        const double part = sum - x;
        error = (x - (sum - part)) + (y - part);
    }
    double sum, error;
};

} // namespace

void exact_sum::add_product(double x, double y) noexcept {
    const double product = x * y;
    const two_sum next(high_, product);
    high_ = next.sum;
    low_ += next.error + std::fma(x, y, -product);
}

void exact_sum::add(const exact_sum &other) noexcept {
    const two_sum next(high_, other.high_);
    high_ = next.sum;
    low_ += next.error + other.low_;
}

void exact_sum::scale(double factor) noexcept {
    const double product = high_ * factor;
    const two_sum next(product, low_ * factor + std::fma(high_, factor, -product));
    high_ = next.sum;
    low_ = next.error;
}

double exact_sum::distance(double value) const noexcept {
    const two_sum rest(high_, -value);
    return std::abs(rest.sum + (rest.error + low_));
}

void exact_element::add_product(number a, number b) noexcept {
    real_.add_product(a.real(), b.real());
    if (a.imag() != 0 || b.imag() != 0) {
        real_.add_product(-a.imag(), b.imag());
        imaginary_.add_product(a.real(), b.imag());
        imaginary_.add_product(a.imag(), b.real());
    }
    magnitude_ += std::sqrt(std::norm(a) * std::norm(b));
}

void exact_element::finish(number alpha, number beta, number c) noexcept {
    exact_sum by_imaginary = imaginary_; // alpha.imag exchanges real and imaginary part
    exact_sum by_real = real_;
    real_.scale(alpha.real());
    imaginary_.scale(alpha.real());
    by_real.scale(alpha.imag());
    by_imaginary.scale(-alpha.imag());
    real_.add(by_imaginary);
    imaginary_.add(by_real);
    magnitude_ *= std::abs(alpha);
    if (beta == 0.0)
        return;
    real_.add_product(beta.real(), c.real());
    real_.add_product(-beta.imag(), c.imag());
    imaginary_.add_product(beta.real(), c.imag());
    imaginary_.add_product(beta.imag(), c.real());
    magnitude_ += std::abs(beta) * std::abs(c);
}

double exact_element::relative_error(number value) const noexcept {
    const double distance =
        std::hypot(real_.distance(value.real()), imaginary_.distance(value.imag()));
    if (distance == 0)
        return 0;
    const double relative = distance / magnitude_;
    return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

} // namespace tenfold::testing

#include "distributed/run/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenfold::dist_impl {
namespace {

/// Bits between the units of two levels. With 1024 terms and their signs, the sum of a block stays
/// below 2^53 units.
constexpr int step = 40;
constexpr int lowest = -1120; ///< exponent of level 0's unit
/// Blocks near the ends of the exponents' range are scaled by this many levels towards the middle.
constexpr int moved_levels = 6;
constexpr double near_the_end = 0x1p900;

constexpr int unit_of(int level) noexcept { return lowest + step * level; }

/// Returns the lowest level at which x is below 2^40 units; x is positive.
int level_of(double x) noexcept {
    const int above = std::ilogb(x) + 1; // x < 2^above
    return (above - lowest + step - 1) / step - 1;
}

using doubles = double __attribute__((vector_size(16)));
constexpr index_t lanes = 2;
constexpr index_t vectors = 4;
constexpr index_t run = lanes * vectors;

doubles load(const double *from) noexcept {
    doubles x;
    std::memcpy(&x, from, sizeof x);
    return x;
}

struct sizes {
    double largest;
    bool finite; ///< whether all terms are finite; comparisons do not see NaNs
};

sizes sizes_of(std::span<const double> terms) noexcept {
    doubles most[vectors] = {};
    doubles differences[vectors] = {}; // 0 or NaN
    for (std::size_t i = 0; i < terms.size(); i += run)
        for (index_t v = 0; v < vectors; ++v) {
            const doubles x = load(terms.data() + i + v * lanes);
            const doubles size = x < 0 ? -x : x;
            most[v] = size > most[v] ? size : most[v];
            differences[v] += x - x;
        }
    sizes result{0, true};
    for (index_t v = 0; v < vectors; ++v)
        for (index_t lane = 0; lane < lanes; ++lane) {
            result.largest = std::max(result.largest, most[v][lane]);
            result.finite = result.finite && differences[v][lane] == 0;
        }
    return result;
}

} // namespace

/// Splits the terms at three levels, from that of `largest` down.
void exact_sum::add_finite(std::span<double> terms, double largest) noexcept {
    const auto n = static_cast<index_t>(terms.size());
    int shift = largest > near_the_end       ? moved_levels
                : largest < 1 / near_the_end ? -moved_levels
                                             : 0;
    if (shift != 0) {
        const double factor = std::ldexp(1.0, -shift * step);
        for (double &x : terms)
            x *= factor;
        largest *= factor;
    }
    const int top = level_of(largest);
    doubles constant[kept];
    for (int i = 0; i < kept; ++i)
        constant[i] = doubles{} + std::ldexp(1.5, unit_of(top - i) + 52);
    doubles sums[kept][vectors] = {};
    for (index_t i = 0; i < n; i += run)
        for (index_t v = 0; v < vectors; ++v) {
            doubles rest = load(terms.data() + i + v * lanes);
            for (int j = 0; j < kept; ++j) {
                const doubles rounded = (rest + constant[j]) - constant[j];
                sums[j][v] += rounded;
                rest -= rounded;
            }
        }
    for (int j = 0; j < kept; ++j) {
        doubles sum = {}; // exact: these are whole units
        for (const doubles &some : sums[j])
            sum += some;
        const double units = std::ldexp(sum[0] + sum[1], -unit_of(top - j));
        if (const int level = top - j + shift; level >= 0)
            sums_[static_cast<std::size_t>(level)] += static_cast<std::int64_t>(units);
    }
    top_ = std::max(top_, top + shift);
}

void exact_sum::add(std::span<double> terms) noexcept {
    // Process whole registers: the padding's zeros do not change the sum.
    const std::size_t whole = terms.size() / run * run;
    if (whole != terms.size()) {
        double padded[run] = {};
        std::copy(terms.begin() + static_cast<std::ptrdiff_t>(whole), terms.end(), padded);
        add(terms.first(whole));
        return add(padded);
    }
    sizes found = sizes_of(terms);
    if (!found.finite) {
        for (double &x : terms)
            if (!std::isfinite(x)) {
                not_finite_ += x;
                x = 0;
            }
        found = sizes_of(terms);
    }
    if (found.largest > 0)
        add_finite(terms, found.largest);
}

void exact_sum::add(const exact_sum &other) noexcept {
    for (std::size_t level = 0; level < sums_.size(); ++level)
        sums_[level] += other.sums_[level];
    not_finite_ += other.not_finite_;
    top_ = std::max(top_, other.top_);
}

exact_sum::digits exact_sum::from(int top) const noexcept {
    digits result;
    result.not_finite = not_finite_;
    for (int i = 0; i < kept && i <= top; ++i)
        std::memcpy(&result.halves[static_cast<std::size_t>(2 * i)],
                    &sums_[static_cast<std::size_t>(top - i)], sizeof(wide));
    return result;
}

double exact_sum::value(int top, std::span<const digits> all) noexcept {
    wide sums[kept] = {};
    double not_finite = 0;
    for (const digits &one : all) {
        not_finite += one.not_finite;
        for (int i = 0; i < kept; ++i) {
            wide sum = 0;
            std::memcpy(&sum, &one.halves[static_cast<std::size_t>(2 * i)], sizeof sum);
            sums[i] += sum;
        }
    }
    if (std::isnan(not_finite)) // its sign and payload would depend on the order
        return std::numeric_limits<double>::quiet_NaN();
    if (not_finite != 0)
        return not_finite;
    // Normalise to digits of at most 2^39, of either sign, so that adding them cancels no digits.
    for (int i = kept; --i > 0;) {
        const wide carry = (sums[i] + (wide{1} << (step - 1))) >> step;
        sums[i - 1] += carry;
        sums[i] -= carry * (wide{1} << step);
    }
    double result = 0; // in units of the highest level, so that nothing overflows
    for (int i = kept; --i >= 0;)
        result += std::ldexp(static_cast<double>(sums[i]), -step * i);
    return top < 0 ? 0 : std::ldexp(result, unit_of(top));
}

} // namespace tenfold::dist_impl

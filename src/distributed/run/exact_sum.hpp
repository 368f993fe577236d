// Sums of doubles that do not depend on the order of their terms, nor on who adds which.
#pragma once

#include <array>
#include <span>

#include <tenfold/types.hpp>

namespace tenfold::dist_impl {

/// Every term is rounded to a multiple of one unit, 2^-80 of the largest term or less, and these
/// are added without error, as integers. The error is at most n times half that unit and one
/// rounding of the result.
///
/// After Demmel and Nguyen (Fast reproducible floating-point summation, ARITH 2013): a term is
/// split at units that lie 40 bits apart on a scale for all doubles, by adding and subtracting a
/// constant. How it is split does not depend on other terms but for the lowest unit that is kept.
class exact_sum {
public:
    static constexpr index_t most_terms = 1024; ///< at a time

    /// At most most_terms of them, which are overwritten.
    void add(std::span<double> terms) noexcept;
    void add(const exact_sum &other) noexcept;

    /// What ranks exchange, in two steps: the highest level with anything in it (-1: none), and
    /// three levels from a highest one down.
    int top() const noexcept { return top_; }
    static constexpr int kept = 3;
    struct digits {
        std::array<std::int64_t, 2 * kept> halves{}; ///< low and high 64 bits
        double not_finite = 0;                       ///< sum of infinities and NaNs
    };
    digits from(int top) const noexcept;
    /// The sum of the digits of all ranks below a common `top`.
    static double value(int top, std::span<const digits> all) noexcept;

private:
    __extension__ using wide = __int128;
    static constexpr int levels = 56;

    void add_finite(std::span<double> terms, double largest) noexcept;

    std::array<wide, levels> sums_{}; ///< in units of the level
    double not_finite_ = 0;
    int top_ = -1;
};

} // namespace tenfold::dist_impl

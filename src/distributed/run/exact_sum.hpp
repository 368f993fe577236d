// Sums of doubles that depend neither on the order of the terms nor on how ranks share them.
#pragma once

#include <array>
#include <span>

#include <tenfold/types.hpp>

namespace tenfold::dist_impl {

/// Rounds every term to a multiple of one unit, at most 2^-80 of the largest term, and adds these
/// exactly, as integers. The error is at most n times half that unit plus one rounding of the
/// result.
///
/// After Demmel and Nguyen (Fast reproducible floating-point summation, ARITH 2013): adding and
/// subtracting a constant splits a term at units that lie 40 bits apart on a scale for all doubles.
/// The split of a term depends on other terms only in the lowest unit that is kept.
class exact_sum {
public:
    static constexpr index_t most_terms = 1024; ///< terms per call of add()

    /// Adds at most most_terms terms and overwrites them.
    void add(std::span<double> terms) noexcept;
    void add(const exact_sum &other) noexcept;

    /// Ranks exchange sums in two steps: first top(), the highest level that is not empty (-1:
    /// none), then from(), the digits of three levels, from the highest one of all ranks down.
    int top() const noexcept { return top_; }
    static constexpr int kept = 3;
    struct digits {
        std::array<std::int64_t, 2 * kept> halves{}; ///< low and high 64 bits
        double not_finite = 0;                       ///< sum of infinities and NaNs
    };
    digits from(int top) const noexcept;
    /// Returns the sum of the digits of all ranks, which start at a common `top`.
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

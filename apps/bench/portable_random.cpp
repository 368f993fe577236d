#include "apps/bench/portable_random.hpp"

#include <cmath>
#include <numeric>

namespace tenfold::apps_impl {
namespace {

/// Returns a b / c without overflow in a b.
std::uint64_t scale(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<wide>(a) * b / c);
}

/// Returns 2^x rounded to an integer, from repeated square roots: one factor per bit of the
/// fraction. IEEE 754 defines the rounding of roots and products, so that the result is the same
/// everywhere.
index_t rounded_power_of_two(log2_value x) {
    double result = 1;
    double factor = 2;
    for (int bit = 31; bit >= 0; --bit) {
        factor = std::sqrt(factor);
        if ((x >> bit & 1) != 0)
            result *= factor;
    }
    return std::llround(std::ldexp(result, static_cast<int>(x >> 32)));
}

} // namespace

log2_value random_between(portable_random &random, log2_value least, log2_value most) {
    return least + scale(most - least, random.bits(), log2_unit);
}

std::vector<index_t> share_among(portable_random &random, std::size_t count, log2_value total,
                                 log2_value least) {
    std::vector<std::uint64_t> parts(count);
    for (std::uint64_t &part : parts)
        part = random.bits() + 1; // + 1: their sum is not 0
    const std::uint64_t sum = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    std::vector<index_t> extents;
    for (const std::uint64_t part : parts)
        extents.push_back(rounded_power_of_two(least + scale(part, total - count * least, sum)));
    return extents;
}

} // namespace tenfold::apps_impl

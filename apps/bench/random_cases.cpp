#include "random_cases.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "apps/text.hpp"

namespace tenfold::apps_impl {
namespace {

constexpr std::size_t least_order = 2;
constexpr std::size_t most_order = 8;
constexpr index_t largest_extent = 500;
constexpr index_t least_elements = index_t{1} << 14;
constexpr index_t most_elements = index_t{1} << 25;

/// A logarithm to base 2 in units of 2^-32. Integers, for rounding differs between machines: that
/// of log2 and exp2 in the last bit, that of sums of products where they are contracted.
using log2_value = std::uint64_t;
constexpr log2_value log2_least_elements = log2_value{14} << 32;
constexpr log2_value log2_most_elements = log2_value{25} << 32;
constexpr log2_value log2_largest_extent = 38507750285; // of 500

/// a b / c, with all bits of the product.
std::uint64_t scale(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<wide>(a) * b / c);
}

/// Numbers that are the same everywhere: the standard fixes this engine, but no distribution.
class portable_random {
public:
    explicit portable_random(std::uint32_t seed) : engine_(seed) {}

    /// 32 bits.
    std::uint64_t bits() { return engine_() >> 32; }
    /// 0 to n - 1.
    std::uint64_t below(std::uint64_t n) { return bits() * n >> 32; }

private:
    std::mt19937_64 engine_;
};

/// 2^x to the nearest integer, from repeated square roots: one factor per bit of the fraction. IEEE
/// 754 rounds roots and products in one way only.
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

index_t product(const extents_t &extents) {
    return std::accumulate(extents.begin(), extents.end(), index_t{1}, std::multiplies<>());
}

/// Shares the logarithm of the number of elements among the modes in random proportions.
extents_t propose_extents(portable_random &random, std::size_t order) {
    const log2_value most = std::min(log2_most_elements, order * log2_largest_extent);
    const log2_value elements =
        log2_least_elements + scale(most - log2_least_elements, random.bits(), log2_value{1} << 32);
    std::vector<std::uint64_t> parts(order);
    for (std::uint64_t &part : parts)
        part = random.bits() + 1; // their sum is not 0
    const std::uint64_t sum = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    extents_t extents;
    for (const std::uint64_t part : parts)
        extents.push_back(rounded_power_of_two(scale(part, elements, sum)));
    return extents;
}

/// Rounding and large parts may leave the limits: then another try.
extents_t random_extents(portable_random &random, std::size_t order) {
    while (true) {
        const extents_t extents = propose_extents(random, order);
        const bool fits = std::all_of(extents.begin(), extents.end(),
                                      [](index_t extent) { return extent <= largest_extent; });
        const index_t elements = product(extents);
        if (fits && elements >= least_elements && elements <= most_elements)
            return extents;
    }
}

/// Fisher and Yates, until it is not the identity.
extents_t random_permutation(portable_random &random, std::size_t order) {
    extents_t permutation(order);
    std::iota(permutation.begin(), permutation.end(), index_t{0});
    while (std::is_sorted(permutation.begin(), permutation.end()))
        for (std::size_t last = order - 1; last > 0; --last)
            std::swap(permutation[last], permutation[random.below(last + 1)]);
    return permutation;
}

} // namespace

std::vector<bench_case> random_transpositions(const random_request &request) {
    portable_random random(request.seed);
    std::vector<bench_case> cases;
    for (int number = 1; number <= request.count; ++number) {
        const std::size_t order = least_order + random.below(most_order - least_order + 1);
        const extents_t extents = random_extents(random, order);
        cases.push_back(
            transposition(format("r%03d", number), random_permutation(random, order), extents));
    }
    return cases;
}

} // namespace tenfold::apps_impl

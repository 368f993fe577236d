#include "apps/bench/random_transpositions.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "apps/bench/portable_random.hpp"
#include "apps/common/text.hpp"

namespace tenfold::apps_impl {
namespace {

constexpr std::size_t fewest_modes = 2;
constexpr std::size_t most_modes = 8;
constexpr index_t largest_extent = 500;
constexpr index_t least_elements = index_t{1} << 14;
constexpr index_t most_elements = index_t{1} << 25;

constexpr log2_value log2_least_elements = 14 * log2_unit;
constexpr log2_value log2_most_elements = 25 * log2_unit;
constexpr log2_value log2_largest_extent = 38507750285; // of 500

index_t product(const extents_t &extents) {
    return std::accumulate(extents.begin(), extents.end(), index_t{1}, std::multiplies<>());
}

/// Shares the logarithm of the number of elements among the modes in random proportions.
extents_t propose_extents(portable_random &random, std::size_t order) {
    const log2_value most = std::min(log2_most_elements, order * log2_largest_extent);
    return share_among(random, order, random_between(random, log2_least_elements, most), 0);
}

/// Draws until the extents are within the limits, which rounding and large shares may exceed.
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

extents_t random_permutation(portable_random &random, std::size_t order) {
    extents_t permutation(order);
    std::iota(permutation.begin(), permutation.end(), index_t{0});
    while (std::is_sorted(permutation.begin(), permutation.end()))
        random.shuffle(permutation);
    return permutation;
}

} // namespace

std::vector<bench_case> random_transpositions(const random_request &request) {
    portable_random random(request.seed);
    std::vector<bench_case> cases;
    for (int number = 1; number <= request.count; ++number) {
        const std::size_t order = fewest_modes + random.below(most_modes - fewest_modes + 1);
        const extents_t extents = random_extents(random, order);
        cases.push_back(
            transposition(format("r%03d", number), random_permutation(random, order), extents));
    }
    return cases;
}

} // namespace tenfold::apps_impl

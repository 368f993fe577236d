// Philox4x32-10, a counter-based generator of random numbers: four numbers of 32 bits are a
// function of a counter and a key.
//
// Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace tenfold::dist_impl {

using philox_counter = std::array<std::uint32_t, 4>;
using philox_key = std::array<std::uint32_t, 2>;

inline philox_counter philox(philox_counter counter, philox_key key) noexcept {
    constexpr std::array<std::uint64_t, 2> multipliers{0xD2511F53, 0xCD9E8D57};
    constexpr philox_key increments{0x9E3779B9, 0xBB67AE85}; // golden ratio and sqrt(3) - 1
    constexpr int rounds = 10;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t zero = multipliers[0] * counter[0];
        const std::uint64_t two = multipliers[1] * counter[2];
        const auto high = [](std::uint64_t product) {
            return static_cast<std::uint32_t>(product >> 32);
        };
        const auto low = [](std::uint64_t product) { return static_cast<std::uint32_t>(product); };
        counter = {high(two) ^ counter[1] ^ key[0], low(two), high(zero) ^ counter[3] ^ key[1],
                   low(zero)};
        key[0] += increments[0];
        key[1] += increments[1];
    }
    return counter;
}

} // namespace tenfold::dist_impl

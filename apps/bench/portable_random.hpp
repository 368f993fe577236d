// Random numbers for cases that are the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// The C++ standard specifies the sequence of this engine, but not that of its distributions.
class portable_random {
public:
    explicit portable_random(std::uint32_t seed) : engine_(seed) {}

    /// Returns 32 random bits.
    std::uint64_t bits() { return engine_() >> 32; }
    /// Returns an integer from 0 to n - 1.
    std::uint64_t below(std::uint64_t n) { return bits() * n >> 32; }

    /// Shuffles by the method of Fisher and Yates.
    template <class T> void shuffle(std::vector<T> &items) {
        for (std::size_t last = items.size(); last > 1; --last)
            std::swap(items[last - 1], items[below(last)]);
    }

private:
    std::mt19937_64 engine_;
};

/// A logarithm to base 2 in units of 2^-32. It is an integer, because floating-point results differ
/// between machines: log2 and exp2 in the last bit, sums of products if they are contracted to
/// fused multiply-adds.
using log2_value = std::uint64_t;
constexpr log2_value log2_unit = log2_value{1} << 32;

/// Uniform between `least` and `most`.
log2_value random_between(portable_random &random, log2_value least, log2_value most);

/// Returns extents of at least 2^least each, whose logarithms share `total` in random proportions:
/// their product is 2^total but for rounding. `total` is at least count times `least`.
std::vector<index_t> share_among(portable_random &random, std::size_t count, log2_value total,
                                 log2_value least);

} // namespace tenfold::apps_impl

// Pairs of two modes of X as one mode of P (<tenfold/chem_pairs.hpp>): extents, and rows of pairs.
#pragma once

#include <string>

#include <tenfold/chem_pairs.hpp>
#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

inline index_t pair_count(index_t n, chem::pair_kind kind) noexcept {
    return kind == chem::pair_kind::symmetric ? chem::pair_count(n) : chem::strict_pair_count(n);
}

/// Returns the extents of P for X of these extents. Throws errc::invalid_argument if X has no modes
/// `mode` and `mode` + 1, errc::extent_mismatch if their extents differ.
inline extents_t packed_extents(extents_t x, int mode, chem::pair_kind kind) {
    const auto order = static_cast<int>(x.size());
    if (mode < 0 || mode + 1 >= order)
        throw error(errc::invalid_argument, "pairs: X has " + std::to_string(order) +
                                                " modes: expected modes " + std::to_string(mode) +
                                                " and " + std::to_string(mode + 1) + " among them");
    const auto first = static_cast<std::size_t>(mode);
    if (x[first] != x[first + 1])
        throw error(errc::extent_mismatch,
                    "pairs: X mode " + std::to_string(mode) + " has extent " +
                        std::to_string(x[first]) + ", X mode " + std::to_string(mode + 1) +
                        " has extent " + std::to_string(x[first + 1]),
                    {.first = {.name = "X", .mode = mode, .extent = x[first]},
                     .second = {.name = "X", .mode = mode + 1, .extent = x[first + 1]}});
    x[first] = pair_count(x[first], kind);
    x.erase(x.begin() + mode + 1);
    return x;
}

/// Throws errc::order_mismatch and errc::extent_mismatch unless P, which messages call `name`, has
/// the extents `expected`.
inline void check_packed(const extents_t &packed, const extents_t &expected,
                         const char *name = "P") {
    if (packed.size() != expected.size())
        throw error(errc::order_mismatch, "pairs: " + std::string(name) + " has " +
                                              std::to_string(packed.size()) + " modes, X has " +
                                              std::to_string(expected.size() + 1) +
                                              ": expected one less");
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (packed[k] != expected[k])
            throw error(
                errc::extent_mismatch,
                "pairs: " + std::string(name) + " mode " + std::to_string(k) + " has extent " +
                    std::to_string(packed[k]) + ": expected, as of X's modes, " +
                    std::to_string(expected[k]),
                {.first = {.name = name, .mode = static_cast<int>(k), .extent = packed[k]}});
}

/// Pairs (p, q) with one p and q of [begin, end), which lie one after the other in P.
struct pair_row {
    index_t p = 0;
    index_t begin = 0;
    index_t end = 0;

    index_t size() const noexcept { return end - begin; }
    /// The place of its first pair in P.
    index_t place(chem::pair_kind kind) const noexcept { return pair_count(p, kind) + begin; }
};

} // namespace tenfold::base

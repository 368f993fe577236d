// Sums of mixed products whose terms are packed one after the other into the same micro-panels: the
// micro-kernel takes them for one product of a longer k, and D is updated once for all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/checked.hpp"
#include "base/parallel.hpp"
#include "gemm/forms/driver.hpp"

namespace tenfold::gemm_impl {

/// Terms that are joined at most: their addresses lie on the stack.
inline constexpr index_t most_terms_at_once = 512;

/// The same rows of A in every term, or the same columns of B.
struct joined_rows {
    void (*pack)(const panel_source *, void *panels);
    index_t panel; ///< rows of a micro-panel
    index_t first, count;
    index_t stride, stride_k; ///< elements
    bool has_sums;            ///< past a micro-panel's last step, which the kernel reads
};

/// Terms of `each` steps of k, which zeros pad to whole words; together they have `all`.
struct joined_steps {
    index_t each;
    base::range all;
};

/// Adds words modulo 2^32; their number is a multiple of 4.
inline void add_words(std::byte *to, const std::byte *from, std::size_t words) noexcept {
    for (std::size_t r = 0; r < words; r += 4) {
        std::array<std::uint32_t, 4> sums;
        std::array<std::uint32_t, 4> more;
        std::memcpy(sums.data(), to + r * sizeof sums[0], sizeof sums);
        std::memcpy(more.data(), from + r * sizeof more[0], sizeof more);
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += more[i];
        std::memcpy(to + r * sizeof sums[0], sums.data(), sizeof sums);
    }
}

/// Packs a term of a micro-panel and adds up the words past the last step, which are sums modulo
/// 2^32: each term leaves its own where the next one's first words go, and the last one where they
/// all belong, at `sums`.
inline void pack_and_add(const joined_rows &rows, const panel_source &source, std::byte *panel,
                         std::byte *after, std::byte *sums, bool is_first) noexcept {
    constexpr std::size_t most = 64;
    std::array<std::byte, most * sizeof(std::uint32_t)> before; // not cleared, for speed
    const auto words = std::min(static_cast<std::size_t>(rows.panel), most);
    const std::size_t bytes = words * sizeof(std::uint32_t);
    const bool is_last = after == sums;
    if (is_last && !is_first)
        std::memcpy(before.data(), sums, bytes);
    rows.pack(&source, panel);
    if (is_last && !is_first)
        add_words(sums, before.data(), words);
    else if (!is_last && is_first)
        std::memcpy(sums, after, bytes);
    else if (!is_last)
        add_words(sums, after, words);
}

/// Packs rows into whole micro-panels, each of which holds all terms. `addresses` is the array of
/// the addresses of all terms' matrices.
inline void pack_joined(const joined_rows &rows, const joined_steps &steps,
                        const element_format &elements, const void *addresses,
                        std::byte *to) noexcept {
    const index_t padded = base::round_up(steps.each, elements.group);
    const index_t term_bytes = rows.panel * (padded / elements.group) * elements.word;
    const index_t panel_bytes = rows.panel * elements.row_bytes(steps.all.size());
    const index_t first = steps.all.begin / padded;
    const index_t end = steps.all.end / padded;
    for (index_t term = first; term < end; ++term, to += term_bytes) {
        const auto *matrix =
            static_cast<const std::byte *>(static_cast<const void *const *>(addresses)[term]);
        std::byte *panel = to;
        for (index_t i = 0; i < rows.count; i += rows.panel, panel += panel_bytes) {
            const panel_source source{matrix + (rows.first + i) * rows.stride * elements.input,
                                      std::min(rows.panel, rows.count - i),
                                      steps.each,
                                      rows.stride,
                                      rows.stride_k,
                                      false};
            if (rows.has_sums)
                pack_and_add(rows, source, panel, panel + term_bytes,
                             panel + (end - term) * term_bytes, term == first);
            else
                rows.pack(&source, panel);
        }
    }
}

} // namespace tenfold::gemm_impl

// The prices by which the ranks of a world plan: rank 0's, which it tells the others once.
#pragma once

#include <array>
#include <cstdint>

#include "distributed/plan/prices.hpp"

namespace tenfold::dist_impl {

/// Ranks may run on different processors, find different calibrations and have different numbers
/// of threads, yet must make the same plans.
///
/// A rank keeps what it was told beside the prices that are its own in such a call, because calls
/// with other contexts or numbers of threads have other ones. Telling is collective and numbered.
/// If all ranks hold the same number, they hold the same prices, which are those of rank 0 in this
/// call: rank 0 never has other prices beside its own. If they do not, rank 0 tells again; it then
/// does not matter which calls ranks took for alike. Nothing is allocated, so that no rank can
/// fail.
class agreed_prices {
public:
    struct entry {
        std::uint64_t number = 0; ///< 0: none
        prices own, told;
    };

    /// Returns the last entry with these prices of one's own, or null.
    const entry *find(const prices &own) const noexcept {
        const entry *found = nullptr;
        for (const entry &one : entries_)
            if (one.number > (found == nullptr ? 0 : found->number) && one.own == own)
                found = &one;
        return found;
    }

    /// All ranks call it together, with rank 0's prices. Replaces the oldest entry.
    void keep(const prices &own, const prices &told) noexcept {
        entries_[++last_ % entries_.size()] = {last_, own, told};
    }

private:
    /// Programs alternate between few contexts and numbers of threads.
    std::array<entry, 8> entries_{};
    std::uint64_t last_ = 0; ///< the same on all ranks
};

} // namespace tenfold::dist_impl

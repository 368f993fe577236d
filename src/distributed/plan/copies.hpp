// Which copy of a tensor each rank reads.
#pragma once

#include <tenfold/dist_plan.hpp>

namespace tenfold::dist_impl {

/// Returns the copy from which `reader` takes what it wants of a tensor. A rank reads its own copy,
/// so that what it has need not move; those without one are spread over all copies.
inline int copy_read_by(const distribution &spread, int reader) noexcept {
    const int own = spread.copy_of(reader);
    return own >= 0 ? own : reader % spread.copies();
}

/// Returns true if `reader` takes what it wants of a tensor from the block of `rank`. So every rank
/// finds each element exactly once.
inline bool reads_from(const distribution &spread, int reader, int rank) noexcept {
    return spread.copies() == 1 || spread.copy_of(rank) == copy_read_by(spread, reader);
}

/// Returns true if every rank has the same block in both: only the order of the copies differs.
inline bool same_blocks(const distribution &one, const distribution &other) noexcept {
    if (one.copies() == 1 || one.copies() != other.copies())
        return one == other;
    if (one.extents() != other.extents() || one.grid() != other.grid() ||
        one.ranks() != other.ranks())
        return false;
    for (int rank = 0; rank < one.ranks(); ++rank)
        if (one.cell_of(rank) != other.cell_of(rank))
            return false;
    return true;
}

} // namespace tenfold::dist_impl

// Cuts several modes into a given number of parts so that the largest part is as small as possible.
#pragma once

#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

/// For every number of parts up to a limit: the factors, one per mode, with this product that
/// minimise the largest balanced block (the product of ceil(extent / factor)). Dynamic programming
/// over the modes; O(modes * limit * log(limit)) time.
class split_table {
public:
    split_table(extents_t extents, int limit);

    /// Returns false if there are no modes to cut into so many parts.
    bool possible(int parts) const noexcept;
    /// Returns the number of elements of the largest block.
    index_t largest(int parts) const noexcept { return levels_.back().largest[at(parts)]; }
    /// Returns one factor per mode. Among equally good ones, the largest block's extents have the
    /// smallest sum: near-cubes suit most contractions, whatever labels they pair. Among these, the
    /// last modes are cut most, so that blocks of a column-major tensor are long in memory.
    std::vector<int> factors(int parts) const;

    /// Returns up to `most` of the equally good ways; factors() need not be among them.
    std::vector<std::vector<int>> ties(int parts, std::size_t most) const;

    /// Returns the numbers of parts that make the largest block smaller than any lower number does,
    /// ascending from 1.
    const std::vector<int> &useful() const noexcept { return useful_; }

private:
    static std::size_t at(int parts) noexcept { return static_cast<std::size_t>(parts); }
    struct level {
        std::vector<index_t> largest;    ///< by number of parts; -1: impossible
        std::vector<index_t> extent_sum; ///< of the largest block
        std::vector<int> factor;         ///< of this level's mode
    };
    void add_ties(std::size_t mode, int parts, index_t rest, std::size_t most,
                  std::vector<int> &factors, std::vector<std::vector<int>> &found) const;

    extents_t extents_;
    std::vector<level> levels_; ///< level l covers the first l modes
    std::vector<int> useful_;
};

} // namespace tenfold::dist_impl

// How to cut several modes into a number of parts so that the largest part is smallest.
#pragma once

#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

/// For every number of parts up to a limit: the factors, one per mode, whose product it is, that
/// minimise the largest balanced block (the product of ceil(extent / factor)). Dynamic programming
/// over the modes; O(modes * limit * log(limit)) time.
class split_table {
public:
    split_table(extents_t extents, int limit);

    /// False where no modes are there to cut.
    bool possible(int parts) const noexcept;
    /// Elements of the largest block.
    index_t largest(int parts) const noexcept { return levels_.back().largest[at(parts)]; }
    /// One per mode. Among equally good ones the largest block's extents have the smallest sum:
    /// near cubes suit most contractions, whatever labels they pair. Then the last modes are cut
    /// most, so that blocks of a column-major tensor are long in memory.
    std::vector<int> factors(int parts) const;

    /// Up to `most` of the equally good ways, the one of factors() not necessarily among them.
    std::vector<std::vector<int>> ties(int parts, std::size_t most) const;

    /// Numbers of parts that make the largest block smaller than any lower number does, ascending;
    /// starts with 1.
    const std::vector<int> &useful() const noexcept { return useful_; }

private:
    static std::size_t at(int parts) noexcept { return static_cast<std::size_t>(parts); }
    struct level {
        std::vector<index_t> largest;    ///< by parts; -1: impossible
        std::vector<index_t> extent_sum; ///< of the largest block
        std::vector<int> factor;         ///< of this level's mode
    };
    void add_ties(std::size_t mode, int parts, index_t rest, std::size_t most,
                  std::vector<int> &factors, std::vector<std::vector<int>> &found) const;

    extents_t extents_;
    std::vector<level> levels_; ///< level l: the first l modes
    std::vector<int> useful_;
};

} // namespace tenfold::dist_impl

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
    /// One per mode. Among equally good ones the last modes are cut most: blocks of a column-major
    /// tensor are then longest in memory.
    std::vector<int> factors(int parts) const;

    /// Numbers of parts that make the largest block smaller than any lower number does, ascending;
    /// starts with 1.
    const std::vector<int> &useful() const noexcept { return useful_; }

  private:
    static std::size_t at(int parts) noexcept { return static_cast<std::size_t>(parts); }
    struct level {
        std::vector<index_t> largest; ///< by parts; -1: impossible
        std::vector<int> factor;      ///< of this level's mode
    };

    std::vector<level> levels_; ///< level l: the first l modes
    std::vector<int> useful_;
};

} // namespace tenfold::dist_impl

// Cuts several modes into a given number of parts so that the largest part is as small as possible.
#pragma once

#include <map>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::dist_impl {

/// The factors, one per mode, whose product is `parts` and which minimise the largest balanced
/// block (the product of ceil(extent / factor)). Dynamic programming over the modes and the d
/// divisors of `parts`; O(modes d^2) time.
class split_table {
public:
    split_table(extents_t extents, int parts);

    /// Returns false if there are no modes to cut into so many parts.
    bool possible() const noexcept { return largest() >= 0; }
    /// Returns the number of elements of the largest block.
    index_t largest() const noexcept { return levels_.back().back().largest; }
    /// Returns one factor per mode. Among equally good ones, the largest block's extents have the
    /// smallest sum: near-cubes suit most contractions, whatever labels they pair. Among these, the
    /// last modes are cut most, so that blocks of a column-major tensor are long in memory.
    std::vector<int> factors() const;

    /// Returns up to `most` of the equally good ways; factors() need not be among them.
    std::vector<std::vector<int>> ties(std::size_t most) const;

private:
    /// The best way to cut some modes into a number of parts.
    struct way {
        index_t largest = -1; ///< -1: impossible
        index_t extent_sum = 0;
        int factor = 1; ///< of the last of these modes
    };
    std::size_t index_of(int divisor) const noexcept;
    void add_ties(std::size_t mode, int parts, index_t rest, std::size_t most,
                  std::vector<int> &factors, std::vector<std::vector<int>> &found) const;

    extents_t extents_;
    std::vector<int> divisors_;            ///< of the number of parts, ascending
    std::vector<std::vector<way>> levels_; ///< by number of leading modes, then by divisor
};

/// Tables that many layouts ask for, each made once.
class split_tables {
public:
    const split_table &of(const extents_t &extents, int parts);

private:
    std::map<int, std::map<extents_t, split_table>> known_; ///< by the number of parts
};

/// A number of parts, and the number of elements of the largest block.
struct useful_split {
    int parts;
    index_t largest;
};

/// Returns the numbers of parts up to `limit` that make the largest block smaller than any lower
/// number does, ascending from 1. O(modes limit + s^2) time, where s is the length of the result.
std::vector<useful_split> useful_splits(const extents_t &extents, int limit);

} // namespace tenfold::dist_impl

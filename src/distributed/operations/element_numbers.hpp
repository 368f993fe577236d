// The numbers of elements: their places in the whole tensor as one dense column-major array.
#pragma once

#include <algorithm>

#include <tenfold/dist_plan.hpp>

#include "base/parallel.hpp"

namespace tenfold::dist_impl {

/// Numbers of the elements of a block.
class element_numbers {
public:
    element_numbers(const extents_t &whole, const slice &block) noexcept
        : whole_(whole), block_(block) {}

    /// Returns the number of the i-th element of the block. O(order).
    index_t of(index_t i) const noexcept {
        index_t number = 0;
        index_t stride = 1;
        for (std::size_t mode = 0; mode < whole_.size(); ++mode) {
            number += (block_.offsets[mode] + i % block_.extents[mode]) * stride;
            i /= block_.extents[mode];
            stride *= whole_[mode];
        }
        return number;
    }

    /// Calls use(i, number) for the elements in a range of the block.
    template <class Use> void for_each(const base::range &some, const Use &use) const {
        const index_t row = whole_.empty() ? 1 : block_.extents[0];
        for (index_t i = some.begin; i < some.end;) {
            const index_t first = of(i);
            const index_t count = std::min(some.end - i, row - i % row);
            for (index_t k = 0; k < count; ++k)
                use(i + k, first + k);
            i += count;
        }
    }

private:
    const extents_t &whole_;
    const slice &block_;
};

/// Sets the position of the element with this number.
inline void set_position(index_t number, const extents_t &whole, extents_t &position) noexcept {
    for (std::size_t mode = 0; mode < whole.size(); ++mode) {
        position[mode] = number % whole[mode];
        number /= whole[mode];
    }
}

} // namespace tenfold::dist_impl

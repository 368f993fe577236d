// Whether the contractions of a batch write what others read or write.
#pragma once

#include <span>

#include <tenfold/error.hpp>
#include <tenfold/tensor_view.hpp>

#include "contract/choose/candidate.hpp"

namespace tenfold::contract_impl {

/// One tensor of each contraction of a batch.
struct batch_tensor {
    batch_place place;
    index_t element_size;
    const layout *shape;   ///< of the elements that are touched
    char name;             ///< in a status
    bool may_be_d = false; ///< it lies as D, so that in each contraction it may be D
};

/// Which contraction of a batch a status is about.
struct batch_status {
    status what = {};
    index_t contraction = -1; ///< -1: none, or all
};

/// errc::overlap if a D shares an element with another D or with any of the `read` tensors of any
/// contraction, errc::overflow if 64 bits cannot count what a batch spans, errc::out_of_memory.
/// Tensors are not empty. O(count) if the D follow one another in memory, and no others are among
/// them; else O(count log count), and an exact test for each pair whose address ranges meet.
batch_status check_batch_overlap(const batch_tensor &d, std::span<const batch_tensor> read,
                                 index_t count) noexcept;

} // namespace tenfold::contract_impl

// Tensors for the transposition's tests: integer values, any strides, any alignment, watched.
#pragma once

#include <memory>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/tensor_view.hpp>

#include "support/random.hpp"

namespace tenfold::testing {

/// Memory that a layout's elements lie in. Without a margin the allocation ends with the last
/// element, so that AddressSanitizer sees every stray read.
class array {
public:
    /// `shift` components past a 64-byte boundary.
    array(data_type type, const layout &shape, index_t shift, index_t margin);

    void *data() noexcept { return origin(); }
    const void *data() const noexcept { return const_cast<array *>(this)->origin(); }
    /// All bytes, canaries included.
    std::vector<unsigned char> bytes() const;

    /// Whole numbers other than 0 (so that no zero's sign can differ), the same for equal seeds;
    /// bytes that belong to no element keep the canary.
    void fill_with_integers(random_source &random);
    /// NaN into all elements.
    void poison();
    void fill_with_canaries();

private:
    char *origin() noexcept;
    template <class Visit> void for_each_component(Visit visit);

    data_type type_;
    layout shape_;
    index_t before_; ///< bytes from the allocation's start to the data pointer
    index_t size_;
    std::shared_ptr<char> memory_;
};

/// One context per instruction set of this machine.
const std::vector<std::unique_ptr<context>> &contexts();

/// A layout of the extents with random memory order, padding, and, at times, signs and gaps.
layout random_layout(random_source &random, const extents_t &extents, bool zero_strides);

} // namespace tenfold::testing

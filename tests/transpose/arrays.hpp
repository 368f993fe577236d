// Tensors for the tests of transpositions: integer values, any strides, any alignment, with
// canaries.
#pragma once

#include <memory>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/tensor_view.hpp>

#include "support/random.hpp"

namespace tenfold::testing {

/// Memory for the elements of a layout. Without a margin the allocation ends with the last element,
/// so that AddressSanitizer detects every read behind it.
class array {
public:
    /// `shift` is the distance to a 64-byte boundary, in components.
    array(data_type type, const layout &shape, index_t shift, index_t margin);

    void *data() noexcept { return origin(); }
    const void *data() const noexcept { return const_cast<array *>(this)->origin(); }
    /// Returns all bytes, including canaries.
    std::vector<unsigned char> bytes() const;
    /// Sets all of them, as bytes() of an array of the same layout, shift and margin returned them.
    void set_bytes(const std::vector<unsigned char> &bytes);

    /// Sets whole numbers other than 0 (so that signs of zeros cannot differ), the same for equal
    /// seeds. Bytes that belong to no element keep the canary.
    void fill_with_integers(random_source &random);
    /// Sets all elements to NaN, or to some number where they are integers.
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

/// Returns one context per instruction set of this machine.
const std::vector<std::unique_ptr<context>> &contexts();

/// Returns a layout of these extents with random memory order and padding, sometimes with negative
/// strides and gaps. Lines have `of_line` elements; 16 are whole lines of 4 bytes and more each.
layout random_layout(random_source &random, const extents_t &extents, bool zero_strides,
                     index_t of_line = 16);

} // namespace tenfold::testing

// A product in the form that the library plans: one type for all tensors, those of other types by
// temporary copies.
#pragma once

#include <array>
#include <optional>

#include <tenfold/contract.hpp>

#include "compat/tapp/conversion.hpp"
#include "compat/tapp/labelled.hpp"
#include "tenfold/tapp/tapp/product.h"

namespace tenfold::tapp_impl {

/// What a program says about a product; in order of A, B, C and D.
struct product_request {
    described_tensors tensors;
    std::array<TAPP_element_op, 4> ops;
    TAPP_prectype precision;
};

/// A copy of A, B or C that is made before the product, or D before it is copied to where it
/// belongs. C's copy lies in D's, if there is one.
struct temporary {
    conversion convert;
    index_t offset; ///< in the block of all temporaries, bytes
};

struct product_form {
    contraction_spec spec;
    input a, b, c; ///< as they are planned, without addresses
    output d;
    std::array<std::optional<temporary>, 4> temporaries;
    byte_count temporary_bytes;
    data_type scalar_type; ///< of alpha and beta
    bool conj_output;
    bool d_is_empty;
    bool sum_is_empty; ///< A and B are not read
    bool c_lies_as_d;  ///< so that they may have one address

    bool converts() const noexcept { return temporary_bytes.value > 0; }
};

/// Checks TAPP's rules and the types. Throws failure and tenfold::error.
product_form form_of(const product_request &request);

} // namespace tenfold::tapp_impl

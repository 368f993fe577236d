// A product in the form that the library plans: C and D in the type that is computed in, where they
// have another one by a temporary copy. A and B the library converts on their way.
#pragma once

#include <array>
#include <optional>

#include <tenfold/contract.hpp>

#include "compat/tapp/labelled.hpp"
#include "tenfold/tapp/tapp/product.h"

namespace tenfold::tapp_impl {

/// What a program says about a product; in order of A, B, C and D.
struct product_request {
    described_tensors tensors;
    std::array<TAPP_element_op, 4> ops;
    TAPP_prectype precision;
};

/// A copy of a tensor in another type: C's, which is made before the product, or D's, which is
/// copied to where it belongs afterwards. Mode k is mode k on both sides.
struct copy_form {
    data_type from, to;
    layout shape_from, shape_to;
};

struct product_form {
    contraction_spec spec;
    input a, b, c; ///< as they are planned, without addresses
    output d;
    /// From C, and to D. They share one place: C is copied to where D is made.
    std::optional<copy_form> copy_of_c, copy_of_d;
    byte_count temporary_bytes; ///< of that place
    data_type scalar_type;      ///< of alpha and beta
    bool conj_output;
    bool d_is_empty;
    bool sum_is_empty; ///< A and B are not read
    bool c_lies_as_d;  ///< so that they may have one address

    bool converts() const noexcept { return temporary_bytes.value > 0; }
};

/// Checks TAPP's rules and the types. Throws failure and tenfold::error.
product_form form_of(const product_request &request);

} // namespace tenfold::tapp_impl

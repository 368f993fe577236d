// A product in the form that the library plans.
#pragma once

#include <array>

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

struct product_form {
    contraction_spec spec;
    input a, b, c; ///< as they are planned, without addresses
    output d;
    data_type scalar_type; ///< of alpha and beta
    bool f64_sums;
    bool conj_output;
};

/// Checks TAPP's rules and the types. Throws failure and tenfold::error.
product_form form_of(const product_request &request);

} // namespace tenfold::tapp_impl

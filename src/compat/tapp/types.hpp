// TAPP's numbers for types, precisions and operations in Tenfold's words.
#pragma once

#include <array>

#include <tenfold/types.hpp>

#include "tenfold/tapp/tapp/product.h"

namespace tenfold::tapp_impl {

/// Throws for a number that is no type.
data_type type_of(TAPP_datatype number);

/// Throws for a number that is no operation. Real tensors are never conjugated.
bool conjugates(TAPP_element_op op, data_type type, char tensor);

/// In which type products of A and B are summed, by the types of A, B, C and D and the precision.
/// Every number of every one of them is exactly one of this type, where D may be less. Throws for a
/// real D of complex tensors, and a number that is no precision.
data_type computed_in(const std::array<data_type, 4> &types, TAPP_prectype precision);

/// alpha or beta, which is of D's type.
scalar read_scalar(const void *given, data_type type) noexcept;

} // namespace tenfold::tapp_impl

// Options that contract() and plan() take by keyword, and operands that they share.
#pragma once

#include <vector>

#include <tenfold/contract.hpp>

#include "arrays.hpp"
#include "numpy_api.hpp"

namespace tenfold::python {

using operands = std::vector<const operand *>;

std::vector<input> inputs_of(const operands &given);

/// Throws TypeError for other names, and for values of other types.
contract_options options_of(const py::dict &given, const context *ctx);

} // namespace tenfold::python

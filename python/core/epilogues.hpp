// Epilogues of contractions: tenfold.Epilogue's steps.
#pragma once

#include <span>
#include <vector>

#include <tenfold/contraction_epilogue.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// Steps as Python's class keeps them, which holds the arrays: ("scale", factor),
/// ("add", labels, operand, factor), ("multiply", labels, operand, factor), ("apply", name).
using epilogue_steps = std::vector<py::tuple>;

/// The epilogue, for as long as the steps exist. Throws tenfold::error, and TypeError for a factor
/// that is no number.
contraction_epilogue epilogue_of(const epilogue_steps &steps);

/// Throws errc::invalid_argument unless the two differ in the tensors' data alone.
void check_same_steps(std::span<const contraction_step> planned,
                      std::span<const contraction_step> given);

void define_epilogues(py::module_ &module);

} // namespace tenfold::python

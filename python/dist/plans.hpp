// Contractions of distributed tensors, their plans, and layouts for several of them.
#pragma once

#include <utility>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/dist_mixed.hpp>

#include "core/numpy_api.hpp"
#include "tensors.hpp"

namespace tenfold::python {

/// Tensors, and whether each is conjugated as it is read.
using inputs_t = std::vector<std::pair<const tensor_object *, bool>>;

/// The same for Tenfold.
std::vector<dist_operand> operands_of(const inputs_t &inputs);

/// What tenfold.dist.Report says of one step.
py::dict report_fields(const dist_report &done);

void define_plans(py::module_ &module);

} // namespace tenfold::python

// Lists of elements, boxes and ScaLAPACK's matrices: methods of tenfold._dist.Tensor, and
// tenfold.dist.BlockCyclic.
#pragma once

#include "tensors.hpp"

namespace tenfold::python {

void define_interchange(py::module_ &module, py::class_<tensor_object> &tensor);

} // namespace tenfold::python

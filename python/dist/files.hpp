// Distributed tensors in checkpoints, .npy and HDF5 files.
#pragma once

#include "core/numpy_api.hpp"

namespace tenfold::python {

void define_files(py::module_ &module);

} // namespace tenfold::python

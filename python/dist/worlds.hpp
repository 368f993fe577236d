// Worlds from mpi4py's communicators, and calls that one rank cannot make.
#pragma once

#include <tenfold/dist.hpp>

#include "core/numpy_api.hpp"

namespace tenfold::python {

/// What other ranks are told of a Python exception: "ValueError: its text". Needs Python's lock.
error told_to_others(const py::object &raised);

void define_world(py::module_ &module);

} // namespace tenfold::python

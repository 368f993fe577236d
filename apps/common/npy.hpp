// NumPy's .npy files as arrays in memory.
#pragma once

#include <string>

#include "apps/host_array.hpp"
#include "tensor/npy_header.hpp"

namespace tenfold::apps_impl {

using tensor_impl::npy_header;
using tensor_impl::read_npy_header;

/// The whole array: mode i is axis i, whatever the file's order. Throws errc::io.
host_array read_npy(const std::string &path);

/// Writes a dense array, column-major (fortran_order) or row-major as its layout says. Throws
/// errc::io.
void write_npy(const std::string &path, const host_array &array);

} // namespace tenfold::apps_impl

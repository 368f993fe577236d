// NumPy's .npy files: format versions 1 to 3, little-endian f4, f8, c8 and c16, C and Fortran
// order. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>

#include "apps/host_array.hpp"

namespace tenfold::apps_impl {

/// What a file's header says.
struct npy_header {
    data_type type;
    bool fortran_order;
    extents_t shape;
    index_t data_offset; ///< bytes before the first element
};

/// Reads the header and checks it against the file's size. Throws errc::io with a message that
/// names file and problem.
npy_header read_npy_header(const std::string &path);

/// The whole array: mode i is axis i, whatever the file's order. Throws errc::io.
host_array read_npy(const std::string &path);

/// Writes a dense array, column-major (fortran_order) or row-major as its layout says. Throws
/// errc::io.
void write_npy(const std::string &path, const host_array &array);

} // namespace tenfold::apps_impl

// NumPy's .npy files: format versions 1 to 3, little-endian f4, f8, c8 and c16, C and Fortran
// order. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <string_view>

#include <tenfold/tensor_view.hpp>

#include "base/input_file.hpp"

namespace tenfold::tensor_impl {

/// What a file's header says.
struct npy_header {
    data_type type;
    bool fortran_order;
    extents_t shape;
    index_t data_offset; ///< bytes before the first element
};

/// Reads the header and checks it against the file's size. Throws errc::io with a message that
/// names file and problem.
npy_header read_npy_header(const base::input_file &file);

/// The same in two steps, for whoever reads the file otherwise: how many bytes the header has, by
/// the file's first npy_prefix_size (or all, where it has fewer), and what they say.
constexpr index_t npy_prefix_size = 12;
index_t npy_header_size(const std::string &path, std::string_view start, index_t file_size);
npy_header parse_npy_header(const std::string &path, std::string_view bytes, index_t file_size);

/// What stands before the data of f32, f64, c32 or c64: version 1, or 2 where the text is too long
/// for it.
std::string npy_header_bytes(data_type type, const extents_t &shape, bool fortran_order);

} // namespace tenfold::tensor_impl

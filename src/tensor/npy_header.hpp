// NumPy's .npy files: format versions 1 to 3, C and Fortran order.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <tenfold/tensor_view.hpp>

#include "base/input_file.hpp"
#include "tensor/npy_elements.hpp"

namespace tenfold::tensor_impl {

/// The content of a file's header.
struct npy_header {
    npy_element element;
    bool fortran_order;
    extents_t shape;
    index_t data_offset; ///< offset of the first element in bytes
};

/// Reads the header and checks it against the file's size. Throws errc::io with a message that
/// names the file and the problem.
npy_header read_npy_header(const base::input_file &file);

/// The same in two steps, for files that are read in another way. npy_header_size() returns the
/// size of the header in bytes, from the first npy_prefix_size bytes (or all bytes of a shorter
/// file); parse_npy_header() parses it. An unknown file size, such as a pipe's, is not checked.
constexpr index_t npy_prefix_size = 12;
index_t npy_header_size(const std::string &path, std::string_view start,
                        std::optional<index_t> file_size);
npy_header parse_npy_header(const std::string &path, std::string_view bytes,
                            std::optional<index_t> file_size);

/// Reads `count` elements as elements of `type`, from position `first` in the file's order on.
/// Calls `read` with consecutive ranges of the file to get their bytes. Throws errc::io for a value
/// that `type` cannot hold, and errc::type_mismatch if the elements never convert to `type`.
void read_npy_elements(const std::string &path, const npy_header &header, index_t first,
                       index_t count, data_type type, void *elements,
                       const std::function<void(index_t offset, void *data, index_t size)> &read);

/// What stands before the data of any type but bf16: version 1. Throws errc::unsupported for so
/// many modes that nobody would read it.
std::string npy_header_bytes(data_type type, const extents_t &shape, bool fortran_order);

} // namespace tenfold::tensor_impl

// NumPy's .npy files: format versions 1 to 3, C and Fortran order; elements and their exact
// conversion to elements of tensors.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <tenfold/tensor_view.hpp>

#include "base/input_file.hpp"

namespace tenfold::tensor_impl {

/// An element in a file.
struct npy_element {
    enum class kind : std::uint8_t { boolean, integer, unsigned_integer, real, complex, bfloat };
    kind what = kind::real;
    index_t size = 8; ///< bytes: of integers 1 to 8, of real numbers 2, 4 or 8, of complex ones 8,
                      ///< 16; of bf16 2
    bool big_endian = false;

    /// Parses the type of a header: "<f8", ">c16", "|b1"; empty if elements of that type cannot be
    /// read. NumPy has no bf16: "V2", two bytes without a meaning, is what it writes for that of
    /// the package ml_dtypes, and so it is bf16 here.
    static std::optional<npy_element> parse(std::string_view descr);
    /// The element of tensors of `type` in files that are written.
    static npy_element of(data_type type) noexcept;

    friend bool operator==(const npy_element &, const npy_element &) = default;

    /// True for all but integers and booleans.
    bool is_float() const noexcept {
        return what == kind::real || what == kind::complex || what == kind::bfloat;
    }

    /// "<f8", "|i1".
    std::string descr() const;
    /// NumPy's name: "float64", "int8", "bool"; "bfloat16" as in ml_dtypes.
    std::string name() const;
    /// The type of a tensor of such elements. Integers and booleans may be of any; f64 stands for
    /// them, which holds all but those beyond 2^53.
    data_type type() const noexcept;
    /// True for integers, booleans and float16, which are converted to any type that holds their
    /// values; float16 to no integers. Other elements are only read as their own type.
    bool adapts() const noexcept;
    bool becomes(data_type other) const noexcept;
    /// True if the bytes are those of a tensor of type `other`.
    bool is_stored_as(data_type other) const noexcept;
};

/// Converts `count` elements as stored in the file to `type`. Returns the index of the first one
/// whose value `type` cannot hold, or `count`. The buffers must not overlap.
index_t convert(npy_element element, const void *stored, index_t count, data_type type,
                void *elements) noexcept;

/// A stored element's value, for messages: "9007199254740993".
std::string value_text(npy_element element, const void *stored);

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

/// What stands before the data of a type: version 1. Throws errc::unsupported for so
/// many modes that nobody would read it.
std::string npy_header_bytes(data_type type, const extents_t &shape, bool fortran_order);

} // namespace tenfold::tensor_impl

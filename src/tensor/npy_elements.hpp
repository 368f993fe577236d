// Elements of .npy files, and their exact conversion to elements of tensors.
#pragma once

#include <optional>
#include <string>

#include <tenfold/types.hpp>

namespace tenfold::tensor_impl {

struct npy_element {
    enum class kind : std::uint8_t { boolean, integer, unsigned_integer, real, complex };
    kind what = kind::real;
    index_t size =
        8; ///< bytes: of integers 1 to 8, of real numbers 2, 4 or 8, of complex ones 8, 16
    bool big_endian = false;

    /// Parses the type of a header: "<f8", ">c16", "|b1"; empty if elements of that type cannot be
    /// read.
    static std::optional<npy_element> parse(std::string_view descr);

    friend bool operator==(const npy_element &, const npy_element &) = default;

    /// NumPy's name: "float64", "int8", "bool".
    std::string name() const;
    /// The type of a tensor of such elements. Integers and booleans are none; f64
    /// stands for them, which holds all but those beyond 2^53.
    data_type type() const noexcept;
    /// True for integers, booleans and float16, which are converted to any type that holds their
    /// values. Other elements are only read as their own type.
    bool adapts() const noexcept;
    bool becomes(data_type other) const noexcept { return adapts() || type() == other; }
    /// True if the bytes are those of a tensor of type `other`.
    bool is_stored_as(data_type other) const noexcept;
};

/// Converts `count` elements as stored in the file to `type`. Returns the index of the first one
/// whose value `type` cannot hold, or `count`. The buffers must not overlap.
index_t convert(npy_element element, const void *stored, index_t count, data_type type,
                void *elements) noexcept;

/// A stored element's value, for messages: "9007199254740993".
std::string value_text(npy_element element, const void *stored);

} // namespace tenfold::tensor_impl

// Writes .npy files byte by byte, independently of the library.
#pragma once

#include <string>
#include <vector>

namespace tenfold::testing {

/// Returns a file's bytes: magic, `version`.0, the header text padded as the format demands, then
/// data.
inline std::string npy_bytes(int version, const std::string &dictionary, const std::string &data) {
    const std::size_t prefix = version == 1 ? 10 : 12;
    std::string text = dictionary;
    while ((prefix + text.size() + 1) % 64 != 0)
        text += ' ';
    text += '\n';
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (std::size_t i = 0; i < prefix - 8; ++i)
        bytes += static_cast<char>(text.size() >> (8 * i) & 0xff);
    return bytes + text + data;
}

/// Returns "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }".
inline std::string npy_dictionary(const std::string &descr, bool fortran_order,
                                  const std::vector<long> &shape) {
    std::string text = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        text += std::to_string(shape[axis]) + (axis + 1 < shape.size() ? ", " : "");
    return text + (shape.size() == 1 ? ",), }" : "), }");
}

} // namespace tenfold::testing

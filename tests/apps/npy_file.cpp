#include "npy_file.hpp"

#include <cstring>
#include <functional>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include <tenfold/types.hpp>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

template <class Real> void append(std::string &bytes, double value) {
    const auto converted = static_cast<Real>(value);
    bytes.append(reinterpret_cast<const char *>(&converted), sizeof converted);
}

template <class Real> double extract(const char *bytes) {
    Real value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<typename element_traits<Real>::output>(value);
}

std::size_t row_major_index(const std::vector<long> &shape, const std::vector<long> &position) {
    std::size_t index = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        index = index * static_cast<std::size_t>(shape[axis]) +
                static_cast<std::size_t>(position[axis]);
    return index;
}

/// Visits all positions in the order in which a file of that order stores them.
void for_each_position(const std::vector<long> &shape, bool fortran_order,
                       const std::function<void(const std::vector<long> &)> &visit) {
    std::vector<long> position(shape.size(), 0);
    for (const long extent : shape)
        if (extent == 0)
            return;
    while (true) {
        visit(position);
        std::size_t turned = 0;
        for (; turned < shape.size(); ++turned) {
            const std::size_t axis = fortran_order ? turned : shape.size() - 1 - turned;
            if (++position[axis] < shape[axis])
                break;
            position[axis] = 0;
        }
        if (turned == shape.size())
            return;
    }
}

} // namespace

std::complex<double> test_array::at(const std::vector<long> &position) const {
    return values[row_major_index(shape, position)];
}

std::string test_array::file_bytes(const std::string &descr, bool fortran_order,
                                   int version) const {
    std::string data;
    for_each_position(shape, fortran_order, [&](const std::vector<long> &position) {
        const std::complex<double> value = at(position);
        if (descr == "<f4" || descr == "<c8")
            append<float>(data, value.real());
        else
            append<double>(data, value.real());
        if (descr == "<c8")
            append<float>(data, value.imag());
        if (descr == "<c16")
            append<double>(data, value.imag());
    });
    return npy_bytes(version, npy_dictionary(descr, fortran_order, shape), data);
}

test_array integer_array(const std::vector<long> &shape, unsigned seed, bool complex) {
    test_array array{shape, {}};
    std::size_t size = 1;
    for (const long extent : shape)
        size *= static_cast<std::size_t>(extent);
    unsigned state = seed * 2654435761u + 1;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return static_cast<double>(state >> 16 & 0xffff) / 65536 * 17;
    };
    for (std::size_t i = 0; i < size; ++i) {
        const double real = static_cast<int>(next()) - 8;
        const double imaginary = complex ? static_cast<int>(next()) - 8 : 0;
        array.values.emplace_back(real, imaginary);
    }
    return array;
}

read_array read_npy_file(const std::string &path) {
    const std::string bytes = read_text(path);
    read_array result{};
    if (bytes.size() < 10 || bytes.substr(0, 6) != "\x93NUMPY" || bytes[6] != 1) {
        ADD_FAILURE() << path << " is not an .npy file of version 1";
        return result;
    }
    const std::size_t length =
        static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + length) % 64, 0u) << "data is not aligned";
    const std::string header = bytes.substr(10, length);
    std::smatch match;
    const std::regex pattern(
        R"(\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([^)]*)\), \} *\n)");
    if (!std::regex_match(header, match, pattern)) {
        ADD_FAILURE() << "header: " << header;
        return result;
    }
    result.descr = match[1];
    result.fortran_order = match[2] == "True";
    std::istringstream extents(match[3].str());
    for (std::string extent; std::getline(extents, extent, ',');)
        if (extent.find_first_not_of(' ') != std::string::npos)
            result.array.shape.push_back(std::stol(extent));

    std::size_t size = 1;
    for (const long extent : result.array.shape)
        size *= static_cast<std::size_t>(extent);
    result.array.values.resize(size);
    const bool complex = result.descr[1] == 'c';
    const std::size_t element = std::stoul(result.descr.substr(2));
    const std::size_t part = element / (complex ? 2 : 1);
    EXPECT_EQ(bytes.size(), 10 + length + size * element);
    const char *at = bytes.data() + 10 + length;
    for_each_position(
        result.array.shape, result.fortran_order, [&](const std::vector<long> &position) {
            const auto number = [&](const char *from) {
                const char kind = result.descr[1];
                if (kind == 'i')
                    return part == 1 ? extract<std::int8_t>(from) : extract<std::int32_t>(from);
                if (kind == 'u')
                    return extract<std::uint8_t>(from);
                return part == 2   ? extract<f16>(from)
                       : part == 4 ? extract<float>(from)
                                   : extract<double>(from);
            };
            result.array.values[row_major_index(result.array.shape, position)] = {
                number(at), complex ? number(at + part) : 0};
            at += element;
        });
    return result;
}

} // namespace tenfold::testing

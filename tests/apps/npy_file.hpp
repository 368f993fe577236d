// Writes and reads .npy files by code that is independent of the library, so that a mistake in the
// library cannot cancel itself.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "support/npy_bytes.hpp"

namespace tenfold::testing {

/// An array of integer values by position, value(i0, i1, ...) stored as `descr` in either order.
/// Complex elements get -value as their imaginary part.
struct test_array {
    std::vector<long> shape;
    std::vector<std::complex<double>> values; ///< row-major

    std::complex<double> at(const std::vector<long> &position) const;
    std::string file_bytes(const std::string &descr, bool fortran_order, int version = 1) const;
};

/// Returns pseudo-random integers in [-8, 8] that depend on `seed`; imaginary parts, too, if
/// `complex`.
test_array integer_array(const std::vector<long> &shape, unsigned seed, bool complex);

/// Reads the output of a program: i1, u1, i4, f2, f4, f8, c8 and c16, both orders.
struct read_array {
    std::string descr;
    bool fortran_order;
    test_array array;
};
read_array read_npy_file(const std::string &path);

} // namespace tenfold::testing

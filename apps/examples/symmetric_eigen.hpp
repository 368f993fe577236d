// Eigenvalues of small symmetric matrices.
#pragma once

#include <vector>

#include <tenfold/tenfold.hpp>

namespace tenfold::examples {

struct eigen_system {
    std::vector<double> values; ///< descending
    tensor<double> vectors;     ///< column k belongs to values[k]; orthonormal
};

/// Computes eigenvalues by cyclic Jacobi rotations (Golub, Van Loan, Matrix Computations, 4th
/// edition, section 8.5): O(n^3) for each of about ten sweeps. Reads only the upper triangle of
/// `matrix` (n x n).
eigen_system symmetric_eigen(const tensor<double> &matrix);

} // namespace tenfold::examples

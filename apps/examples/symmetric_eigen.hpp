// Eigenvalues of small symmetric matrices, and the lowest one of a symmetric operator that is given
// as a function.
#pragma once

#include <functional>
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

/// Replaces `state` (dense, not zero) by the lowest eigenvector, of norm 1, in the space of `state`
/// and its first `steps` - 1 images under the operator (Lanczos). Returns the eigenvalue in that
/// space. apply(x, y) writes the operator times x to y.
double lowest_state(tensor<double> &state,
                    const std::function<void(const tensor<double> &, tensor<double> &)> &apply,
                    int steps);

} // namespace tenfold::examples

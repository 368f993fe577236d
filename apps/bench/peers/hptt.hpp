// HPTT's C interface (Springer, Su, Bientinesi 2017): B = alpha permuted(A) + beta B. Every call
// makes a plan of the kind "estimate".
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include <tenfold/tensor_view.hpp>

#include "apps/bench/peers/library.hpp"

namespace tenfold::apps_impl {

/// sTensorTranspose and dTensorTranspose.
template <class Real>
using hptt_real_function = void(const int *perm, int dim, Real alpha, const Real *a,
                                const int *size_a, const int *outer_size_a, Real beta, Real *b,
                                const int *outer_size_b, int threads, int row_major);
/// cTensorTranspose and zTensorTranspose. HPTT's complex type _Complex is passed like std::complex.
template <class Complex>
using hptt_complex_function = void(const int *perm, int dim, Complex alpha, bool conj_a,
                                   const Complex *a, const int *size_a, const int *outer_size_a,
                                   Complex beta, Complex *b, const int *outer_size_b, int threads,
                                   int row_major);

/// Calls one transposition of dense column-major tensors in such a library.
class hptt_functions {
public:
    /// Throws failure if the function for the type is missing.
    hptt_functions(const library &from, data_type type);

    /// Mode k of b is mode perm[k] of a.
    std::function<void()> call(std::vector<int> perm, std::vector<int> size_a, const void *a,
                               double beta, void *b, int threads) const;

private:
    data_type type_;
    void *address_;
};

} // namespace tenfold::apps_impl

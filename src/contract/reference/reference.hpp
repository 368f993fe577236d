// The slow twin of every contraction algorithm: plain nested loops, every type, every rule of
// docs/semantics.md. The oracle of the tests and the algorithm of last resort.
#pragma once

#include <cstdint>

#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// The loops of a problem; it must outlive them.
struct reference_loops {
    explicit reference_loops(const einsum_impl::contraction_problem &problem);

    const einsum_impl::contraction_problem &problem;
    einsum_impl::mode_group free;   ///< positions of D
    einsum_impl::mode_group summed; ///< terms of one element
};

/// D = alpha op(A) op(B) + beta op(C), summed in a wider type (double for f32, long double for
/// f64) and rounded once. The pointers must be valid where their tensors are read or written.
void reference_contract(const reference_loops &loops, scalar alpha, const void *a, const void *b,
                        scalar beta, const void *c, void *d) noexcept;

/// What verify() found.
struct verification {
    /// max |d - reference| / (|alpha| sum |a||b| + |beta c|) over the elements checked; 0/0 counts
    /// as 0, and a NaN in d where none belongs as infinity.
    double max_relative_error = 0;
    /// What rounding can explain, whatever the order of the sums; docs/accuracy.md derives it.
    double bound = 0;
    index_t elements = 0; ///< how many were checked
    /// How many are NaN in d and by the plain loops alike: right, and without a number to compare.
    index_t not_numbers = 0;
    bool passed() const noexcept { return max_relative_error <= bound; }
};

/// Recomputes `samples` elements of D chosen at random (all of them when there are no more) from
/// what the inputs hold. `c` is C as it was before (it may be null when beta is 0).
verification verify(const einsum_impl::contraction_problem &problem, scalar alpha, const void *a,
                    const void *b, scalar beta, const void *c, const void *d, index_t samples,
                    std::uint64_t seed);

} // namespace tenfold::contract_impl

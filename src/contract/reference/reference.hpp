// The slow twin of all contraction algorithms: plain nested loops for every type and every rule of
// docs/semantics.md. It is the oracle of the tests and the algorithm of last resort.
#pragma once

#include <cstdint>

#include "contract/choose/candidate.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// The loops of a problem, which must outlive them.
struct reference_loops {
    explicit reference_loops(const einsum_impl::contraction_problem &problem);

    const einsum_impl::contraction_problem &problem;
    einsum_impl::mode_group free;   ///< loops over the positions of D
    einsum_impl::mode_group summed; ///< loops over the terms of one element
};

/// D = alpha op(A) op(B) + beta op(C), summed in a wider type (double for f32, long double for
/// f64) and rounded once. Pointers to tensors that are read or written must be valid.
void reference_contract(const reference_loops &loops, const sources &from, void *d) noexcept;

/// The result of verify().
struct verification {
    /// max |d - reference| / (|alpha| sum |a||b| + |beta c|) over the checked elements. 0/0 counts
    /// as 0, and a NaN in d that the reference lacks as infinity.
    double max_relative_error = 0;
    /// The largest error that rounding can cause for any order of summation; docs/accuracy.md
    /// derives it.
    double bound = 0;
    index_t elements = 0; ///< number of checked elements
    /// Checked elements that are NaN in d and in the reference: correct, but without an error to
    /// measure.
    index_t not_numbers = 0;
    bool passed() const noexcept { return max_relative_error <= bound; }
};

/// Recomputes `samples` random elements of D from the inputs, or all of them if D has no more.
/// `from.c` holds C as it was before the contraction; it may be null when beta is 0.
verification verify(const einsum_impl::contraction_problem &problem, const sources &from,
                    const void *d, index_t samples, std::uint64_t seed);

} // namespace tenfold::contract_impl

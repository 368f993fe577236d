// The slow twin of all contraction algorithms: plain nested loops for every type and every rule of
// docs/semantics.md. It is the oracle of the tests and the algorithm of last resort.
#pragma once

#include <cstdint>
#include <span>

#include <tenfold/operand.hpp>

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
/// An element of i8, u8 or i32, with its sign, modulo 2^32.
std::uint32_t integer_element(const void *data, data_type type, index_t i) noexcept;

/// The same of integers, modulo 2^32; with alpha = 0 only C is read.
void integer_contract(const reference_loops &loops, const sources &from, void *d) noexcept;

/// The reference as a candidate. Always possible. The problem must outlive it.
candidate_ptr make_plain_loops(const einsum_impl::contraction_problem &problem);

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
/// The same of integers, whose sums are exact: the error is 0 or infinite.
verification verify_integers(const reference_loops &loops, const sources &from, const void *d,
                             index_t samples, std::uint64_t seed);

// Many inputs: one loop nest over all labels, without path, intermediates or plans. Its time grows
// with the product of all extents.

/// Number of terms of one element of D, that is, positions of the labels that D lacks. Infinite if
/// a double overflows.
double terms_of_one_element(const contraction_spec &spec, std::span<const input> inputs);

/// D = alpha product of the inputs + beta op(C). `alpha` includes the expression's scalar; beta is
/// the one given here. The tensors must fit the expression and have data if they are read.
struct network_contraction {
    const contraction_spec &spec;
    std::span<const input> inputs;
    scalar alpha;
    scalar beta;
    const input &c;
};

/// Sums in a wider type. Repeated labels in D select its diagonal.
void reference_contract(const network_contraction &what, const output &d);

/// The bound of many inputs is (terms + 4 inputs) eps, times sqrt(2) for complex numbers:
/// intermediates are rounded too, but nested sums have no more additions than one sum over all
/// positions.
verification verify(const network_contraction &what, const input &d, index_t samples,
                    std::uint64_t seed);

} // namespace tenfold::contract_impl

// What --verify can afford to recompute, and which element of an input makes a result NaN.
#pragma once

#include <span>
#include <string>

#include <tenfold/contract.hpp>

#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

/// Returns the number of elements of a result that --verify can afford to recompute:
/// verified_elements for one or two inputs. More inputs are verified by a single loop nest,
/// whose cost per element is the product of all extents that are summed; then it returns as many
/// elements as take about a second, and at least one. Throws usage_error if a single element would
/// take minutes.
index_t elements_to_verify(const contraction_spec &spec, std::span<const input> inputs);
index_t elements_to_verify(const resolved_contraction &resolved);

/// Returns "A is NaN at a=0, c=2", or names the first infinity, which gives NaN with another
/// infinity or a zero, or says that all inputs are finite. `c` is the operand that beta multiplies
/// and `c_name` its name in the message; a null pointer means that it is not read. Reads all
/// tensors in the worst case.
std::string source_of_nan(const contraction_spec &spec, std::span<const input> inputs,
                          const input &c, const std::string &c_name);

} // namespace tenfold::apps_impl

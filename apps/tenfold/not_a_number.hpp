// Explains which element of an input makes a result NaN.
#pragma once

#include <span>
#include <string>

#include <tenfold/contract.hpp>

namespace tenfold::apps_impl {

/// Returns "A is NaN at a=0, c=2", or names the first infinity, which gives NaN with another
/// infinity or a zero, or says that all inputs are finite. `c` is the operand that beta multiplies
/// and `c_name` its name in the message; a null pointer means that it is not read. Reads all
/// tensors in the worst case.
std::string source_of_nan(const contraction_spec &spec, std::span<const input> inputs,
                          const input &c, const std::string &c_name);

} // namespace tenfold::apps_impl

// Where a NaN in a result comes from, for people.
#pragma once

#include <span>
#include <string>

#include <tenfold/contract.hpp>

namespace tenfold::apps_impl {

/// "A is NaN at a=0, c=2", or the first infinity, which cancels another or meets a 0; what to say
/// where all inputs are finite. `c` is what beta multiplies, `c_name` how the program calls it;
/// null data is not looked at. Reads all of the tensors, in the worst case.
std::string source_of_nan(const contraction_spec &spec, std::span<const input> inputs,
                          const input &c, const std::string &c_name);

} // namespace tenfold::apps_impl

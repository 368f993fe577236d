// Checks that a value is an enumerator; a caller may have cast any number to the type.
#pragma once

#include <string_view>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// For data_type, tuning, algorithm, backend and isa. Messages name the value `what` and the
/// function `function`. Throws errc::invalid_argument: "gemm: backend is 77; there are native (0),
/// blis (1)".
template <class E>
void check_enumerator(E value, std::string_view what, const char *function = nullptr);

} // namespace tenfold::base

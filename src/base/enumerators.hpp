// Which values an enumeration has, for refusals of others: a caller may have cast any number.
#pragma once

#include <string>
#include <string_view>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// For data_type, tuning, algorithm, backend and isa. Messages name the value `what` and the
/// function `function`. Throws errc::invalid_argument: "gemm: backend is 77; there are native (0),
/// blis (1)".
template <class E>
void check_enumerator(E value, std::string_view what, const char *function = nullptr);

/// "f32, f64, c32, c64, bf16 or f16", where `last` is "or".
std::string element_type_names(std::string_view last);
/// "f32, f64, c32 or c64": of those that multiply as they are, which distributed tensors are, too.
std::string arithmetic_type_names(std::string_view last);

} // namespace tenfold::base

// The names of the types of integers, for programs: element types and integers are lists of their
// own (<tenfold/types.hpp>).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// parse_data_type(), or the integers of a name: "i8".
std::optional<data_type> parse_any_type(std::string_view text) noexcept;

/// "f32, f64, c32, c64, bf16, f16, i8, u8 or i32", where `last` is "or".
std::string any_type_names(std::string_view last);

} // namespace tenfold::base

// Types by their numbers in C. Integers have numbers of their own there, from TENFOLD_I8 on, in the
// order of TENFOLD_FOR_INTEGER_TYPES: element types that are added later need those between.
#pragma once

#include <tenfold/tenfold.h>
#include <tenfold/types.hpp>

namespace tenfold::capi_impl {

constexpr tenfold_type number_of(data_type type) noexcept {
    const auto number = static_cast<tenfold_type>(type);
    return is_integer(type) ? TENFOLD_I8 + number - static_cast<tenfold_type>(data_type::i8)
                            : number;
}

/// The type of this number. A value that is no type, of 0 bytes, where there is none.
constexpr data_type type_numbered(tenfold_type number) noexcept {
    constexpr auto none = static_cast<data_type>(255);
    const tenfold_type value = number >= TENFOLD_I8
                                   ? number - TENFOLD_I8 + static_cast<tenfold_type>(data_type::i8)
                                   : number;
    if (value < 0 || value > 255)
        return none;
    const auto type = static_cast<data_type>(value);
    return size_of(type) > 0 && number_of(type) == number ? type : none;
}

} // namespace tenfold::capi_impl

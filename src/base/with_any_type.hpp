// with_type() for code that takes integers, too.
#pragma once

#include "base/with_type.hpp"

namespace tenfold::base {

/// Calls f(T{}) with the element type, or with the type of the integers, and returns what it
/// returns.
template <class F> auto with_any_type(data_type type, F &&f) -> decltype(f(float{})) {
    switch (type) {
#define TENFOLD_CALL(T, name)                                                                      \
    case data_type::name:                                                                          \
        return f(T{});
        TENFOLD_FOR_INTEGER_TYPES(TENFOLD_CALL)
#undef TENFOLD_CALL
    default:
        return with_type(type, f);
    }
}

} // namespace tenfold::base

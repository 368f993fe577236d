// From interfaces that do not know the element type to code that does.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Calls f(T{}) with the element type, which is no integer, and returns what it returns.
template <class F> auto with_type(data_type type, F &&f) -> decltype(f(float{})) {
    switch (type) {
#define TENFOLD_CALL(T, name)                                                                      \
    case data_type::name:                                                                          \
        return f(T{});
        TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_CALL)
#undef TENFOLD_CALL
#define TENFOLD_REFUSED(T, name) case data_type::name:
        TENFOLD_FOR_INTEGER_TYPES(TENFOLD_REFUSED)
#undef TENFOLD_REFUSED
        break; // contractions of integers have code of their own
    }
    __builtin_unreachable(); // check_enumerator() has seen the types that callers pass
}

/// The same for code that exists for arithmetic types; nothing, or {}, for others.
template <class F> auto with_arithmetic_type(data_type type, F &&f) -> decltype(f(float{})) {
    using result = decltype(f(float{}));
    return with_type(type, [&]<class T>(T value) -> result {
        if constexpr (element_traits<T>::is_arithmetic)
            return f(value);
        else
            return result();
    });
}

} // namespace tenfold::base

// From a type that is known at run time to code for it.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::tapp_impl {

/// Calls work(T()) with the C++ type.
template <class Work> auto with_element_type(data_type type, const Work &work) {
    switch (type) {
#define TENFOLD_TAPP_CALL(T, name)                                                                 \
    case data_type::name:                                                                          \
        return work(T());
        TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_TAPP_CALL)
#undef TENFOLD_TAPP_CALL
    default:
        break;
    }
    __builtin_unreachable(); // type_of() makes no other numbers
}

} // namespace tenfold::tapp_impl

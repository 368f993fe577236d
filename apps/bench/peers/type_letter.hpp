// How C interfaces of linear algebra call element types.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::apps_impl {

/// s, d, c or z. No peer multiplies other types.
constexpr char type_letter(data_type type) noexcept {
    switch (type) {
    case data_type::f32:
        return 's';
    case data_type::f64:
        return 'd';
    case data_type::c32:
        return 'c';
    case data_type::c64:
        return 'z';
    case data_type::bf16:
    case data_type::f16:
    case data_type::i8:
    case data_type::u8:
    case data_type::i32:
        break;
    }
    return 'd';
}

} // namespace tenfold::apps_impl

#include "compat/tapp/types.hpp"

#include <algorithm>
#include <string>

#include "compat/tapp/element_types.hpp"
#include "compat/tapp/failure.hpp"

namespace tenfold::tapp_impl {

data_type type_of(TAPP_datatype number) {
    switch (number) {
    case TAPP_F32:
        return data_type::f32;
    case TAPP_F64:
        return data_type::f64;
    case TAPP_C32:
        return data_type::c32;
    case TAPP_C64:
        return data_type::c64;
    case TAPP_F16:
        return data_type::f16;
    case TAPP_BF16:
        return data_type::bf16;
    }
    throw failure(TENFOLD_TAPP_DATATYPE,
                  "the type is " + std::to_string(number) + "; TAPP's types are 0 to 5");
}

bool conjugates(TAPP_element_op op, data_type type, char tensor) {
    if (op != TAPP_IDENTITY && op != TAPP_CONJUGATE)
        throw failure(TENFOLD_TAPP_ELEMENT_OP,
                      std::string("the operation on ") + tensor + " is " + std::to_string(op) +
                          "; TAPP's operations are TAPP_IDENTITY and TAPP_CONJUGATE, 0 and 1");
    return op == TAPP_CONJUGATE && is_complex(type);
}

data_type computed_in(const std::array<data_type, 4> &types, TAPP_prectype precision) {
    switch (precision) {
    case TAPP_DEFAULT_PREC:
    case TAPP_F32F32_ACCUM_F32:
    case TAPP_F64F64_ACCUM_F64:
    case TAPP_F16F16_ACCUM_F16:
    case TAPP_F16F16_ACCUM_F32:
    case TAPP_BF16BF16_ACCUM_F32:
        break;
    default:
        throw failure(TENFOLD_TAPP_PRECISION, "the precision is " + std::to_string(precision) +
                                                  "; TAPP's are -1, 0, 1, 4, 5 and 6");
    }
    for (std::size_t tensor = 0; tensor < 3; ++tensor)
        if (is_complex(types[tensor]) && !is_complex(types[3]))
            throw failure(TENFOLD_TAPP_REAL_D, std::string(1, "ABC"[tensor]) + " has type " +
                                                   std::string(name(types[tensor])) +
                                                   ", D has type " + std::string(name(types[3])) +
                                                   ", which is real");
    const bool in_f64 =
        precision == TAPP_F64F64_ACCUM_F64 || std::ranges::any_of(types, [](data_type type) {
            return real_type_of(type) == data_type::f64;
        });
    const data_type real = in_f64 ? data_type::f64 : data_type::f32;
    return is_complex(types[3]) ? *complex_type_of(real) : real;
}

scalar read_scalar(const void *given, data_type type) noexcept {
    return with_element_type(type, [&]<class T>(T) {
        const T value = *static_cast<const T *>(given);
        if constexpr (element_traits<T>::is_arithmetic)
            return scalar(value);
        else
            return scalar(static_cast<float>(value));
    });
}

} // namespace tenfold::tapp_impl

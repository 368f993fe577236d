// TBLIS's element types and numbers in Tenfold's words.
#pragma once

#include <complex>
#include <string>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

#include "tenfold-compat/tblis/tblis.h"

namespace tenfold::tblis_impl {

/// Calls work(T()) with the C++ type. Throws errc::invalid_argument for a number that is no type.
template <class Work> auto with_type(tblis::type_t type, Work &&work) {
    switch (type) {
    case tblis::TYPE_FLOAT:
        return work(float());
    case tblis::TYPE_DOUBLE:
        return work(double());
    case tblis::TYPE_SCOMPLEX:
        return work(tblis::scomplex());
    case tblis::TYPE_DCOMPLEX:
        return work(tblis::dcomplex());
    }
    throw error(errc::invalid_argument, "the type of a tensor is " +
                                            std::to_string(static_cast<int>(type)) +
                                            "; TBLIS's types are 0 to 3");
}

inline data_type data_type_for(tblis::type_t type) {
    return with_type(type, []<class T>(T) { return data_type_of<T>; });
}

template <class T> T conjugate_of(T value) {
    if constexpr (element_traits<T>::is_complex)
        return std::conj(value);
    else
        return value;
}

/// The product of the factors of two tensors of one type, rounded to it.
inline scalar product_of_factors(const tblis::tblis_tensor &a, const tblis::tblis_tensor &b) {
    return with_type(a.type, [&]<class T>(T) { return scalar(a.alpha<T>() * b.alpha<T>()); });
}

/// A tensor's factor is of its type; the factor's own `type` is not asked, as many programs leave
/// it unset.
inline scalar factor_of(const tblis::tblis_tensor &tensor) {
    return with_type(tensor.type, [&]<class T>(T) { return scalar(tensor.alpha<T>()); });
}

/// After a call, what it wrote has factor 1 and no conjugation.
inline void reset_factor(tblis::tblis_tensor &tensor) {
    with_type(tensor.type, [&]<class T>(T) { tensor.alpha<T>() = T(1); });
    tensor.conj = 0;
}

} // namespace tenfold::tblis_impl

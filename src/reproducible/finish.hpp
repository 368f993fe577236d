// What is done to a complete sum, in one process and on every rank alike.
#pragma once

#include <tenfold/types.hpp>

#include "tensor/boxes.hpp"

namespace tenfold::reproducible_impl {

using tensor_impl::numbers;

/// Computes D = alpha sum + beta D over a box, with each product and the sum rounded. alpha is not
/// 0; beta = 0 does not read D.
template <class T> void finish(numbers extents, T alpha, const T *sum, numbers strides, T beta,
                               T *d, numbers strides_of_d, int threads) noexcept;

/// Computes D = beta D over a box, where nothing is multiplied.
template <class T>
void scale(numbers extents, T beta, T *d, numbers strides_of_d, int threads) noexcept;

/// Whether D = alpha op(A) + beta D, without a sum, rounds every element at most once, so that any
/// method gives the same bits: alpha a rounds a real number once, and beta d + alpha a does if
/// neither product rounds.
template <class T> constexpr bool rounds_once(T alpha, T beta) noexcept {
    const bool copies = alpha == T(1);
    return beta == T(0) ? copies || !is_complex(data_type_of<T>) : copies && beta == T(1);
}

/// Throws errc::unsupported for an algorithm or a back end that gives other bits.
void check_choices(algorithm requested, backend back);

} // namespace tenfold::reproducible_impl

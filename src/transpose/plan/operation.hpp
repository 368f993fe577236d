// alpha, beta and conjugation as the kernels want them.
#pragma once

#include <tenfold/types.hpp>

#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {

/// y = alpha op(x) + beta y between elements of these types. For a real `b`, alpha and beta are
/// real.
operation make_operation(data_type a, data_type b, bool conjugate, scalar alpha,
                         scalar beta) noexcept;

} // namespace tenfold::transpose_impl

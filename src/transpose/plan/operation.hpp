// Converts alpha, beta and conjugation to the form that kernels use.
#pragma once

#include <tenfold/types.hpp>

#include "transpose/kernels/kernel_abi.hpp"

namespace tenfold::transpose_impl {

/// Returns the operation y = alpha op(x) + beta y on these types. If `b` is real, alpha and beta
/// are real.
operation make_operation(data_type a, data_type b, bool conjugate, scalar alpha,
                         scalar beta) noexcept;

} // namespace tenfold::transpose_impl

// The peak to which matrix products are compared.
#pragma once

#include <tenfold/context.hpp>

#include "apps/bench/bench_options.hpp"

namespace tenfold::apps_impl {

/// Returns the GFLOP/s of the kernels' instructions in registers: multiply-adds of the type (of f32
/// if inputs are widened) or dot products. Returns 0 if that was not measured, for products of
/// integers without such an instruction.
double multiply_peak_gflops(const bench_options &options, const context &ctx, double seconds);

} // namespace tenfold::apps_impl

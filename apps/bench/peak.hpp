// The peak that matrix products of a run are held against.
#pragma once

#include <tenfold/context.hpp>

#include "apps/bench/bench_options.hpp"

namespace tenfold::apps_impl {

/// GFLOP/s of what the kernels multiply with, in registers: multiply-adds of the type, of f32 where
/// inputs are widened, or dot products. 0 where nobody has measured what that would be: products of
/// integers without an instruction for them.
double multiply_peak_gflops(const bench_options &options, const context &ctx, double seconds);

} // namespace tenfold::apps_impl

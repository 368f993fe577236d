// The five loops around the micro-kernel (Goto and van de Geijn 2008; BLIS: Van Zee and van de
// Geijn 2015).
#pragma once

#include "gemm/epilogue.hpp"
#include "gemm/forms/macro_problem.hpp"

namespace tenfold::gemm_impl {

/// The result does not depend on the team's size. The epilogue, in the shape's orientation, is
/// applied to each strip of D once it is complete. `next` follows in a series.
void run_macro(const macro_problem &problem, const loop_operands &x,
               const following &next = {}) noexcept;

/// Does the same on the calling thread, whatever the problem says.
void run_macro_alone(const macro_problem &problem, const loop_operands &x) noexcept;

} // namespace tenfold::gemm_impl

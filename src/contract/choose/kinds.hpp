// The list of all kinds of candidates, a line for each: its own file defines it as <name>_kind.
#pragma once

#include "contract/choose/candidate_kind.hpp"

#define TENFOLD_CANDIDATE_KINDS(KIND)                                                              \
    KIND(direct)    /* products/direct.cpp */                                                      \
    KIND(gemm_loop) /* products/gemm_loop.cpp */                                                   \
    KIND(loops)     /* products/vector_loops.cpp */                                                \
    KIND(ttgt)      /* tiles/tiled_kinds.cpp */                                                    \
    KIND(fused)     /* tiles/tiled_kinds.cpp */                                                    \
    KIND(reference) /* reference/plain_loops.cpp */

namespace tenfold::contract_impl {

#define TENFOLD_DECLARE_KIND(name) extern const candidate_kind name##_kind;
TENFOLD_CANDIDATE_KINDS(TENFOLD_DECLARE_KIND)
#undef TENFOLD_DECLARE_KIND

} // namespace tenfold::contract_impl

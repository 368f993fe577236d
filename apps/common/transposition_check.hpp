// Recomputes elements of a transposition, for --verify.
#pragma once

#include "contract/reference/reference.hpp"
#include "transpose/plan/modes.hpp"

namespace tenfold::apps_impl {

/// B = alpha * perm(A) + beta * before.
struct checked_transposition {
    transpose_impl::transposed_tensors tensors;
    scalar alpha;
    const void *a;
    scalar beta;
    const void *before; ///< B as it was; null if beta is 0
    const void *b;
};

/// Recomputes `samples` random elements of B, or all of them if B has no more. The bound has the
/// roundings of the type that is computed in, and one of B's type if that only stores numbers; what
/// a number below the normal ones of B's type loses is no error. Integers are compared exactly.
contract_impl::verification check(const checked_transposition &what, index_t samples);

} // namespace tenfold::apps_impl

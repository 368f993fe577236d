// --verify for tensors that no rank holds as a whole; for builds with the distributed part only.
#pragma once

#include <tenfold/dist.hpp>

#include "apps/tenfold/contraction_result.hpp"

namespace tenfold::apps_impl {

/// Recomputes a sample of D and compares; every rank returns the same result. Rank 0 reads the
/// operands from their files again and receives the whole of D. Collective.
template <class T>
contraction_result::check verify_distributed(const resolved_contraction &resolved,
                                             const contraction_request &request,
                                             const dist_tensor<T> &d);

} // namespace tenfold::apps_impl

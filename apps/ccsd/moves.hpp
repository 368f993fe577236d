// What little the iterations move between ranks: each a single collective call, with nothing to
// plan or to agree on.
#pragma once

#include <tenfold/dist.hpp>

namespace tenfold::ccsd {

/// Collective. All of `from` to `whole`, dense, on each rank.
void gather_blocks(const dist_tensor<double> &from, double *whole);

/// Collective. to[a,b,i,j] += from[b,a,j,i], both cut along the second mode and no other. False,
/// with nothing done, for tensors that lie otherwise.
bool add_flipped(const dist_tensor<double> &from, dist_tensor<double> &to);

/// Bytes that these take on the rank with most, beside the tensors.
index_t gather_bytes(const distribution &from);
index_t flip_bytes(const distribution &from);

} // namespace tenfold::ccsd

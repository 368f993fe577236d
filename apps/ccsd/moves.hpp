// The few movements between ranks in the iterations, and the memory that they take.
#pragma once

#include <tenfold/dist.hpp>

namespace tenfold::ccsd {

/// Collective. Copies all of `from` to `whole`, dense, on each rank.
void gather_whole(const dist_tensor<double> &from, double *whole);
/// The bytes of messages that it needs, on the rank that needs most.
index_t gather_bytes(const distribution &from);

/// Collective. to[a,b,i,j] += x[b,a,j,i], for tensors that are cut along the second mode only.
void add_flipped(const dist_tensor<double> &x, dist_tensor<double> &to);
bool is_cut_for_flip(const distribution &spread);
/// As gather_bytes().
index_t flip_bytes(const distribution &spread);

} // namespace tenfold::ccsd

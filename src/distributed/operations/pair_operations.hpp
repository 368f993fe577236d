// The operations of <tenfold/dist_pairs.hpp>, which tell what they took on this rank.
#pragma once

#include <tenfold/dist_pairs.hpp>

#include "distributed/operations/boxes.hpp"

namespace tenfold::dist_impl {

/// Collective. chem::pack_pairs().
template <class T> box_report pack_pairs_reporting(const dist_tensor<T> &x, int mode,
                                                   chem::pair_kind kind, dist_tensor<T> &packed);
/// Collective. chem::unpack_pairs().
template <class T> box_report unpack_pairs_reporting(const dist_tensor<T> &packed, int mode,
                                                     chem::pair_kind kind, dist_tensor<T> &x);
/// Collective. chem::pack_pair_matrices().
box_report pack_matrices_reporting(const dist_tensor<double> &x, dist_tensor<double> &plus,
                                   dist_tensor<double> &minus, bool half_diagonal);
/// Collective. chem::unpack_pair_matrices().
box_report unpack_matrices_reporting(const dist_tensor<double> &plus,
                                     const dist_tensor<double> &minus, dist_tensor<double> &x);

} // namespace tenfold::dist_impl

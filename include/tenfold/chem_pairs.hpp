// Pairs of orbitals as one index, and tensors that are symmetric or antisymmetric in two modes,
// stored once for each pair.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tenfold/tensor.hpp>

namespace [[gnu::visibility("default")]] tenfold {
namespace chem {

/// The place of the pair (p, q) = (q, p) in the list (0,0) (1,0) (1,1) (2,0) ..; p, q from 0.
constexpr index_t pair_index(index_t p, index_t q) noexcept {
    const index_t high = std::max(p, q); // no branch, which processors could not foresee
    return high * (high + 1) / 2 + std::min(p, q);
}
/// The number of pairs p >= q of n orbitals: n (n + 1) / 2.
constexpr index_t pair_count(index_t n) noexcept { return n * (n + 1) / 2; }

/// The place of the pair (p, q) = (q, p), p != q, in the list (1,0) (2,0) (2,1) (3,0) ..
constexpr index_t strict_pair_index(index_t p, index_t q) noexcept {
    const index_t high = std::max(p, q);
    return high * (high - 1) / 2 + std::min(p, q);
}
/// The number of pairs p > q of n orbitals: n (n - 1) / 2.
constexpr index_t strict_pair_count(index_t n) noexcept { return n * (n - 1) / 2; }

struct orbital_pair {
    index_t p = 0;
    index_t q = 0;

    friend bool operator==(const orbital_pair &, const orbital_pair &) = default;
};
/// Goes to the next one of the pairs p >= q, in the order of their places.
constexpr void advance(orbital_pair &pair) noexcept {
    if (++pair.q > pair.p) {
        ++pair.p;
        pair.q = 0;
    }
}
/// The pair at this place: p >= q and pair_index(p, q) == place. O(1).
orbital_pair pair_at(index_t place) noexcept;
/// The pair at this place: p > q and strict_pair_index(p, q) == place. O(1).
orbital_pair strict_pair_at(index_t place) noexcept;

/// Symmetric tensors are stored for p >= q at pair_index(p, q), antisymmetric ones for p > q at
/// strict_pair_index(p, q).
enum class pair_kind : std::uint8_t { symmetric, antisymmetric };

/// Returns P, in which one mode stands for the modes `mode` and `mode` + 1 of X. With the other
/// indices left out,
///     symmetric      P[pq] = X[p,q] + X[q,p]   for p >= q, so that P[pp] = 2 X[p,p]
///     antisymmetric  P[pq] = X[p,q] - X[q,p]   for p > q
/// Throws errc::invalid_argument if X has no such modes, errc::extent_mismatch if their extents
/// differ, errc::overflow and errc::out_of_memory. Reads each element of X at most twice.
tensor<double> pack_pairs(const tensor_view<const double> &x, int mode, pair_kind kind);

/// Adds what pack_pairs() took apart, with the factor 1/2 that makes the two kinds add up to X:
///     symmetric      X[p,q] += P[pq] / 2 and, for p > q, X[q,p] += P[pq] / 2
///     antisymmetric  X[p,q] += P[pq] / 2 and X[q,p] -= P[pq] / 2
/// Throws as pack_pairs(), errc::order_mismatch unless P has one mode less than X, and
/// errc::extent_mismatch unless its extents are those that pack_pairs() makes.
void unpack_pairs(const tensor_view<const double> &packed, int mode, pair_kind kind,
                  const tensor_view<double> &x);

/// A part of a tensor. The element at `position` of the tensor is at `position` - offsets of
/// `elements`.
template <class T> struct placed_block {
    extents_t offsets;
    tensor_view<T> elements;
};

/// Computes a block of two matrices over pairs p >= q and r >= s from X[p,q,r,s] = X[q,p,s,r]:
///     plus[pq,rs]  = X[p,q,r,s] + X[q,p,r,s]
///     minus[pq,rs] = X[p,q,r,s] - X[q,p,r,s]   (0 where p = q or r = s)
/// `half_diagonal`: halves plus where p = q, so that a sum over the pairs p >= q of a product of
/// two such matrices, one of them halved, counts each element once. A product over a pair of two
/// symmetric, or two antisymmetric, matrices takes an eighth of the work of one over all indices,
/// so both together take a quarter.
///
/// plus and minus are blocks at the same place and of the same extents. Unchecked: all three have
/// stride 1 in their first mode, and x holds all that the others are computed from, which is what
/// packed_from() says.
void pack_pair_matrices(const placed_block<const double> &x, const placed_block<double> &plus,
                        const placed_block<double> &minus, bool half_diagonal) noexcept;

/// Adds (plus + minus) / 2 to the elements X[p,q,r,s] of the block x with r >= s, and to the others
/// the value that follows from X[p,q,r,s] = X[q,p,s,r]. Unchecked: plus and minus have stride 1 in
/// their first mode, and hold what unpacked_from() says.
void unpack_pair_matrices(const placed_block<const double> &plus,
                          const placed_block<const double> &minus,
                          const placed_block<double> &x) noexcept;

/// Offsets and extents of a part of a tensor.
struct pair_box {
    extents_t offsets;
    extents_t extents;
};
/// The part of X[p,q,r,s] from which pack_pair_matrices() makes these parts of plus and minus,
/// which are not empty.
pair_box packed_from(const pair_box &of_matrices);
/// The part of plus and minus from which unpack_pair_matrices() makes this part of X[p,q,r,s],
/// which is not empty.
pair_box unpacked_from(const pair_box &of_tensor);

} // namespace chem
} // namespace tenfold

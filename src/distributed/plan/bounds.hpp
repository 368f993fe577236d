// Lower bounds on communication: the words that any algorithm must receive.
#pragma once

#include <optional>

#include <tenfold/types.hpp>

namespace tenfold::dist_impl {

struct communication_bound {
    double words = 0; ///< per rank, beyond what it owns: the larger of the two bounds
    bool memory_dependent = false;
    double independent_words = 0;
    double dependent_words = 0; ///< 0 without a limit of memory

    /// The bounds where a rank holds `held` words more in the mean: what it need not receive.
    communication_bound less_held(double held) const noexcept;
};

/// Returns the larger of two bounds for `batch` independent products m x n x k on `ranks` ranks
/// that share data and work evenly and hold each operand once. The products of a rank lie in as few
/// batches as possible: with more ranks than batches each batch has ranks / batch of them, and with
/// fewer nothing has to be sent.
///
/// Memory-independent bound (Al Daas, Ballard, Grigori, Kumar, Rouse: Tight memory-independent
/// parallel matrix multiplication communication lower bounds, SPAA 2022, theorem 3), for the sorted
/// extents d1 >= d2 >= d3, less the (d1 d2 + d1 d3 + d2 d3) / P words that a rank owns:
///     (d1 d2 + d1 d3) / P + d2 d3          P <= d1 / d2
///     2 sqrt(d1 d2 d3^2 / P) + d1 d2 / P   P <= d1 d2 / d3^2
///     3 (d1 d2 d3 / P)^(2/3)               beyond
///
/// Memory-dependent bound, for S words of memory per rank: 2 m n k / (P sqrt(S)) less what the rank
/// owns (Smith, Lowery, Langou, van de Geijn 2019; Kwasniewski et al., SC 2019, section 4). It is
/// the larger one only if S < 4/9 (m n k / P)^(2/3).
communication_bound lower_bound(index_t batch, index_t m, index_t n, index_t k, int ranks,
                                std::optional<double> memory_words);

} // namespace tenfold::dist_impl

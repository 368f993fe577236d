// Which tensors TTGT moves, and their layouts afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// The order of the groups of a moved tensor, fastest first.
enum class group_order : std::uint8_t {
    plain,    ///< A: m, k; B: k, n; D: m, n
    reversed, ///< A: k, m; B: n, k; D: n, m
    /// A: the first mode of m, k, the rest of m; B likewise with n. The products in the loops over
    /// the rest then find their matrices contiguous. Not for D.
    split,
    /// As plain, but behind the first of the batch modes, which are slowest otherwise: for
    /// interleaved products. Not for D.
    interleaved
};

/// One choice; by tensor: A, B and D.
struct arrangement {
    std::array<bool, 3> move{};
    std::array<group_order, 3> order{};
    /// Everything is multiplied and summed in the problem's type of computation. Tensors of another
    /// type move, and change it on the way. Otherwise moves keep the type.
    bool converts = false;
    /// Nothing is summed and all modes are batch modes, whatever tensors have them
    /// (as_elementwise()). A mode that a moved tensor lacks takes no place in its copy.
    bool elementwise = false;
    /// The tensor from which a group takes the order of its modes.
    einsum_impl::tensor_id order_m = einsum_impl::D;
    einsum_impl::tensor_id order_n = einsum_impl::D;
    einsum_impl::tensor_id order_k = einsum_impl::A;
    einsum_impl::tensor_id order_batch = einsum_impl::D;
};

/// A move of a tensor into or out of workspace: its modes in their new order.
struct relocation {
    einsum_impl::mode_group modes; ///< stride[tensor]: before the move
    extents_t new_stride;
    einsum_impl::mode_group summed; ///< modes of one input only, summed during the move
    index_t elements = 1;           ///< size after the move, gaps included
    neighbours near;
};

struct arranged_problem {
    matrix_problem matrices; ///< with the strides after all moves, fused
    std::array<relocation, 3> moves;
    bool in_vector_loops = false; ///< these multiply, not GEMM
};

/// An element-wise product as a problem whose modes are batch modes all: m and n modes, too, with
/// stride 0 in the tensor that lacks them, so that a copy may have any order. Empty if something is
/// summed or there is one input.
std::optional<einsum_impl::contraction_problem>
as_elementwise(const einsum_impl::contraction_problem &problem);

/// Whether it is one already.
bool is_elementwise(const einsum_impl::contraction_problem &problem) noexcept;

/// Elements that a tensor has along the batch modes. A mode that it lacks, of stride 0, repeats
/// them.
double batch_elements(const einsum_impl::contraction_problem &problem, std::size_t tensor) noexcept;

/// Elements that are read to move a tensor: its own, and those along labels that are summed during
/// the move.
double moved_elements(const einsum_impl::contraction_problem &problem,
                      einsum_impl::tensor_id tensor) noexcept;

/// Enumerates and applies the arrangements of one problem; copies what it needs of it.
class arranger {
public:
    explicit arranger(const einsum_impl::contraction_problem &problem);

    /// All arrangements worth pricing, grouped by the tensors that they move: every group of a
    /// moved tensor takes its order from one of the tensors that have it. Equal orders are listed
    /// once.
    std::vector<arrangement> choices() const;

    /// The problem after the moves. `result.moves` is only valid for tensors that move. Reuses the
    /// memory of `result`.
    void arrange(const arrangement &choice, arranged_problem &result) const;
    arranged_problem arrange(const arrangement &choice) const {
        arranged_problem result;
        arrange(choice, result);
        return result;
    }

private:
    /// A group in the order of its modes in A, B or D; empty for tensors that lack it.
    using orders = std::array<einsum_impl::mode_group, einsum_impl::tensor_count>;

    orders batch_, m_, n_, k_;
    einsum_impl::mode_group isolated_a_, isolated_b_;
    /// Whether labels of one input only are summed while that one moves.
    bool sums_on_the_way(einsum_impl::tensor_id tensor, bool converts) const noexcept;

    std::array<data_type, einsum_impl::tensor_count> type_;
    data_type computed_;
    bool conjugate_a_, conjugate_b_;
    bool unary_, as_stored_, elementwise_;
};

/// True for types in which labels of one input only are summed while it moves. Others are summed in
/// the wider type of D, by the product.
bool sums_while_moving(data_type type) noexcept;

} // namespace tenfold::contract_impl

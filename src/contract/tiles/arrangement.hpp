// Which tensors TTGT moves and how they lie afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "einsum/problem/problem.hpp"

namespace tenfold::contract_impl {

/// How the groups of a moved tensor follow each other, fastest first.
enum class group_order : std::uint8_t {
    plain,    ///< A: m, k; B: k, n; D: m, n
    reversed, ///< A: k, m; B: n, k; D: n, m
    /// A: the first mode of m, k, the rest of m; B likewise with n: each of the products that the
    /// rest is looped over finds its matrix in one piece. Not for D.
    split
};

/// One choice; by tensor: A, B and D.
struct arrangement {
    std::array<bool, 3> move{};
    std::array<group_order, 3> order{};
    /// The tensor whose order of modes a group takes.
    einsum_impl::tensor_id order_m = einsum_impl::D;
    einsum_impl::tensor_id order_n = einsum_impl::D;
    einsum_impl::tensor_id order_k = einsum_impl::A;
    einsum_impl::tensor_id order_batch = einsum_impl::D;
};

/// A tensor's way into or out of workspace: its modes in their new order.
struct relocation {
    einsum_impl::mode_group modes; ///< stride[tensor]: where it lies; new_stride below
    extents_t new_stride;
    einsum_impl::mode_group summed; ///< modes that vanish on the way (labels of one input only)
    index_t elements = 1;           ///< that it takes after the move, gaps included
    neighbours near;
};

struct arranged_problem {
    matrix_problem matrices; ///< with the strides after all moves, fused
    std::array<relocation, 3> moves;
};

/// All arrangements of one problem, which is copied as far as they need it.
class arranger {
public:
    explicit arranger(const einsum_impl::contraction_problem &problem);

    /// All choices worth pricing, those that move the same tensors in a row: those in which every
    /// group that a moved tensor carries takes the order of one of its tensors. What other tensors
    /// would order alike is there once.
    std::vector<arrangement> choices() const;

    /// The problem after the moves. Of tensors that do not move, `result.moves` says nothing; its
    /// memory is used again.
    void arrange(const arrangement &choice, arranged_problem &result) const;
    arranged_problem arrange(const arrangement &choice) const {
        arranged_problem result;
        arrange(choice, result);
        return result;
    }

private:
    /// A group as its modes lie in A, B or D; empty for tensors that do not carry it.
    using orders = std::array<einsum_impl::mode_group, einsum_impl::tensor_count>;

    orders batch_, m_, n_, k_;
    einsum_impl::mode_group isolated_a_, isolated_b_;
    data_type type_a_, type_d_;
    bool conjugate_a_, conjugate_b_;
    bool unary_;
};

/// True for types that GEMM multiplies as they are.
bool multiplies_natively(data_type type) noexcept;

} // namespace tenfold::contract_impl

// A binary contraction with its labels sorted into groups: what all algorithms start from.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/operand.hpp>

namespace tenfold::einsum_impl {

/// Which tensor a stride belongs to; indexes problem_mode::stride.
enum tensor_id : std::size_t { A = 0, B = 1, C = 2, D = 3 };
constexpr std::size_t tensor_count = 4;
/// 'A', 'B', 'C', 'D'.
char letter(tensor_id tensor) noexcept;

/// One loop of the contraction: a label, or several fused into a super-index. A tensor that does
/// not carry the label has stride 0.
struct problem_mode {
    index_t extent;
    std::array<index_t, tensor_count> stride;
    std::string label; ///< "a", or "abc" when fused
};

/// Where a label occurs decides its group (docs/semantics.md).
struct contraction_problem {
    std::vector<problem_mode> batch;      ///< A, B and D
    std::vector<problem_mode> m;          ///< free_a: A and D
    std::vector<problem_mode> n;          ///< free_b: B and D
    std::vector<problem_mode> k;          ///< contracted: A and B
    std::vector<problem_mode> isolated_a; ///< A only: summed
    std::vector<problem_mode> isolated_b; ///< B only: summed

    std::array<data_type, tensor_count> type;
    std::array<bool, tensor_count> conjugate{};
    std::array<layout, tensor_count> shape; ///< as given, for overlap checks
    bool unary = false;                     ///< B is the constant 1
    bool same_c_and_d = false;              ///< C and D have one layout and type: may be one tensor

    index_t size_of(std::span<const problem_mode> group) const noexcept;
};

/// Sorts the labels of `spec` (one or two inputs) into groups. Repeated labels within an operand
/// become one mode along its diagonal. Modes of extent 1 are dropped; modes of one group that are
/// adjacent in every tensor that carries them are fused; a group with extent 0 keeps one mode of
/// extent 0. Within a group modes stand in the order of |stride| in D (batch, m, n), A (k,
/// isolated_a) or B (isolated_b).
///
/// Throws errc::order_mismatch, extent_mismatch, unknown_label, repeated_label (in the output,
/// unless `diagonal_output`), type_mismatch, overlap (D with itself), overflow (products of a
/// group's extents). Pointers are not looked at.
contraction_problem make_problem(const contraction_spec &spec, std::span<const input> inputs,
                                 const input &c, const output &d, bool diagonal_output);

} // namespace tenfold::einsum_impl

// A binary contraction with its labels sorted into groups: what all algorithms start from.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/operand.hpp>

#include "einsum/problem/checks.hpp"
#include "einsum/problem/label_class.hpp"

namespace tenfold::einsum_impl {

/// The tensors of a contraction, everywhere: what is indexed by tensor has four elements, or three
/// where C has none of its own.
enum tensor_id : std::size_t { A = 0, B = 1, D = 2, C = 3 };
constexpr std::size_t tensor_count = 4;
inline constexpr std::array all_but_c{A, B, D};

constexpr char letter(tensor_id tensor) noexcept { return "ABDC"[tensor]; }

/// One loop of the contraction: a label, or several fused into a super-index. A tensor that does
/// not carry the label has stride 0.
struct problem_mode {
    index_t extent;
    std::array<index_t, tensor_count> stride;
    std::string label; ///< "a", or "abc" when fused, fastest first
};
using mode_group = std::vector<problem_mode>;

/// Product of the extents; 1 for an empty group.
index_t extent_of(const mode_group &group) noexcept;

/// The modes' labels, one after the other.
std::string labels_of(const mode_group &group);

/// Orders the modes by |stride| in `tensor`, equal ones as they were.
void sort_by_stride(mode_group &group, tensor_id tensor);

/// Fuses modes of a group that follow each other without a gap in every tensor of `tensors`; the
/// strides of other tensors are lost. O(n^3) for n modes. The order of what remains is kept.
mode_group fuse(mode_group group, std::span<const tensor_id> tensors);

/// The labels by their classes.
struct contraction_problem {
    mode_group batch, m, n, k;
    mode_group isolated_a, isolated_b;

    std::array<data_type, tensor_count> type{};
    std::array<bool, tensor_count> conjugate{};
    std::array<layout, tensor_count> shape;   ///< as given
    std::array<layout, tensor_count> touched; ///< what is read or written: one mode per label
    bool unary = false;                       ///< B is the constant 1, of order 0
    bool same_c_and_d = false; ///< C's elements lie as D's: the two may be one tensor

    /// D has no element.
    bool empty_output() const noexcept;
    /// Some summed label has extent 0: the product is 0.
    bool empty_sum() const noexcept;
};

/// Sorts the labels of `spec` (one or two inputs) into groups. Repeated labels within an operand
/// become one mode along its diagonal. Modes of extent 1 are dropped; modes of one group that are
/// adjacent in all tensors that carry them are fused. Within a group modes stand in the order of
/// |stride| in D (batch, m, n), A (k, isolated_a) or B (isolated_b).
///
/// Throws errc::invalid_argument (a label without a name), unsupported (more than max_modes modes),
/// order_mismatch, extent_mismatch, unknown_label, repeated_label (in the output, unless
/// `diagonal_output`), type_mismatch, overlap (D with itself), overflow (products of a group's
/// extents, byte positions). Pointers are not looked at.
contraction_problem make_problem(const contraction_spec &spec, std::span<const input> inputs,
                                 const input &c, const output &d, bool diagonal_output);

} // namespace tenfold::einsum_impl

// A contraction of one or two inputs, with its labels sorted into groups; the input of all
// algorithms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/operand.hpp>

#include "einsum/problem/checks.hpp"

namespace tenfold::einsum_impl {

/// The tensors of a contraction, everywhere: what is indexed by tensor has four elements, or three
/// where C has none of its own.
enum tensor_id : std::size_t { A = 0, B = 1, D = 2, C = 3 };
constexpr std::size_t tensor_count = 4;
inline constexpr std::array all_but_c{A, B, D};

constexpr char letter(tensor_id tensor) noexcept { return "ABDC"[tensor]; }

/// Which loop of a contraction a label is.
enum class label_class : std::uint8_t {
    batch,      ///< in A, B and D
    m,          ///< free_a: in A and D
    n,          ///< free_b: in B and D
    k,          ///< contracted: in A and B
    isolated_a, ///< in A only: summed
    isolated_b  ///< in B only: summed
};

/// The classes of a matrix product's loops; labels of the others are summed before it.
inline constexpr std::array product_classes{label_class::batch, label_class::m, label_class::n,
                                            label_class::k};

/// Where a label stands decides (docs/semantics.md). It stands in A or in B.
constexpr label_class class_of(bool in_a, bool in_b, bool in_d) noexcept {
    if (in_a && in_b)
        return in_d ? label_class::batch : label_class::k;
    if (in_a)
        return in_d ? label_class::m : label_class::isolated_a;
    return in_d ? label_class::n : label_class::isolated_b;
}

/// One loop of the contraction: a label, or several that are fused into a super-index. The stride
/// is 0 in a tensor that lacks the label.
struct problem_mode {
    index_t extent;
    std::array<index_t, tensor_count> stride;
    std::string label; ///< "a", or "abc" when fused, fastest first
};
using mode_group = std::vector<problem_mode>;

/// Product of the extents; 1 for an empty group.
index_t extent_of(const mode_group &group) noexcept;

/// The modes' labels, concatenated.
std::string labels_of(const mode_group &group);

/// Sorts the modes by |stride| in `tensor`, stably.
void sort_by_stride(mode_group &group, tensor_id tensor);

/// Fuses modes of a group that are adjacent in every tensor of `tensors`; the strides in other
/// tensors become invalid. The order of the remaining modes is kept. O(n^3) for n modes.
mode_group fuse(mode_group group, std::span<const tensor_id> tensors);

/// The labels by their classes.
struct contraction_problem {
    mode_group batch, m, n, k;
    mode_group isolated_a, isolated_b;

    std::array<data_type, tensor_count> type{};
    /// In which products are multiplied and summed; D's type, or a wider one from which D is
    /// rounded.
    data_type computed{};
    std::array<bool, tensor_count> conjugate{};
    std::array<layout, tensor_count> shape;   ///< as passed by the caller
    std::array<layout, tensor_count> touched; ///< elements in use: one mode per label
    bool unary = false;                       ///< B is the constant 1, of order 0
    bool same_c_and_d = false; ///< C's elements are placed like D's, so that both may be one tensor

    /// True if A and B are multiplied as they are stored; else at least one of them is converted to
    /// the type of the sums on the way.
    bool multiplies_as_stored() const noexcept {
        const data_type a = type[A];
        return unary ? a == computed : a == type[B] && output_type_of(a) == computed;
    }
    /// True if sums are of another type than D, which they are rounded to on their way into D.
    bool rounds_d() const noexcept { return computed != type[D]; }

    /// True if D has no element.
    bool empty_output() const noexcept;
    /// True if some summed label has extent 0, so that the product is 0.
    bool empty_sum() const noexcept;
};

/// Bytes that the objects allocated, about (base/footprint.hpp).
std::size_t allocated_by(const mode_group &group) noexcept;
std::size_t allocated_by(const contraction_problem &problem) noexcept;

/// Sorts the labels of `spec` (one or two inputs) into groups. Repeated labels of an operand become
/// one mode along its diagonal. Modes of extent 1 are dropped, and modes of a group are fused if
/// they are adjacent in all tensors that have them. The modes of a group are sorted by |stride| in
/// D (batch, m, n), A (k, isolated_a) or B (isolated_b).
///
/// Throws errc::invalid_argument (a label without a name), unsupported (more than max_modes modes),
/// order_mismatch, extent_mismatch, unknown_label, repeated_label (in the output, unless
/// `diagonal_output`), type_mismatch, overlap (D with itself), overflow (products of a group's
/// extents, byte positions). Pointers are ignored. `computed`: empty for type_of_sums().
contraction_problem make_problem(const contraction_spec &spec, std::span<const input> inputs,
                                 const input &c, const output &d, bool diagonal_output,
                                 std::optional<data_type> computed = std::nullopt);

} // namespace tenfold::einsum_impl

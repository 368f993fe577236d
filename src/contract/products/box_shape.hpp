// Boxes of an element-wise product: how large they are, and how each of them is computed.
#pragma once

#include <array>
#include <vector>

#include "contract/choose/cost_model.hpp"
#include "contract/choose/matrix_problem.hpp"
#include "transpose/kernels/box_abi.hpp"

namespace tenfold::contract_impl {

/// The most modes, after those that can be walked as one are fused.
inline constexpr std::size_t most_box_modes = transpose_impl::most_box_dimensions;
/// The most bytes of a box of one tensor, of which two are buffered.
inline constexpr index_t most_box_bytes = 32768;

/// The modes of D, closest first, and the largest extents of a box along them.
struct box_modes {
    einsum_impl::mode_group modes;
    extents_t blocks;
    std::array<bool, most_box_modes> ragged{}; ///< the last box is shorter

    index_t count_along(std::size_t mode) const noexcept; ///< boxes
    double count() const noexcept;                        ///< of all boxes
    /// Boxes differ by which ragged modes they are the last of: a bit for each, in order.
    unsigned kinds() const noexcept;
    /// The extents of the boxes of a kind.
    extents_t extents_of(unsigned kind) const;
    /// Makes blocks smaller until buffers hold them and few are ragged, and says which are.
    void fit_buffers(index_t element);
};

/// Without blocks. Empty modes: the problem sums, D has no adjacent elements, there are too many
/// modes, or elements are complex: on a Zen 4 boxes of those, which vector kernels do not write
/// past the caches, took 1.3 to 2.7 times the seconds that their bytes should take.
box_modes modes_of_boxes(const matrix_problem &problem);

/// With blocks that hold whole lines of every tensor.
box_modes choose_boxes(const matrix_problem &problem);

/// Bytes of the lines of a tensor that all boxes touch together. Lines that are written in part are
/// read first: those of D count twice.
double bytes_of_lines(const box_modes &boxes, einsum_impl::tensor_id t, index_t element);

/// Runs of a tensor in all boxes that touch each part of it once, but for those near the run
/// before.
double far_runs_of(const box_modes &boxes, einsum_impl::tensor_id t, const cost_model &model);

/// How an input's part of a box is read. Distances are in bytes.
struct box_input {
    /// Not in D's order: copied into it.
    bool copied = false;
    index_t step = 1; ///< between elements of a run of D, if not copied: 0 or 1
    index_t p = 1, q = 1;
    bool adjacent = false; ///< p elements follow each other in both
    std::vector<index_t> p_from, q_to;
    std::vector<transpose_impl::box_dimension> dimensions;
    std::vector<index_t> lines; ///< that the box touches, in bytes from its beginning
};

/// A loop over the runs of D in a box; strides in elements, of copied inputs those of the copy.
struct box_loop {
    index_t extent;
    std::array<index_t, 3> stride; ///< A, B, D
};

/// The boxes of one kind.
struct box_kind {
    index_t run = 1; ///< adjacent elements of D
    std::array<box_input, 2> inputs;
    std::vector<box_loop> loops;
    std::vector<index_t> lines; ///< of D
};

/// Without lines.
box_kind make_box_kind(const box_modes &boxes, const extents_t &extents, index_t element);

void list_lines(const box_modes &boxes, const extents_t &extents, index_t element, box_kind &kind);

} // namespace tenfold::contract_impl

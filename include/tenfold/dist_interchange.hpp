// Tensors of programs with distributions of their own: boxes on each rank, and matrices as
// ScaLAPACK distributes them. Link tenfold::dist.
//
// All functions here are collective and checked as those of dist.hpp are: if one rank passes
// something wrong, all ranks throw before anything is written.
#pragma once

#include <span>
#include <type_traits>

#include <tenfold/dist.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Elements that this rank holds of a tensor: where they are in it, and a view of the same extents
/// and any strides.
template <class T> struct dist_box {
    slice where;
    tensor_view<T> elements;
};

/// Collective. Sets the elements in the boxes that ranks hold; each rank passes its own boxes, in
/// any number. Elements in no box keep their values. Ranks send each other what the other one owns,
/// and need memory for what they send and receive. Throws errc::order_mismatch and
/// errc::extent_mismatch for boxes that do not fit the tensor or their view, errc::null_pointer,
/// and errc::overlap if an element is in two boxes.
template <class T> [[gnu::visibility("default")]] void
import_boxes(std::span<const dist_box<const std::type_identity_t<T>>> boxes, dist_tensor<T> &to);

/// Collective. The reverse: fills the boxes from the tensor. Boxes may have elements in common.
/// Throws as import_boxes(), errc::overlap if a view overlaps itself.
template <class T> [[gnu::visibility("default")]] void
export_boxes(const dist_tensor<T> &from, std::span<const dist_box<std::type_identity_t<T>>> boxes);

/// This rank in a grid of processes, as BLACS_GRIDINFO tells it. A rank outside the grid has row
/// and column -1.
struct process_grid {
    int rows = 1;
    int columns = 1;
    int row = 0;
    int column = 0;
};

/// A matrix as ScaLAPACK distributes it: blocks of row_block x column_block elements are dealt to a
/// grid of processes in turn, by rows and by columns. A process stores its blocks as one
/// column-major matrix.
struct block_cyclic {
    index_t rows, columns;           ///< M_, N_
    index_t row_block, column_block; ///< MB_, NB_
    int first_row, first_column;     ///< RSRC_, CSRC_: the process with the first block
    index_t leading;                 ///< LLD_, of this process; it may differ between processes
    process_grid grid;

    /// From ScaLAPACK's descriptor of a dense matrix (DTYPE_ 1). The BLACS context in it is not
    /// used: `grid` is what BLACS_GRIDINFO returns for it. A rank outside the grid passes the
    /// others' descriptor, too. Throws errc::invalid_argument for another DTYPE_.
    static block_cyclic from_descriptor(std::span<const int, 9> descriptor,
                                        const process_grid &grid);

    /// The rows and columns that this process stores, as NUMROC counts them; 0 outside the grid,
    /// and for blocks and grids below 1.
    index_t local_rows() const noexcept;
    index_t local_columns() const noexcept;
};

/// Collective. Sets a matrix (a tensor of order 2) from `local`, this process's part. Ranks may be
/// at any place of the process grid; one outside passes any pointer. Throws errc::order_mismatch,
/// errc::extent_mismatch for a matrix of another size, errc::invalid_argument for blocks below 1,
/// places outside the grid and a leading dimension below local_rows(), errc::overlap if two ranks
/// are at one place, errc::invalid_argument if no rank is at a place that has elements, and
/// errc::null_pointer.
template <class T>
[[gnu::visibility("default")]] void import_block_cyclic(const block_cyclic &where,
                                                        const std::type_identity_t<T> *local,
                                                        dist_tensor<T> &to);
/// Collective. The reverse. Throws as import_block_cyclic(); places may have several ranks or none.
template <class T>
[[gnu::visibility("default")]] void export_block_cyclic(const dist_tensor<T> &from,
                                                        const block_cyclic &where,
                                                        std::type_identity_t<T> *local);

} // namespace tenfold

// Tensors of programs with distributions of their own: boxes on each rank, and matrices as
// ScaLAPACK distributes them.
//
// If one rank passes something wrong, all ranks fail before anything is written.
#ifndef TENFOLD_C_DISTRIBUTED_INTERCHANGE_H
#define TENFOLD_C_DISTRIBUTED_INTERCHANGE_H

#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// Elements that a rank holds of a tensor. This struct keeps its form.
typedef struct tenfold_dist_box {
    const int64_t *offsets; ///< where they begin in the tensor, one for each mode; NULL: zeros
    /// The tensor's type and order, the box's extents, and the strides of `data`; not conjugated.
    tenfold_tensor elements;
    void *data; ///< is only read where boxes are imported
} tenfold_dist_box;

/// Collective. Sets the elements in the boxes that ranks hold; each rank passes its own boxes, in
/// any number. Elements in no box keep their values. Ranks send each other what the other one owns,
/// and need memory for what they send and receive. Codes: TENFOLD_TYPE_MISMATCH, ORDER_MISMATCH,
/// EXTENT_MISMATCH (a box that passes the end), NULL_POINTER, OVERLAP (an element is in two boxes),
/// INVALID_ARGUMENT, OUT_OF_MEMORY, DISAGREEMENT.
tenfold_error tenfold_dist_import_boxes(tenfold_dist_tensor *tensor, const tenfold_dist_box *boxes,
                                        int64_t count);
/// Collective. The reverse: fills the boxes from the tensor. Boxes may have elements in common.
/// Codes likewise; TENFOLD_OVERLAP: an array overlaps itself.
tenfold_error tenfold_dist_export_boxes(const tenfold_dist_tensor *tensor,
                                        const tenfold_dist_box *boxes, int64_t count);

/// A rank in a grid of processes, as BLACS_GRIDINFO tells it. A rank outside the grid has row and
/// column -1. This struct keeps its form.
typedef struct tenfold_process_grid {
    int32_t rows;
    int32_t columns;
    int32_t row;
    int32_t column;
} tenfold_process_grid;

/// A matrix as ScaLAPACK distributes it: blocks of row_block x column_block elements are dealt to a
/// grid of processes in turn, by rows and by columns. A process stores its blocks as one
/// column-major matrix. This struct keeps its form.
typedef struct tenfold_block_cyclic {
    int64_t rows;         ///< M_
    int64_t columns;      ///< N_
    int64_t row_block;    ///< MB_
    int64_t column_block; ///< NB_
    int32_t first_row;    ///< RSRC_: the process row with the first block
    int32_t first_column; ///< CSRC_
    int64_t leading;      ///< LLD_, of this process; it may differ between processes
    tenfold_process_grid grid;
} tenfold_block_cyclic;

/// Local. From ScaLAPACK's descriptor of a dense matrix (DTYPE_ 1), which has nine numbers. The
/// BLACS context in it is not used: `grid` is what BLACS_GRIDINFO returns for it. A rank outside
/// the grid passes the others' descriptor, too. TENFOLD_INVALID_ARGUMENT for another DTYPE_.
tenfold_error tenfold_block_cyclic_from_descriptor(const int32_t *descriptor,
                                                   const tenfold_process_grid *grid,
                                                   tenfold_block_cyclic *matrix);
/// Local. The rows and columns that this process stores, as NUMROC counts them: 0 outside the grid,
/// and for blocks and grids below 1.
tenfold_error tenfold_block_cyclic_local(const tenfold_block_cyclic *matrix, int64_t *rows,
                                         int64_t *columns);

/// Collective. Sets a matrix (a tensor of order 2) from `local`, this process's part. Ranks may be
/// at any place of the process grid; one outside passes any pointer. Codes:
/// TENFOLD_ORDER_MISMATCH, EXTENT_MISMATCH (a matrix of another size), INVALID_ARGUMENT (blocks
/// below 1, places outside the grid, a leading dimension below the number of local rows, no rank at
/// a place that has elements), OVERLAP (two ranks at one place), NULL_POINTER, OUT_OF_MEMORY,
/// DISAGREEMENT.
tenfold_error tenfold_dist_import_block_cyclic(tenfold_dist_tensor *tensor,
                                               const tenfold_block_cyclic *matrix,
                                               const void *local);
/// Collective. The reverse. Codes likewise; places may have several ranks or none.
tenfold_error tenfold_dist_export_block_cyclic(const tenfold_dist_tensor *tensor,
                                               const tenfold_block_cyclic *matrix, void *local);

TENFOLD_END_C

#endif

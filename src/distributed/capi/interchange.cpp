// Boxes of programs with distributions of their own, and ScaLAPACK's matrices.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_interchange.hpp>

#include "distributed/capi/arrays.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_box;
using tenfold::dist_tensor;

template <class T> std::vector<dist_box<T>>
boxes_of(const tenfold_dist_tensor &tensor, const tenfold_dist_box *boxes, std::int64_t count) {
    require_count(count, boxes, "boxes");
    std::vector<dist_box<T>> own;
    own.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string name = "box " + std::to_string(i + 1);
        transfer<void> one =
            transfer_of(tensor, boxes[i].offsets, &boxes[i].elements, boxes[i].data, {name, name});
        tenfold::tensor_view<T> elements(static_cast<T *>(one.data), std::move(one.shape));
        own.push_back({std::move(one.where), std::move(elements)});
    }
    return own;
}

tenfold::process_grid grid_from(const tenfold_process_grid &given) noexcept {
    return {given.rows, given.columns, given.row, given.column};
}

tenfold::block_cyclic matrix_from(const tenfold_block_cyclic &given) noexcept {
    return {.rows = given.rows,
            .columns = given.columns,
            .row_block = given.row_block,
            .column_block = given.column_block,
            .first_row = given.first_row,
            .first_column = given.first_column,
            .leading = given.leading,
            .grid = grid_from(given.grid)};
}

/// Makes a collective call with a block-cyclic matrix: work(dist_tensor<T>, matrix).
template <class Handle, class Work> tenfold_error
on_matrix(Handle *tensor, const tenfold_block_cyclic *matrix, const Work &work) noexcept {
    return collective_on(
        tensor, "tensor",
        [&](auto &) {
            require(matrix, "matrix");
            return matrix_from(*matrix);
        },
        work);
}

} // namespace

tenfold_error tenfold_dist_import_boxes(tenfold_dist_tensor *tensor, const tenfold_dist_box *boxes,
                                        int64_t count) {
    return collective_on(
        tensor, "tensor",
        [&]<class T>(dist_tensor<T> &) { return boxes_of<const T>(*tensor, boxes, count); },
        []<class T>(dist_tensor<T> &own, const std::vector<dist_box<const T>> &mine) {
            tenfold::import_boxes(std::span<const dist_box<const T>>(mine), own);
        });
}

tenfold_error tenfold_dist_export_boxes(const tenfold_dist_tensor *tensor,
                                        const tenfold_dist_box *boxes, int64_t count) {
    return collective_on(
        tensor, "tensor",
        [&]<class T>(const dist_tensor<T> &) { return boxes_of<T>(*tensor, boxes, count); },
        []<class T>(const dist_tensor<T> &own, const std::vector<dist_box<T>> &mine) {
            tenfold::export_boxes(own, std::span<const dist_box<T>>(mine));
        });
}

tenfold_error tenfold_block_cyclic_from_descriptor(const int32_t *descriptor,
                                                   const tenfold_process_grid *grid,
                                                   tenfold_block_cyclic *matrix) {
    return guarded([&] {
        require(descriptor, "descriptor");
        require(grid, "grid");
        require(matrix, "matrix");
        const auto own = tenfold::block_cyclic::from_descriptor(
            std::span<const int, 9>(descriptor, 9), grid_from(*grid));
        *matrix = {.rows = own.rows,
                   .columns = own.columns,
                   .row_block = own.row_block,
                   .column_block = own.column_block,
                   .first_row = own.first_row,
                   .first_column = own.first_column,
                   .leading = own.leading,
                   .grid = *grid};
    });
}

tenfold_error tenfold_block_cyclic_local(const tenfold_block_cyclic *matrix, int64_t *rows,
                                         int64_t *columns) {
    return guarded([&] {
        require(matrix, "matrix");
        require(rows, "rows");
        require(columns, "columns");
        const tenfold::block_cyclic own = matrix_from(*matrix);
        *rows = own.local_rows();
        *columns = own.local_columns();
    });
}

tenfold_error tenfold_dist_import_block_cyclic(tenfold_dist_tensor *tensor,
                                               const tenfold_block_cyclic *matrix,
                                               const void *local) {
    return on_matrix(tensor, matrix,
                     [&]<class T>(dist_tensor<T> &own, const tenfold::block_cyclic &where) {
                         tenfold::import_block_cyclic(where, static_cast<const T *>(local), own);
                     });
}

tenfold_error tenfold_dist_export_block_cyclic(const tenfold_dist_tensor *tensor,
                                               const tenfold_block_cyclic *matrix, void *local) {
    return on_matrix(tensor, matrix,
                     [&]<class T>(const dist_tensor<T> &own, const tenfold::block_cyclic &where) {
                         tenfold::export_block_cyclic(own, where, static_cast<T *>(local));
                     });
}

#include "interchange.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/dist_interchange.hpp>
#include <tenfold/dist_operations.hpp>

#include "core/arrays.hpp"

namespace tenfold::python {
namespace {

/// All numbers of an array, one after the other. Python has made it one of this type.
template <class T> std::span<T> numbers_of(const py::object &array, int numpy_type) {
    if (!PyArray_Check(array.ptr()) || PyArray_TYPE(as_array(array)) != numpy_type ||
        !PyArray_IS_C_CONTIGUOUS(as_array(array)))
        throw py::type_error("the array is not contiguous, or of another type");
    return {static_cast<T *>(PyArray_DATA(as_array(array))),
            static_cast<std::size_t>(PyArray_SIZE(as_array(array)))};
}
std::span<const index_t> positions_of(const py::object &array) {
    return numbers_of<const index_t>(array, NPY_INTP);
}

/// What happens to elements by lists: work(dist_tensor<T>, positions, values).
template <class Tensor, class Work> void on_elements(Tensor &tensor, const py::object &positions,
                                                     const py::object &values, const Work &work) {
    std::visit(
        [&]<class One>(One &one) {
            using T = std::remove_cvref_t<decltype(*one.data())>;
            const auto at = positions_of(positions);
            const auto numbers = numbers_of<T>(values, numpy_number(data_type_of<T>));
            const py::gil_scoped_release unlocked;
            work(one, at, numbers);
        },
        tensor.any);
}

void read_list(const tensor_object &from, const py::object &positions, const py::object &values) {
    on_elements(from, positions, values, [](const auto &one, const auto &at, const auto &to) {
        read_elements(one, at, to);
    });
}
void write_list(tensor_object &to, const py::object &positions, const py::object &values) {
    on_elements(to, positions, values,
                [](auto &one, const auto &at, const auto &from) { write_elements(one, at, from); });
}
void add_list(tensor_object &to, const py::object &positions, const py::object &values) {
    on_elements(to, positions, values,
                [](auto &one, const auto &at, const auto &from) { add_elements(one, at, from); });
}

/// Offsets in the tensor, and an array.
using array_boxes = std::vector<std::pair<extents_t, py::object>>;

template <class T, class Element> std::vector<dist_box<T>> boxes_of(const array_boxes &given) {
    std::vector<dist_box<T>> boxes;
    for (const auto &[offsets, array] : given) {
        const tensor_view<Element> elements = view_of<Element>(array);
        boxes.push_back({slice{offsets, elements.shape().extents()}, elements});
    }
    return boxes;
}

void import_arrays(tensor_object &to, const array_boxes &given) {
    std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            const std::vector<dist_box<const T>> boxes = boxes_of<const T, T>(given);
            const py::gil_scoped_release unlocked;
            import_boxes(std::span<const dist_box<const T>>(boxes), one);
        },
        to.any);
}

void export_arrays(const tensor_object &from, const array_boxes &given) {
    std::visit(
        [&]<class T>(const dist_tensor<T> &one) {
            const std::vector<dist_box<T>> boxes = boxes_of<T, T>(given);
            const py::gil_scoped_release unlocked;
            export_boxes(one, std::span<const dist_box<T>>(boxes));
        },
        from.any);
}

/// The matrix with this array as its local part, which is dense in Fortran order.
block_cyclic stored_densely(block_cyclic matrix) {
    matrix.leading = std::max<index_t>(1, matrix.local_rows());
    return matrix;
}

void import_matrix(tensor_object &to, const block_cyclic &matrix, const py::object &local) {
    std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            const T *const elements = view_of<T>(local).data();
            const py::gil_scoped_release unlocked;
            import_block_cyclic(stored_densely(matrix), elements, one);
        },
        to.any);
}

void export_matrix(const tensor_object &from, const block_cyclic &matrix, const py::object &local) {
    std::visit(
        [&]<class T>(const dist_tensor<T> &one) {
            T *const elements = view_of<T>(local).data();
            const py::gil_scoped_release unlocked;
            export_block_cyclic(one, stored_densely(matrix), elements);
        },
        from.any);
}

using two_extents = std::array<index_t, 2>;
using two_numbers = std::array<int, 2>;

process_grid grid_from(const two_numbers &grid, const two_numbers &place) {
    return {.rows = grid[0], .columns = grid[1], .row = place[0], .column = place[1]};
}

block_cyclic make_matrix(const two_extents &shape, const two_extents &blocks,
                         const two_numbers &grid, const two_numbers &place,
                         const two_numbers &first) {
    return {.rows = shape[0],
            .columns = shape[1],
            .row_block = blocks[0],
            .column_block = blocks[1],
            .first_row = first[0],
            .first_column = first[1],
            .leading = 0,
            .grid = grid_from(grid, place)};
}

block_cyclic from_descriptor(const std::array<int, 9> &descriptor, const two_numbers &grid,
                             const two_numbers &place) {
    return block_cyclic::from_descriptor(std::span<const int, 9>(descriptor),
                                         grid_from(grid, place));
}

void define_block_cyclic(py::module_ &module) {
    const auto pair = [](auto first, auto second) { return py::make_tuple(first, second); };
    py::class_<block_cyclic>(
        module, "BlockCyclic",
        "A matrix as ScaLAPACK distributes it: BlockCyclic(shape, blocks, grid, place, "
        "first=(0, 0)).\n"
        "Blocks of blocks[0] x blocks[1] elements are dealt to a grid of grid[0] x grid[1] "
        "processes in turn,\n"
        "the first one to the process `first`. This rank is the process `place`, (-1, -1) outside "
        "of the grid.")
        .def(py::init(&make_matrix), py::arg("shape"), py::arg("blocks"), py::arg("grid"),
             py::arg("place"), py::arg("first") = two_numbers{0, 0})
        .def_static("from_descriptor", &from_descriptor, py::arg("descriptor"), py::arg("grid"),
                    py::arg("place"),
                    "From ScaLAPACK's descriptor of a dense matrix: nine numbers. BLACS_GRIDINFO "
                    "returns grid and place.")
        .def_property_readonly(
            "shape", [pair](const block_cyclic &one) { return pair(one.rows, one.columns); })
        .def_property_readonly(
            "blocks",
            [pair](const block_cyclic &one) { return pair(one.row_block, one.column_block); })
        .def_property_readonly(
            "grid",
            [pair](const block_cyclic &one) { return pair(one.grid.rows, one.grid.columns); })
        .def_property_readonly(
            "place",
            [pair](const block_cyclic &one) { return pair(one.grid.row, one.grid.column); })
        .def_property_readonly(
            "first",
            [pair](const block_cyclic &one) { return pair(one.first_row, one.first_column); })
        .def_property_readonly(
            "local_shape",
            [pair](const block_cyclic &one) { return pair(one.local_rows(), one.local_columns()); },
            "Of the part that this process stores, as NUMROC counts it.");
}

} // namespace

void define_interchange(py::module_ &module, py::class_<tensor_object> &tensor) {
    tensor.def("read_elements", &read_list)
        .def("write_elements", &write_list)
        .def("add_elements", &add_list)
        .def("import_boxes", &import_arrays)
        .def("export_boxes", &export_arrays)
        .def("import_block_cyclic", &import_matrix)
        .def("export_block_cyclic", &export_matrix);
    define_block_cyclic(module);
}

} // namespace tenfold::python

#include "distributions.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <tenfold/dist_types.hpp>

#include "core/arrays.hpp"

namespace tenfold::python {

py::tuple type_names() {
    py::list names;
#define TENFOLD_NAME(T, name) names.append(python_name(data_type::name));
    TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_NAME)
#undef TENFOLD_NAME
    return py::tuple(names);
}

data_type element_type_of(const py::object &dtype) {
    const py::object its_name = dtype.attr("name");
    const py::tuple names = type_names();
    for (std::size_t k = 0; k < names.size(); ++k)
        if (its_name.equal(names[k]))
            return static_cast<data_type>(k); // the list has the order of the enumerators
    throw py::type_error("distributed tensors have no element type " +
                         py::cast<std::string>(py::str(dtype)) + "; they have " +
                         py::cast<std::string>(py::str(", ").attr("join")(names)));
}

py::object box_of(const slice &one) {
    if (one.none && one.extents.empty())
        return py::none();
    return py::make_tuple(py::tuple(py::cast(one.offsets)), py::tuple(py::cast(one.extents)));
}

namespace {

/// Throws IndexError.
void check_rank(const distribution &one, int rank) {
    if (rank < 0 || rank >= one.ranks())
        throw py::index_error("there is no rank " + std::to_string(rank) + " of " +
                              std::to_string(one.ranks()));
}

int owner_of(const distribution &one, const extents_t &position) {
    const extents_t &shape = one.extents();
    if (position.size() != shape.size())
        throw py::index_error("a position of " + std::to_string(position.size()) +
                              " numbers in a tensor of order " + std::to_string(shape.size()));
    for (std::size_t mode = 0; mode < shape.size(); ++mode)
        if (position[mode] < 0 || position[mode] >= shape[mode])
            throw py::index_error("index " + std::to_string(position[mode]) + " of mode " +
                                  std::to_string(mode) + ", which has extent " +
                                  std::to_string(shape[mode]));
    return one.owner(position);
}

/// -1 in C++ is None in Python.
py::object number_or_none(int number) {
    return number < 0 ? py::object(py::none()) : py::object(py::int_(number));
}

} // namespace

void define_distribution(py::module_ &module) {
    py::class_<distribution>(
        module, "Distribution",
        "How a tensor lies on the ranks: Distribution(shape, grid, ranks, rank_of_cell=None, "
        "copies=1).\n"
        "Mode k is cut into grid[k] blocks that differ by one element at most; cell c of the "
        "grid,\n"
        "mode 0 fastest, belongs to rank c, or to rank_of_cell[c]; with several equal copies, the "
        "cells\n"
        "of copy 0 come first. Immutable.")
        .def(py::init([](extents_t shape, std::vector<int> grid, int ranks,
                         std::optional<std::vector<int>> rank_of_cell, int copies) {
                 return distribution(std::move(shape), std::move(grid), ranks,
                                     std::move(rank_of_cell).value_or(std::vector<int>()), copies);
             }),
             py::arg("shape"), py::arg("grid"), py::arg("ranks"),
             py::arg("rank_of_cell") = py::none(), py::arg("copies") = 1)
        .def_static("block", &distribution::block, py::arg("shape"), py::arg("ranks"),
                    "The default: the grid of at most `ranks` cells whose largest block is "
                    "smallest.")
        .def_static("on_rank", &distribution::on_rank, py::arg("shape"), py::arg("ranks"),
                    py::arg("rank"), "The whole tensor on one rank.")
        .def_static("replicated", &distribution::replicated, py::arg("shape"), py::arg("ranks"),
                    py::arg("copies"),
                    "Several equal copies, each as block() cuts it for its share of the ranks.")
        .def_property_readonly(
            "shape", [](const distribution &one) { return py::tuple(py::cast(one.extents())); })
        .def_property_readonly(
            "grid", [](const distribution &one) { return py::tuple(py::cast(one.grid())); },
            "Parts by mode.")
        .def_property_readonly("ranks", &distribution::ranks)
        .def_property_readonly("copies", &distribution::copies, "Equal copies that are kept.")
        .def_property_readonly(
            "rank_of_cell",
            [](const distribution &one) { return py::tuple(py::cast(one.rank_of_cell())); },
            "The rank of each cell of the grid, mode 0 fastest, and of each copy in turn.")
        .def(
            "block_of",
            [](const distribution &one, int rank) {
                check_rank(one, rank);
                return box_of(one.block_of(rank));
            },
            py::arg("rank"),
            "Offsets and shape of a rank's block; None where it has no part of a number.")
        .def(
            "cell_of",
            [](const distribution &one, int rank) {
                check_rank(one, rank);
                return number_or_none(one.cell_of(rank));
            },
            py::arg("rank"), "The cell of the grid that a rank has; None if it has none.")
        .def(
            "copy_of",
            [](const distribution &one, int rank) {
                check_rank(one, rank);
                return number_or_none(one.copy_of(rank));
            },
            py::arg("rank"), "The copy, from 0, of which a rank has a block; None if it has none.")
        .def("owner_of", &owner_of, py::arg("position"),
             "The rank that has the element at a position, in the first copy.")
        .def(py::self == py::self)
        .def("__hash__", &distribution::hash)
        .def("__repr__", [](const distribution &one) {
            return "<tenfold.dist.Distribution " + one.describe() + ">";
        });
}

} // namespace tenfold::python

#include "worlds.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/dist_split.hpp>
#include <tenfold/dist_tasks.hpp>

#include "core/computing.hpp"
#include "options.hpp"

namespace tenfold::python {
namespace {

/// From the address at which mpi4py keeps a communicator's handle. So no header of mpi4py is needed
/// when this is built, and any version of mpi4py goes, if it uses this MPI library: handles of
/// others mean nothing here, which is why `mpi_library` and `handle_size` are compared first.
///
/// `used` may be null: the settings of the process.
world world_at(std::uintptr_t address, const context_object *used) {
    const MPI_Comm comm = *reinterpret_cast<const MPI_Comm *>(address);
    const py::gil_scoped_release unlocked;
    return {comm, used != nullptr ? *used->own : context::global()};
}

/// The text by which the MPI library that this module is linked with names itself.
std::string mpi_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length); // may be called before MPI_Init
    return {text.data(), static_cast<std::size_t>(length)};
}

/// The code whose class among tenfold's exceptions is the built-in one that was raised, if any is.
errc code_of(const py::object &raised) {
    const auto is_a = [&](PyObject *type) {
        return PyErr_GivenExceptionMatches(raised.ptr(), type) != 0;
    };
    if (is_a(PyExc_TypeError))
        return errc::type_mismatch;
    if (is_a(PyExc_MemoryError))
        return errc::out_of_memory;
    if (is_a(PyExc_OSError))
        return errc::io;
    return errc::invalid_argument;
}

/// Fails the collective call that the other ranks make. This rank raises its exception itself.
void refuse_call(const world &where, const py::object &raised) {
    const error told = told_to_others(raised);
    const py::gil_scoped_release unlocked;
    try {
        agree(where, told);
    } catch (const error &) { // that of the lowest rank which failed
    }
}

/// None on ranks whose group is negative.
std::optional<world> world_of_group(const world &where, int group) {
    const py::gil_scoped_release unlocked;
    return split(where, group);
}

world world_of_node(const world &where) {
    const py::gil_scoped_release unlocked;
    return split_by_node(where);
}

/// Calls a function of Python's for each task; without costs, they are the same.
void do_tasks(const world &where, index_t count, const py::object &function,
              const std::vector<double> &costs) {
    called_functions functions;
    compute(long_work, "tasks", [&](const execution_control *control) {
        functions.run_without_lock([&] {
            for_each_task(where, count,
                          [&](index_t task) { functions.with_lock([&] { function(task); }); },
                          {.costs = costs, .control = control});
        });
    });
}

} // namespace

error told_to_others(const py::object &raised) {
    const errc code = code_of(raised);
    std::string text = "an exception";
    try {
        text = py::cast<std::string>(py::type::of(raised).attr("__name__"));
        text += ": " + py::cast<std::string>(py::str(raised));
    } catch (
        const std::exception &) { // raised by its __str__, or no UTF-8: others wait for this rank
        text += " without a text";
    }
    return {code, text};
}

void define_world(py::module_ &module) {
    module.attr("handle_size") = sizeof(MPI_Comm);
    module.def("mpi_library", &mpi_library);
    py::class_<world>(module, "World")
        .def(py::init(&world_at))
        .def_property_readonly("rank", &world::rank)
        .def_property_readonly("size", &world::size)
        .def_property_readonly("threads", &world::threads)
        .def_property_readonly("ranks_per_node", &world::ranks_per_node)
        .def("split", &world_of_group)
        .def("split_by_node", &world_of_node)
        .def("for_each_task", &do_tasks)
        .def("refuse_call", &refuse_call);
}

} // namespace tenfold::python

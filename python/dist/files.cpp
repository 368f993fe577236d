#include "files.hpp"

#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/dist_files.hpp>

#include "core/arrays.hpp"
#include "core/computing.hpp"
#include "tensors.hpp"

namespace tenfold::python {
namespace {

using named_tensors = std::vector<std::pair<std::string, tensor_object *>>;

/// Tensors to save or to load, as the library takes them.
template <class Entry> std::vector<Entry> entries_of(const named_tensors &tensors) {
    std::vector<Entry> entries;
    for (const auto &[name, tensor] : tensors)
        std::visit([&](auto &one) { entries.emplace_back(name, one); }, tensor->any);
    return entries;
}

/// Runs `work(options)` without Python's lock; looks for Ctrl-C, and shows progress.
template <class Work> void move_file(const std::string &file, const Work &work) {
    compute(long_work, file,
            [&](const execution_control *control) { work(file_options{.control = control}); });
}

void save_checkpoint(const world &where, const std::string &file, const named_tensors &tensors) {
    const auto entries = entries_of<tensor_to_save>(tensors);
    move_file(file, [&](const file_options &how) { save(where, file, entries, how); });
}

void load_checkpoint(const world &where, const std::string &file, const named_tensors &tensors) {
    const auto entries = entries_of<tensor_to_load>(tensors);
    move_file(file, [&](const file_options &how) { load(where, file, entries, how.control); });
}

void save_datasets(const world &where, const std::string &file, const named_tensors &tensors) {
    const auto entries = entries_of<tensor_to_save>(tensors);
    move_file(file, [&](const file_options &how) { save_hdf5(where, file, entries, how); });
}

void load_datasets(const world &where, const std::string &file, const named_tensors &tensors) {
    const auto entries = entries_of<tensor_to_load>(tensors);
    move_file(file, [&](const file_options &how) { load_hdf5(where, file, entries, how); });
}

void save_array(const std::string &file, const tensor_object &tensor) {
    move_file(file, [&](const file_options &how) {
        std::visit([&](const auto &one) { save_npy(file, one, how); }, tensor.any);
    });
}

void load_array(const std::string &file, tensor_object &tensor) {
    move_file(file, [&](const file_options &how) {
        std::visit([&](auto &one) { load_npy(file, one, how); }, tensor.any);
    });
}

/// (name, type's name in NumPy, shape).
py::tuple fields_of(const stored_tensor &one) {
    return py::make_tuple(one.name, python_name(one.type), py::tuple(py::cast(one.extents)));
}

py::list stored_in_checkpoint(const world &where, const std::string &file) {
    const std::vector<stored_tensor> found = [&] {
        const py::gil_scoped_release unlocked;
        return stored_tensors(where, file);
    }();
    py::list all;
    for (const stored_tensor &one : found)
        all.append(fields_of(one));
    return all;
}

/// What `find()` returns, which is collective.
template <class Find> py::tuple stored_one(const Find &find) {
    const stored_tensor found = [&] {
        const py::gil_scoped_release unlocked;
        return find();
    }();
    return fields_of(found);
}

} // namespace

void define_files(py::module_ &module) {
    module.def("save", &save_checkpoint);
    module.def("load", &load_checkpoint);
    module.def("stored", &stored_in_checkpoint);
    module.def("save_hdf5", &save_datasets);
    module.def("load_hdf5", &load_datasets);
    module.def("stored_hdf5",
               [](const world &where, const std::string &file, const std::string &dataset) {
                   return stored_one([&] { return stored_hdf5(where, file, dataset); });
               });
    module.def("save_npy", &save_array);
    module.def("load_npy", &load_array);
    module.def("stored_npy", [](const world &where, const std::string &file) {
        return stored_one([&] { return stored_npy(where, file); });
    });
}

} // namespace tenfold::python

#include "tensors.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <pybind11/stl.h>

#include "core/arrays.hpp"
#include "distributions.hpp"
#include "interchange.hpp"
#include "operations.hpp"
#include "worlds.hpp"

namespace tenfold::python {
namespace {

std::unique_ptr<tensor_object> make_tensor(const world &where, const extents_t &shape,
                                           const py::object &dtype,
                                           const std::optional<distribution> &spread) {
    const data_type type = element_type_of(dtype);
    const py::gil_scoped_release unlocked;
    return with_element_type(type, [&]<class T>(std::type_identity<T>) {
        return std::make_unique<tensor_object>(
            spread ? any_tensor(dist_tensor<T>(where, shape, *spread))
                   : any_tensor(dist_tensor<T>(where, shape)));
    });
}

/// Of a tensor with copies it is read-only unless it is asked for to write, since writing into one
/// copy lets them differ.
py::object local_array(const py::object &self, bool to_write) {
    return std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            // Of a number, ranks without it have no element.
            const extents_t shape = one.order() == 0 && one.local_slice().empty()
                                        ? extents_t{0}
                                        : one.local_slice().extents;
            const bool writeable = to_write || one.distribution().copies() == 1;
            T *const data = writeable ? one.data() : const_cast<T *>(std::as_const(one).data());
            return array_on(self, data_type_of<T>, data, shape, writeable);
        },
        py::cast<tensor_object &>(self).any);
}

/// The slice at `offsets` with the array's shape; without offsets, none.
slice slice_at(const std::optional<extents_t> &offsets, const layout &shape) {
    return offsets ? slice{*offsets, shape.extents()} : slice{{}, {}, true};
}

void read_into(const tensor_object &from, const std::optional<extents_t> &offsets,
               const py::object &array) {
    std::visit(
        [&]<class T>(const dist_tensor<T> &one) {
            const tensor_view<T> to = view_of<T>(array);
            const py::gil_scoped_release unlocked;
            one.read_into(slice_at(offsets, to.shape()), to);
        },
        from.any);
}

void write(tensor_object &into, const std::optional<extents_t> &offsets, const py::object &array) {
    std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            const tensor_view<T> from = view_of<T>(array);
            const py::gil_scoped_release unlocked;
            one.write(slice_at(offsets, from.shape()), from);
        },
        into.any);
}

/// `array` of other ranks is ignored; it may be None.
void gather_into(const tensor_object &from, const py::object &array, int root) {
    std::visit(
        [&]<class T>(const dist_tensor<T> &one) {
            const tensor_view<T> to =
                array.is_none() ? tensor_view<T>(nullptr, extents_t{0}) : view_of<T>(array);
            const py::gil_scoped_release unlocked;
            one.gather_into(to, root);
        },
        from.any);
}

void scatter(tensor_object &into, const py::object &array, int root) {
    std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            const tensor_view<T> from =
                array.is_none() ? tensor_view<T>(nullptr, extents_t{0}) : view_of<T>(array);
            const py::gil_scoped_release unlocked;
            one.scatter(from, root);
        },
        into.any);
}

/// Lets a function fill this rank's block, which it gets with its offsets.
void fill(const py::object &self, const py::function &function) {
    called_functions functions;
    std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            functions.run([&] {
                one.fill([&](const extents_t &offsets, const tensor_view<T> &block) {
                    functions.with_lock([&] {
                        function(py::tuple(py::cast(offsets)),
                                 array_on(self, data_type_of<T>, block.data(),
                                          block.shape().extents(), true));
                    });
                });
            });
        },
        py::cast<tensor_object &>(self).any);
}

std::unique_ptr<tensor_object> redistribute(const tensor_object &from, const distribution &spread) {
    const py::gil_scoped_release unlocked;
    return std::visit(
        [&](const auto &one) {
            return std::make_unique<tensor_object>(any_tensor(one.redistribute(spread)));
        },
        from.any);
}

void refresh(tensor_object &of) {
    const py::gil_scoped_release unlocked;
    std::visit([](auto &one) { one.refresh(); }, of.any);
}

} // namespace

void define_tensor(py::module_ &module) {
    py::class_<tensor_object> tensor(module, "Tensor");
    tensor.def(py::init(&make_tensor))
        .def_property_readonly("type",
                               [](const tensor_object &one) { return python_name(one.type()); })
        .def_property_readonly("distribution", &tensor_object::distribution,
                               py::return_value_policy::copy)
        .def_property_readonly("box",
                               [](const tensor_object &one) {
                                   return box_of(std::visit(
                                       [](const auto &any) { return any.local_slice(); }, one.any));
                               })
        .def_property_readonly("local",
                               [](const py::object &self) { return local_array(self, false); })
        .def("local_to_write", [](const py::object &self) { return local_array(self, true); })
        .def("refresh", &refresh)
        .def("read_into", &read_into)
        .def("write", &write)
        .def("gather_into", &gather_into)
        .def("scatter", &scatter)
        .def("fill", &fill)
        .def("redistribute", &redistribute);
    define_operations(module, tensor);
    define_interchange(module, tensor);
    module.attr("type_names") = type_names();
    module.def("check_type", [](const py::object &dtype) { element_type_of(dtype); });
}

} // namespace tenfold::python

#include "tensors.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "core/arrays.hpp"
#include "distributions.hpp"
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

/// Memory of the tensor that `owner` holds as a NumPy array, in Fortran order.
py::object array_on(const py::object &owner, data_type type, void *data, const extents_t &shape,
                    bool writeable) {
    const bool is_empty = layout(shape).empty();
    const int flags = is_empty    ? NPY_ARRAY_F_CONTIGUOUS
                      : writeable ? NPY_ARRAY_FARRAY
                                  : NPY_ARRAY_FARRAY_RO;
    PyObject *made = PyArray_New(&PyArray_Type, static_cast<int>(shape.size()),
                                 const_cast<npy_intp *>(shape.data()), numpy_number(type), nullptr,
                                 is_empty ? nullptr : data, 0, flags, nullptr);
    if (made == nullptr)
        throw py::error_already_set();
    auto array = py::reinterpret_steal<py::object>(made);
    if (!is_empty && PyArray_SetBaseObject(as_array(array), py::object(owner).release().ptr()) != 0)
        throw py::error_already_set();
    return array;
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

/// The array's elements, of a type that Python has made the tensor's.
template <class T> tensor_view<T> view_of(const py::object &array) {
    if (!PyArray_Check(array.ptr()) ||
        PyArray_TYPE(as_array(array)) != numpy_number(data_type_of<T>) ||
        !lies_usably(as_array(array)))
        throw py::type_error("the array is not of the tensor's type");
    strides_t strides;
    return {static_cast<T *>(PyArray_DATA(as_array(array))),
            shape_of(as_array(array), strides).to_layout()};
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

/// Lets a function fill this rank's block, which it gets with its offsets. Where it raises, its
/// exception is raised on that rank, and a tenfold.Error that tells it on the others.
void fill(const py::object &self, const py::function &function) {
    std::exception_ptr raised; // before the lock is released: its end needs the lock
    std::visit(
        [&]<class T>(dist_tensor<T> &one) {
            const py::gil_scoped_release unlocked;
            try {
                one.fill([&](const extents_t &offsets, const tensor_view<T> &block) {
                    const py::gil_scoped_acquire locked;
                    try {
                        function(py::tuple(py::cast(offsets)),
                                 array_on(self, data_type_of<T>, block.data(),
                                          block.shape().extents(), true));
                    } catch (const py::error_already_set &failed) {
                        raised = std::current_exception();
                        throw told_to_others(failed.value());
                    }
                });
            } catch (const error &) {
                if (!raised)
                    throw;
            }
        },
        py::cast<tensor_object &>(self).any);
    if (raised)
        std::rethrow_exception(raised);
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

double norm(const tensor_object &of) {
    const py::gil_scoped_release unlocked;
    return std::visit([](const auto &one) { return one.norm(); }, of.any);
}

py::object dot_product(const tensor_object &left, const tensor_object &right) {
    return std::visit(
        [&]<class T>(const dist_tensor<T> &a) {
            const auto &b = std::get<dist_tensor<T>>(right.any); // Python has compared types
            T result;
            {
                const py::gil_scoped_release unlocked;
                result = dot(a, b);
            }
            return py::object(py::cast(result));
        },
        left.any);
}

} // namespace

void define_tensor(py::module_ &module) {
    py::class_<tensor_object>(module, "Tensor")
        .def(py::init(&make_tensor))
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
        .def("redistribute", &redistribute)
        .def("norm", &norm);
    module.def("dot", &dot_product);
    module.def("check_type", [](const py::object &dtype) { element_type_of(dtype); });
}

} // namespace tenfold::python

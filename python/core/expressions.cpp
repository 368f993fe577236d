#include "expressions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <pybind11/stl.h>

#include <tenfold/contract.hpp>
#include <tenfold/error.hpp>

#include "arrays.hpp"
#include "output_memory.hpp"

namespace tenfold::python {
namespace {

/// Labels by number or by letter: shorter names come first.
bool precedes(const std::string &left, const std::string &right) {
    return std::pair(left.size(), std::string_view(left)) <
           std::pair(right.size(), std::string_view(right));
}

/// Whether loops over `left` belong outside those over `right`, by the strides of all arrays; empty
/// where no array moves along both. Where arrays disagree, `left` stays outside.
std::optional<bool> belongs_outside(std::span<const index_t> left, std::span<const index_t> right) {
    std::optional<bool> outside;
    for (std::size_t k = 0; k < left.size(); ++k) {
        if (left[k] == 0 || right[k] == 0)
            continue;
        if (std::abs(left[k]) >= std::abs(right[k]))
            outside = true;
        else if (!outside)
            outside = false;
    }
    return outside;
}

bool is_fortran(std::span<PyArrayObject *const> arrays) noexcept {
    return std::all_of(arrays.begin(), arrays.end(),
                       [](PyArrayObject *one) { return PyArray_IS_F_CONTIGUOUS(one); });
}

/// Throws tenfold::error with the extents that differ.
[[noreturn]] void refuse(const expression &read, std::span<PyArrayObject *const> arrays) {
    std::vector<layout> layouts;
    for (PyArrayObject *one : arrays)
        layouts.emplace_back(extents_t(PyArray_DIMS(one), PyArray_DIMS(one) + PyArray_NDIM(one)));
    output_extents(read.spec, layouts);
    throw error(errc::extent_mismatch, "extents of one label differ");
}

/// The option that the library's own error names is not one of einsum().
[[noreturn]] void refuse_diagonal(const contraction_spec &spec) {
    const auto stands_twice = [&](label_t label) {
        return std::count(spec.output.begin(), spec.output.end(), label) > 1;
    };
    const auto label = std::find_if(spec.output.begin(), spec.output.end(), stands_twice);
    const std::string &name = spec.label_names[static_cast<std::size_t>(*label)];
    throw error(errc::repeated_label,
                "label '" + name +
                    "' stands more than once in the output, which einsum() does not write; "
                    "contract(.., out=.., diagonal_output=True) writes the diagonal",
                {.label = name, .first = {.name = "D"}});
}

/// The output's extents; returns their number. Throws as new_output().
std::size_t output_shape(const expression &read, std::span<PyArrayObject *const> arrays,
                         std::span<npy_intp, NPY_MAXDIMS> shape) {
    // Letters and modes of an ellipsis, mostly: no allocation.
    std::array<index_t, 52 + NPY_MAXDIMS> few;
    std::vector<index_t> many(
        read.spec.label_names.size() > few.size() ? read.spec.label_names.size() : 0);
    const std::span<index_t> extents =
        many.empty() ? std::span(few).first(read.spec.label_names.size()) : std::span(many);
    if (!gather_extents(read, arrays, extents))
        refuse(read, arrays);
    const std::size_t modes = read.spec.output.size();
    if (modes > NPY_MAXDIMS)
        throw error(errc::unsupported, "numpy's arrays have at most " +
                                           std::to_string(NPY_MAXDIMS) + " modes; the output has " +
                                           std::to_string(modes));
    for (std::size_t k = 0; k < modes; ++k)
        shape[k] = extents[static_cast<std::size_t>(read.spec.output[k])];
    return modes;
}

std::vector<PyArrayObject *> arrays_of(const std::vector<py::object> &objects) {
    std::vector<PyArrayObject *> arrays;
    for (const py::object &one : objects)
        arrays.push_back(as_array(one));
    return arrays;
}

py::list path_of(const path_steps &path) {
    py::list steps;
    for (const std::vector<int> &step : path)
        steps.append(py::tuple(py::cast(step)));
    return steps;
}

} // namespace

expression::expression(contraction_spec read) : spec(std::move(read)), has_diagonal_output(false) {
    std::vector<bool> is_kept(spec.label_names.size());
    for (const label_t label : spec.output) {
        has_diagonal_output |= is_kept[static_cast<std::size_t>(label)];
        is_kept[static_cast<std::size_t>(label)] = true;
    }
    for (std::size_t label = 0; label < is_kept.size(); ++label)
        if (!is_kept[label])
            summed.push_back(static_cast<label_t>(label));
    std::sort(summed.begin(), summed.end(), [&](label_t left, label_t right) {
        return precedes(spec.label_names[static_cast<std::size_t>(left)],
                        spec.label_names[static_cast<std::size_t>(right)]);
    });
}

expression read_numpy(std::string_view text, std::span<const int> orders) {
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool is_tccg = text[k] == '-' && text.substr(k, 2) != "->";
        if (is_tccg || std::string_view("=*+[]()").find(text[k]) != std::string_view::npos)
            throw error(errc::syntax,
                        "einsum() reads numpy's notation, as in 'ij,jk->ik', which has no '" +
                            std::string(1, text[k]) + "'; contract() reads the others: '" +
                            std::string(text) + "'",
                        {.position = k});
    }
    const bool is_blank = text.find_first_not_of(' ') == std::string_view::npos;
    expression read(parse(is_blank ? "->" : text, orders)); // NumPy's scalar alone
    if (read.has_diagonal_output)
        refuse_diagonal(read.spec);
    return read;
}

bool gather_extents(const expression &read, std::span<PyArrayObject *const> arrays,
                    std::span<index_t> extents) noexcept {
    std::fill(extents.begin(), extents.end(), 1);
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        const npy_intp *own = PyArray_DIMS(arrays[k]);
        for (const label_t label : read.spec.inputs[k]) {
            index_t &extent = extents[static_cast<std::size_t>(label)];
            if (extent == 1)
                extent = *own;
            else if (*own != 1 && *own != extent)
                return false;
            ++own;
        }
    }
    return true;
}

double multiply_adds(std::span<const index_t> extents) noexcept {
    double product = 1;
    for (const index_t extent : extents)
        product *= static_cast<double>(extent);
    return product;
}

double multiply_adds(const expression &read, std::span<const operand *const> given) {
    std::vector<PyArrayObject *> arrays;
    for (const operand *one : given)
        arrays.push_back(one->numpy());
    std::vector<index_t> extents(read.spec.label_names.size());
    return gather_extents(read, arrays, extents) ? multiply_adds(extents) : 0;
}

index_t stride_along(label_t label, const std::vector<label_t> &labels, PyArrayObject *array) {
    index_t sum = 0;
    for (std::size_t k = 0; k < labels.size(); ++k)
        if (labels[k] == label && PyArray_DIMS(array)[k] != 1)
            sum += PyArray_STRIDES(array)[k];
    return sum;
}

// All loops, those of the sums innermost, are sorted by insertion; what cannot be compared is
// passed over.
nesting nesting_as_inputs(const expression &read, std::span<PyArrayObject *const> arrays) {
    const std::size_t modes = read.spec.output.size();
    const std::size_t loops = modes + read.summed.size();
    std::vector<index_t> strides(loops * arrays.size());
    const auto strides_of = [&](std::size_t loop) {
        return std::span(strides).subspan(loop * arrays.size(), arrays.size());
    };
    for (std::size_t loop = 0; loop < loops; ++loop)
        for (std::size_t k = 0; k < arrays.size(); ++k)
            strides_of(loop)[k] =
                stride_along(loop < modes ? read.spec.output[loop] : read.summed[loop - modes],
                             read.spec.inputs[k], arrays[k]);
    std::vector<std::size_t> inner_first;
    inner_first.reserve(loops);
    for (std::size_t loop = loops; loop-- > 0;) {
        std::size_t place = inner_first.size();
        for (std::size_t other = inner_first.size(); other-- > 0;) {
            const auto outside = belongs_outside(strides_of(loop), strides_of(inner_first[other]));
            if (!outside)
                continue;
            if (*outside)
                break;
            place = other;
        }
        inner_first.insert(inner_first.begin() + static_cast<std::ptrdiff_t>(place), loop);
    }
    std::erase_if(inner_first, [&](std::size_t loop) { return loop >= modes; });
    std::reverse(inner_first.begin(), inner_first.end());
    return inner_first;
}

py::object new_output(const expression &read, std::span<PyArrayObject *const> arrays,
                      int numpy_number, const nesting &modes) {
    std::array<npy_intp, NPY_MAXDIMS> shape;
    const std::size_t order = output_shape(read, arrays, shape);
    std::array<npy_intp, NPY_MAXDIMS> strides;
    const bool has_strides = !std::is_sorted(modes.begin(), modes.end());
    if (has_strides) {
        const auto descr = PyArray_DescrFromType(numpy_number);
        npy_intp step = descr->elsize;
        Py_DECREF(descr);
        for (std::size_t k = order; k-- > 0;) {
            strides[modes[k]] = step;
            step *= std::max<npy_intp>(shape[modes[k]], 1);
        }
    }
    return new_array(std::span(shape).first(order), numpy_number,
                     has_strides ? strides.data() : nullptr, 0);
}

py::object new_output(const expression &read, std::span<PyArrayObject *const> arrays,
                      int numpy_number, NPY_ORDER order) {
    if (order == NPY_KEEPORDER && read.spec.output.size() > 1)
        return new_output(read, arrays, numpy_number, nesting_as_inputs(read, arrays));
    std::array<npy_intp, NPY_MAXDIMS> shape;
    const std::size_t modes = output_shape(read, arrays, shape);
    const bool fortran = order == NPY_FORTRANORDER || (order == NPY_ANYORDER && is_fortran(arrays));
    return new_array(std::span(shape).first(modes), numpy_number, nullptr,
                     fortran ? NPY_ARRAY_F_CONTIGUOUS : 0);
}

void define_expression(py::module_ &module) {
    py::class_<expression>(module, "Expression", "An expression that has been read.")
        .def_property_readonly("inputs", [](const expression &one) { return one.spec.inputs; })
        .def_property_readonly("output", [](const expression &one) { return one.spec.output; })
        .def_property_readonly("labels", [](const expression &one) { return one.spec.label_names; })
        .def_property_readonly("path", [](const expression &one) { return path_of(one.spec.path); })
        .def_property_readonly("reads_output",
                               [](const expression &one) {
                                   return one.spec.operation != contraction_spec::update::assign;
                               })
        .def_readonly("has_diagonal_output", &expression::has_diagonal_output)
        .def("__str__", [](const expression &one) { return one.spec.to_string(); });
    module.def("read_numpy", [](const std::string &text, const std::vector<int> &orders) {
        return read_numpy(text, orders);
    });
    module.def("read", [](const std::string &text, const std::vector<int> &orders) {
        return expression(parse(text, orders));
    });
    module.def("read_lists", [](std::vector<std::vector<label_t>> inputs,
                                std::optional<std::vector<label_t>> output,
                                const std::vector<int> &orders) {
        return expression(
            parse(label_lists{.inputs = std::move(inputs), .output = std::move(output)}, orders));
    });
    module.def("multiply_adds", [](const expression &read, const std::vector<py::object> &objects) {
        std::vector<index_t> extents(read.spec.label_names.size());
        const std::vector<PyArrayObject *> arrays = arrays_of(objects);
        if (!gather_extents(read, arrays, extents))
            refuse(read, arrays);
        return multiply_adds(extents);
    });
}

} // namespace tenfold::python

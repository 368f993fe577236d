#include "operations.hpp"

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_pairs.hpp>
#include <tenfold/dist_split.hpp>

#include "worlds.hpp"

namespace tenfold::python {
namespace {

/// Offsets and extents.
using box_t = std::pair<extents_t, extents_t>;

/// The tensor of T. Python has compared types.
template <class T> const dist_tensor<T> &tensor_of(const tensor_object &one) {
    return std::get<dist_tensor<T>>(one.any);
}

/// A factor for tensors of T, which Python has made one of its type.
template <class T> typename dist_term<T>::factor_type factor_from(std::complex<double> given) {
    using factor = typename dist_term<T>::factor_type;
    if constexpr (is_complex(data_type_of<T>))
        return factor(given);
    else
        return static_cast<factor>(given.real());
}

/// An element or a number as Python has them.
template <class T> py::object number_in_python(const T &value) {
    if constexpr (std::is_same_v<T, bf16> || std::is_same_v<T, f16>)
        return py::float_(static_cast<double>(static_cast<float>(value)));
    else
        return py::cast(value);
}

/// What `compute` returns for the tensor, without Python's lock, as a number of Python's.
template <class Compute> py::object number_of(const tensor_object &of, const Compute &compute) {
    return std::visit(
        [&](const auto &one) {
            const auto result = [&] {
                const py::gil_scoped_release unlocked;
                return compute(one);
            }();
            return number_in_python(result);
        },
        of.any);
}

py::object dot_product(const tensor_object &left, const tensor_object &right) {
    return number_of(left,
                     [&]<class T>(const dist_tensor<T> &a) { return dot(a, tensor_of<T>(right)); });
}

void copy_from(tensor_object &to, const tensor_object &from) {
    std::visit(
        [&]<class T>(dist_tensor<T> &y) {
            const py::gil_scoped_release unlocked;
            copy(tensor_of<T>(from), y);
        },
        to.any);
}

void combine_terms(const std::vector<std::pair<std::complex<double>, const tensor_object *>> &given,
                   tensor_object &out) {
    std::visit(
        [&]<class T>(dist_tensor<T> &d) {
            std::vector<dist_term<T>> terms;
            for (const auto &[factor, one] : given)
                terms.emplace_back(factor_from<T>(factor), tensor_of<T>(*one));
            const py::gil_scoped_release unlocked;
            combine<T>(std::span<const dist_term<T>>(terms), d);
        },
        out.any);
}

void transpose_boxes(const std::string &expression, const tensor_object &from, const box_t &of_a,
                     tensor_object &to, const box_t &of_b, std::complex<double> alpha,
                     std::optional<std::complex<double>> beta) {
    std::visit(
        [&]<class T>(dist_tensor<T> &b) {
            dist_transpose_options options;
            options.alpha = alpha;
            if (beta)
                options.beta = *beta;
            const py::gil_scoped_release unlocked;
            transpose(expression, tensor_of<T>(from), {of_a.first, of_a.second}, b,
                      {of_b.first, of_b.second}, options);
        },
        to.any);
}

template <class T> py::tuple tuple_of(const dist_element<T> &one) {
    return py::make_tuple(py::tuple(py::cast(one.position)), number_in_python(one.value));
}

/// Position and value of the least or the greatest element.
py::object find_extreme(const tensor_object &of, bool is_greatest) {
    return std::visit(
        [&]<class T>(const dist_tensor<T> &one) -> py::object {
            if constexpr (is_complex(data_type_of<T>)) {
                throw error(errc::type_mismatch, "complex numbers have no order");
            } else {
                const auto found = [&] {
                    const py::gil_scoped_release unlocked;
                    return is_greatest ? maximum(one) : minimum(one);
                }();
                return tuple_of(found);
            }
        },
        of.any);
}

/// Positions and values of the largest elements; `where` is a function of positions, or None.
py::list find_largest(const tensor_object &of, index_t most, const py::object &where) {
    return std::visit(
        [&]<class T>(const dist_tensor<T> &one) {
            called_functions functions;
            std::function<bool(position_view)> counts;
            if (!where.is_none())
                counts = [&](position_view position) {
                    return functions.with_lock([&] {
                        const extents_t own(position.begin(), position.end());
                        const int is_true = PyObject_IsTrue(where(py::tuple(py::cast(own))).ptr());
                        if (is_true < 0)
                            throw py::error_already_set();
                        return is_true != 0;
                    });
                };
            std::vector<dist_element<T>> found;
            functions.run([&] { found = largest(one, most, counts); });
            py::list elements;
            for (const dist_element<T> &element : found)
                elements.append(tuple_of(element));
            return elements;
        },
        of.any);
}

/// Fills by `fill(dist_tensor<T>)`. Python has refused integers.
template <class Fill> void fill_randomly(tensor_object &one, const Fill &fill) {
    const py::gil_scoped_release unlocked;
    std::visit(
        [&]<class T>(dist_tensor<T> &own) {
            if constexpr (!element_traits<T>::is_integer)
                fill(own);
        },
        one.any);
}

void make_uniform(tensor_object &one, std::uint64_t seed, double low, double high) {
    fill_randomly(one, [&](auto &own) { fill_uniform(own, seed, low, high); });
}

void make_normal(tensor_object &one, std::uint64_t seed, double mean, double deviation) {
    fill_randomly(one, [&](auto &own) { fill_normal(own, seed, mean, deviation); });
}

/// `part`: of a world of some ranks; null on the others.
void copy_into_part(const tensor_object &from, tensor_object *part) {
    std::visit(
        [&]<class T>(const dist_tensor<T> &x) {
            dist_tensor<T> *const s =
                part == nullptr ? nullptr : &std::get<dist_tensor<T>>(part->any);
            const py::gil_scoped_release unlocked;
            copy_to_part(x, s);
        },
        from.any);
}
void copy_out_of_part(tensor_object &to, const tensor_object *part) {
    std::visit(
        [&]<class T>(dist_tensor<T> &x) {
            const dist_tensor<T> *const s = part == nullptr ? nullptr : &tensor_of<T>(*part);
            const py::gil_scoped_release unlocked;
            copy_from_part(s, x);
        },
        to.any);
}

/// work(X, P, kind) for tensors of types that pairs have. Python has refused others.
template <class X, class Packed, class Work>
void on_pairs(X &x, Packed &packed, bool is_antisymmetric, const Work &work) {
    std::visit(
        [&]<class One>(One &one) {
            using T = std::remove_cvref_t<decltype(*one.data())>;
            if constexpr (element_traits<T>::is_arithmetic) {
                auto &other = std::get<dist_tensor<T>>(packed.any);
                const py::gil_scoped_release unlocked;
                work(one, other,
                     is_antisymmetric ? chem::pair_kind::antisymmetric
                                      : chem::pair_kind::symmetric);
            }
        },
        x.any);
}
void pack(const tensor_object &x, int mode, bool is_antisymmetric, tensor_object &packed) {
    on_pairs(x, packed, is_antisymmetric, [mode](const auto &from, auto &to, chem::pair_kind kind) {
        chem::pack_pairs(from, mode, kind, to);
    });
}
void unpack(const tensor_object &packed, int mode, bool is_antisymmetric, tensor_object &x) {
    on_pairs(x, packed, is_antisymmetric, [mode](auto &to, const auto &from, chem::pair_kind kind) {
        chem::unpack_pairs(from, mode, kind, to);
    });
}

} // namespace

void define_operations(py::module_ &module, py::class_<tensor_object> &tensor) {
    const auto reduction = [&](const char *name, const auto &compute) {
        tensor.def(name, [compute](const tensor_object &of) { return number_of(of, compute); });
    };
    reduction("norm", [](const auto &one) { return one.norm(); });
    reduction("norm1", [](const auto &one) { return norm1(one); });
    reduction("norm_max", [](const auto &one) { return norm_max(one); });
    reduction("sum", [](const auto &one) { return sum(one); });
    reduction("scalar", [](const auto &one) { return scalar_of(one); });
    tensor.def("extreme", &find_extreme)
        .def("largest", &find_largest)
        .def("copy_from", &copy_from)
        .def("copy_to_part", &copy_into_part)
        .def("copy_from_part", &copy_out_of_part)
        .def("fill_uniform", &make_uniform)
        .def("fill_normal", &make_normal);
    module.def("dot", &dot_product);
    module.def("combine", &combine_terms);
    module.def("transpose", &transpose_boxes);
    module.def("pack_pairs", &pack);
    module.def("unpack_pairs", &unpack);
}

} // namespace tenfold::python

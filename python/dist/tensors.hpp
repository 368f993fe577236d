// Distributed tensors of any type: tenfold._dist.Tensor.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include <tenfold/dist.hpp>
#include <tenfold/dist_types.hpp>

#include "core/numpy_api.hpp"

namespace tenfold::python {

template <class... T> using one_of_tensors = std::variant<dist_tensor<T>...>;
using any_tensor = list_of_distributed_types<one_of_tensors>;

/// What Python's objects hold. Its functions release Python's lock while they compute.
struct tensor_object {
    any_tensor any;

    const world &owner() const {
        return std::visit([](const auto &one) -> const world & { return one.owner(); }, any);
    }
    data_type type() const {
        return std::visit([]<class T>(const dist_tensor<T> &) { return data_type_of<T>; }, any);
    }
    const tenfold::distribution &distribution() const {
        return std::visit(
            [](const auto &one) -> const tenfold::distribution & { return one.distribution(); },
            any);
    }
};

/// Calls `work` with std::type_identity<T> for a type that element_type_of() has returned.
template <class Work> decltype(auto) with_element_type(data_type type, const Work &work) {
    switch (type) {
#define TENFOLD_CASE(T, name)                                                                      \
    case data_type::name:                                                                          \
        return work(std::type_identity<T>());
        TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_CASE)
#undef TENFOLD_CASE
    }
    throw error(errc::type_mismatch, "this is no element type");
}

void define_tensor(py::module_ &module);

} // namespace tenfold::python

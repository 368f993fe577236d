#include "epilogues.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <tenfold/error.hpp>

#include "arrays.hpp"

namespace tenfold::python {
namespace {

std::vector<elementwise> functions() {
    std::vector<elementwise> all;
    for (std::uint8_t k = 0; name(elementwise{k}) != "unknown"; ++k)
        all.push_back(elementwise{k});
    return all;
}

elementwise function_of(std::string_view text) {
    std::string known;
    for (const elementwise one : functions()) {
        if (name(one) == text)
            return one;
        known += (known.empty() ? "" : ", ") + std::string(name(one));
    }
    throw error(errc::invalid_argument, "there is no element-wise function '" + std::string(text) +
                                            "'; there are " + known);
}

bool is_alike(const contraction_step &left, const contraction_step &right) {
    return left.operation.kind == right.operation.kind &&
           left.operation.function == right.operation.function &&
           left.operation.factor == right.operation.factor &&
           left.operation.type == right.operation.type &&
           left.operation.conjugated == right.operation.conjugated && left.labels == right.labels &&
           left.shape == right.shape;
}

} // namespace

contraction_epilogue epilogue_of(const epilogue_steps &steps) {
    contraction_epilogue made;
    for (const py::tuple &step : steps) {
        const auto kind = py::cast<std::string>(step[0]);
        if (kind == "apply") {
            made.apply(function_of(py::cast<std::string>(step[1])));
        } else if (kind == "scale") {
            made.scale(py::cast<scalar>(step[1]));
        } else {
            const auto labels = py::cast<std::string>(step[1]);
            const input tensor = py::cast<const operand &>(step[2]).as_input();
            const auto factor = py::cast<scalar>(step[3]);
            if (kind == "add")
                made.add(labels, tensor, factor);
            else
                made.multiply(labels, tensor, factor);
        }
    }
    return made;
}

void check_same_steps(std::span<const contraction_step> planned,
                      std::span<const contraction_step> given) {
    if (planned.size() != given.size())
        throw error(errc::invalid_argument,
                    "the plan has an epilogue of " + std::to_string(planned.size()) +
                        " steps, the call one of " + std::to_string(given.size()));
    for (std::size_t k = 0; k < planned.size(); ++k)
        if (!is_alike(planned[k], given[k]))
            throw error(errc::invalid_argument,
                        "epilogue step " + std::to_string(k) +
                            " is not the plan's: operation, factor, labels, type, shape and "
                            "strides must be equal");
}

void define_epilogues(py::module_ &module) {
    py::list names;
    for (const elementwise one : functions())
        names.append(std::string(name(one)));
    module.attr("elementwise_functions") = py::tuple(names);
}

} // namespace tenfold::python

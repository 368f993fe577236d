#include "output_layouts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/contract.hpp>
#include <tenfold/error.hpp>

#include "contexts.hpp"

namespace tenfold::python {
namespace {

/// What another nesting may take of the time that numpy's takes: numpy's is what users expect.
/// Where predictions were 5 to 10 % apart, measured times were not on one side.
constexpr double clearly_less = 0.9;
constexpr std::size_t most_choices = 4096; ///< that are kept
constexpr double most_elements = 1e18;     ///< of an output whose strides 64 bits hold

using labels_t = std::vector<label_t>;

/// Labels of the output along which an input moves, outermost first as in that input.
labels_t kept_labels(const expression &read, const typed_array &one, const labels_t &own) {
    std::vector<std::pair<index_t, label_t>> found;
    for (const label_t label : read.spec.output)
        if (const index_t stride = stride_along(label, own, one.array); stride != 0)
            found.emplace_back(-std::abs(stride), label);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto &left, const auto &right) { return left.first < right.first; });
    labels_t labels;
    for (const auto &[stride, label] : found)
        labels.push_back(label);
    return labels;
}

bool has(const labels_t &labels, label_t label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Labels that stand twice count where they stand first. Those along which no input moves are
/// outermost.
nesting nesting_of(const expression &read, std::initializer_list<const labels_t *> parts) {
    nesting modes;
    std::vector<bool> placed(read.spec.output.size());
    for (const labels_t *part : parts)
        for (const label_t label : *part) {
            const auto mode = static_cast<std::size_t>(
                std::find(read.spec.output.begin(), read.spec.output.end(), label) -
                read.spec.output.begin());
            if (!placed[mode])
                modes.push_back(mode);
            placed[mode] = true;
        }
    for (std::size_t mode = placed.size(); mode-- > 0;)
        if (!placed[mode])
            modes.insert(modes.begin(), mode);
    return modes;
}

/// numpy's nesting first. A product of matrices writes the labels of one input and then those of
/// the other; with labels that both have, these may also be the outermost.
std::vector<nesting> nestings_of(const expression &read, std::span<const typed_array> inputs,
                                 nesting numpys) {
    const labels_t of_a = kept_labels(read, inputs[0], read.spec.inputs[0]);
    const labels_t of_b = kept_labels(read, inputs[1], read.spec.inputs[1]);
    labels_t of_both = of_a;
    std::erase_if(of_both, [&](label_t label) { return !has(of_b, label); });
    std::vector<nesting> found{std::move(numpys)};
    for (nesting &one :
         std::vector{nesting_of(read, {&of_a, &of_b}), nesting_of(read, {&of_b, &of_a}),
                     nesting_of(read, {&of_both, &of_a, &of_b}),
                     nesting_of(read, {&of_both, &of_b, &of_a})})
        if (std::find(found.begin(), found.end(), one) == found.end())
            found.push_back(std::move(one));
    return found;
}

layout nested_layout(const extents_t &extents, const nesting &modes) {
    extents_t strides(extents.size());
    index_t step = 1;
    for (std::size_t k = modes.size(); k-- > 0;) {
        strides[modes[k]] = step;
        step *= extents[modes[k]];
    }
    return {extents, strides};
}

/// Predicted seconds for each nesting; empty where there is no plan, which the contraction itself
/// reports.
std::vector<double> seconds_of(const contraction_spec &spec, std::span<const input> inputs,
                               const extents_t &extents, data_type type,
                               std::span<const nesting> nestings, const context *ctx) {
    std::vector<double> seconds;
    try {
        for (const nesting &one : nestings) {
            const output d(type, nullptr, nested_layout(extents, one));
            seconds.push_back(make_plan(spec, inputs, d, d, {.ctx = ctx}).summary().seconds);
        }
    } catch (const error &) {
        seconds.clear();
    }
    return seconds;
}

/// What the predictions depend on. A context at the address of one that has ended finds the choices
/// of that one; they are right, if not the fastest.
std::vector<index_t> key_of(const expression &read, std::span<const typed_array> inputs,
                            data_type type, const nesting &numpys, const context *ctx) {
    std::vector<index_t> key{static_cast<index_t>(reinterpret_cast<std::uintptr_t>(ctx)),
                             static_cast<index_t>(type),
                             static_cast<index_t>(read.spec.output.size())};
    key.insert(key.end(), read.spec.output.begin(), read.spec.output.end());
    key.insert(key.end(), numpys.begin(), numpys.end());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        PyArrayObject *const array = inputs[k].array;
        const int order = PyArray_NDIM(array);
        key.insert(key.end(), {static_cast<index_t>(inputs[k].type), inputs[k].conjugated, order});
        key.insert(key.end(), read.spec.inputs[k].begin(), read.spec.inputs[k].end());
        key.insert(key.end(), PyArray_DIMS(array), PyArray_DIMS(array) + order);
        key.insert(key.end(), PyArray_STRIDES(array), PyArray_STRIDES(array) + order);
    }
    return key;
}

/// Plans for each nesting, with Python's lock: other threads might replace what `read` refers to.
nesting choose(const expression &read, std::span<const typed_array> given, data_type type,
               nesting numpys, const context *ctx) {
    std::vector<nesting> nestings = nestings_of(read, given, std::move(numpys));
    if (nestings.size() == 1)
        return std::move(nestings.front());
    std::vector<input> inputs;
    std::vector<layout> layouts;
    for (const typed_array &one : given) {
        strides_t strides;
        layouts.push_back(shape_of(one.array, strides).to_layout());
        const input plain(one.type, PyArray_DATA(one.array), layouts.back());
        inputs.push_back(one.conjugated ? conj(plain) : plain);
    }
    const extents_t extents = output_extents(read.spec, layouts);
    if (multiply_adds(extents) > most_elements)
        return std::move(nestings.front());
    std::vector<double> seconds = seconds_of(read.spec, inputs, extents, type, nestings, ctx);
    if (seconds.empty())
        return std::move(nestings.front());
    seconds.front() *= clearly_less;
    return std::move(nestings[static_cast<std::size_t>(
        std::min_element(seconds.begin(), seconds.end()) - seconds.begin())]);
}

} // namespace

nesting cheapest_nesting(const expression &read, std::span<const typed_array> inputs,
                         data_type type, nesting numpys) {
    static std::map<std::vector<index_t>, nesting> known; // Python's lock protects it
    const current_context ctx;
    std::vector<index_t> key = key_of(read, inputs, type, numpys, ctx.get());
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    nesting chosen = choose(read, inputs, type, std::move(numpys), ctx.get());
    if (known.size() >= most_choices)
        known.clear();
    return known.emplace(std::move(key), std::move(chosen)).first->second;
}

py::object cheapest_output(const expression &read, std::span<const typed_array> inputs,
                           std::span<PyArrayObject *const> given, data_type type, double work) {
    nesting modes = nesting_as_inputs(read, given);
    if (work >= layout_matters && inputs.size() == 2 && modes.size() > 1 &&
        !read.has_diagonal_output && read.spec.operation == contraction_spec::update::assign)
        modes = cheapest_nesting(read, inputs, type, std::move(modes));
    return new_output(read, given, numpy_number(type), modes);
}

void define_output_layouts(py::module_ &module) {
    // `contracted` are operands, `objects` the arrays of which they were made. `order` is
    // numpy's, or "cheapest".
    module.def("new_output", [](const expression &read,
                                const std::vector<const operand *> &contracted,
                                const std::vector<py::object> &objects, const py::object &dtype,
                                const std::string &order) {
        const int number = reinterpret_cast<PyArray_Descr *>(dtype.ptr())->type_num;
        std::vector<PyArrayObject *> arrays;
        for (const py::object &one : objects)
            arrays.push_back(as_array(one));
        if (const auto type = type_of_number(number); order == "cheapest" && type) {
            std::vector<typed_array> inputs;
            for (const operand *one : contracted)
                inputs.push_back({one->numpy(), one->type(), one->conjugated()});
            return cheapest_output(read, inputs, arrays, *type, multiply_adds(read, contracted));
        }
        const auto place = std::string("KACF").find(order);
        constexpr std::array orders{NPY_KEEPORDER, NPY_ANYORDER, NPY_CORDER, NPY_FORTRANORDER};
        return new_output(read, arrays, number, orders[place == std::string::npos ? 0 : place]);
    });
}

} // namespace tenfold::python

#include "capi/convert.hpp"

#include <chrono>
#include <utility>

#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "capi/type_numbers.hpp"

namespace tenfold::capi_impl {
namespace {

data_type type_of(const tenfold_tensor &tensor, tensor_name name) {
    const data_type type = type_numbered(tensor.type);
    if (size_of(type) == 0)
        refuse("the element type of " + name.text() + " is " + std::to_string(tensor.type) +
               ", which is no value of its enumeration");
    return type;
}

void check_inputs(const void *inputs, std::int32_t count) {
    if (count < 1)
        refuse("input_count is " + std::to_string(count) + "; it is 1 or more");
    require(inputs, "inputs");
}

} // namespace

std::optional<bool> choice_of(tenfold_choice given, const char *what) {
    if (given < TENFOLD_DEFAULT || given > TENFOLD_NO)
        refuse(std::string(what) + " is " + std::to_string(given) +
               "; it is TENFOLD_DEFAULT, TENFOLD_YES or TENFOLD_NO");
    return given == TENFOLD_DEFAULT ? std::nullopt : std::optional(given == TENFOLD_YES);
}

std::optional<byte_count> limit_of(std::int64_t given) noexcept {
    if (given == 0)
        return std::nullopt;
    return bytes(given == TENFOLD_NO_BYTES ? 0 : given);
}

std::string tensor_name::text() const {
    if (letter != nullptr)
        return letter;
    if (count <= 2)
        return index == 0 ? "A" : "B";
    return "input " + std::to_string(index + 1);
}

layout_arrays shape_of(const tenfold_tensor &tensor, tensor_name name) {
    if (tensor.order < 0)
        refuse(name.text() + ": order is " + std::to_string(tensor.order) + "; it is 0 or more");
    if (tensor.order > 0 && tensor.extents == nullptr)
        refuse(name.text() + ": extents is NULL, but order is " + std::to_string(tensor.order));
    return {{tensor.extents, static_cast<std::size_t>(tensor.order)}, tensor.strides};
}

input_arrays arrays_of(const tenfold_tensor &tensor, const void *data, tensor_name name) {
    return {type_of(tensor, name), shape_of(tensor, name), data, tensor.conjugated != 0};
}

output_arrays arrays_of_output(const tenfold_tensor &tensor, void *data, tensor_name name) {
    if (tensor.conjugated != 0)
        refuse(name.text() + " is conjugated; an output cannot be");
    return {type_of(tensor, name), shape_of(tensor, name), data};
}

input input_of(const tenfold_tensor &tensor, const void *data, tensor_name name) {
    const input_arrays arrays = arrays_of(tensor, data, name);
    input plain(arrays.type, data, arrays.shape.to_layout());
    return arrays.conjugated ? conj(std::move(plain)) : plain;
}

output output_of(const tenfold_tensor &tensor, void *data, tensor_name name) {
    const output_arrays arrays = arrays_of_output(tensor, data, name);
    return {arrays.type, data, arrays.shape.to_layout()};
}

void check(const tenfold_operands *operands) {
    require(operands, "operands");
    check_inputs(operands->inputs, operands->input_count);
    require(operands->d, "operands' d");
}

void check(const tenfold_data *data) {
    require(data, "data");
    check_inputs(data->inputs, data->input_count);
}

path_steps path_of(const tenfold_path *path) {
    if (path == nullptr)
        return {};
    if (path->step_count < 1)
        refuse("the path's step_count is " + std::to_string(path->step_count) +
               "; it is 1 or more");
    require(path->counts, "the path's counts");
    path_steps steps;
    const std::int32_t *next = path->positions;
    for (std::int32_t s = 0; s < path->step_count; ++s) {
        const std::int32_t count = path->counts[s];
        if (count < 1)
            refuse("step " + std::to_string(s + 1) + " of the path has the count " +
                   std::to_string(count) + "; it is 1 or more");
        require(next, "the path's positions");
        steps.emplace_back(next, next + count);
        next += count;
    }
    return steps;
}

namespace {

std::vector<label_t> list_of(const tenfold_label_list &list, const std::string &tensor) {
    if (list.count < 0)
        refuse(tensor + ": the count of labels is " + std::to_string(list.count) +
               "; it is 0 or more");
    if (list.count > 0 && list.labels == nullptr)
        refuse(tensor + ": labels is NULL, but count is " + std::to_string(list.count));
    return {list.labels, list.labels + list.count};
}

} // namespace

label_lists lists_of(const tenfold_label_lists *labels) {
    require(labels, "labels");
    check_inputs(labels->inputs, labels->input_count);
    label_lists lists;
    for (std::int32_t i = 0; i < labels->input_count; ++i)
        lists.inputs.push_back(list_of(labels->inputs[i], "input " + std::to_string(i + 1)));
    if (labels->output != nullptr)
        lists.output = list_of(*labels->output, "the output");
    return lists;
}

std::vector<int> orders_of(const tenfold_tensor *inputs, std::int32_t count) {
    check_inputs(inputs, count);
    std::vector<int> orders;
    for (std::int32_t i = 0; i < count; ++i)
        orders.push_back(inputs[i].order);
    return orders;
}

taken_control::taken_control(const tenfold_control *given) {
    if (given == nullptr)
        return;
    const tenfold_control control = taken(given, "control");
    if (control.interval_milliseconds < 0)
        refuse("control: interval_milliseconds is " +
               std::to_string(control.interval_milliseconds) + "; it is 0 or more");
    execution_control &own = own_.emplace();
    if (control.progress != nullptr)
        own.progress = [function = control.progress, user = control.user](double done) {
            if (function(done, user) != 0 && done < 1) // else nothing is left to be stopped
                throw stopped_by_progress();
        };
    if (control.stop != nullptr)
        own.stop = control.stop->source.get_token();
    if (control.interval_milliseconds > 0)
        own.interval = std::chrono::milliseconds(control.interval_milliseconds);
}

} // namespace tenfold::capi_impl

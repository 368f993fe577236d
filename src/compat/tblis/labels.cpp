#include "compat/tblis/labels.hpp"

#include <algorithm>
#include <utility>

#include <tenfold/error.hpp>

namespace tenfold::tblis_impl {
namespace {

/// What messages call a label.
std::string name_of(unsigned char label) {
    const bool visible = label > ' ' && label < 127;
    return visible ? std::string(1, static_cast<char>(label)) : "#" + std::to_string(label);
}

} // namespace

void labelled_modes::repeat_along(const labelled_modes &other) {
    for (std::size_t mode = 0; mode < other.labels->size(); ++mode) {
        const label_t label = (*other.labels)[mode];
        if (std::ranges::find(*labels, label) == labels->end())
            add(other.extents[mode], 0, label);
    }
}

call_spec::call_spec(std::vector<std::string> names) {
    spec_.inputs.resize(names.size() - 1);
    spec_.operand_names = std::move(names);
}

void call_spec::start() {
    used_ = 0;
    ++call_;
}

label_t call_spec::number_of(tblis::label_type label) {
    const auto character = static_cast<unsigned char>(label);
    number &known = numbers_[character];
    if (known.call == call_)
        return known.label;
    const auto at = static_cast<std::size_t>(used_);
    if (at == spec_.label_names.size())
        spec_.label_names.push_back(name_of(character));
    else if (spec_.label_names[at] != std::string_view(&label, 1))
        spec_.label_names[at] = name_of(character);
    known = {call_, used_};
    return used_++;
}

labelled_modes call_spec::read(const tblis::tblis_tensor &tensor, const tblis::label_type *labels,
                               std::vector<label_t> &numbers) {
    const bool needs_arrays = tensor.ndim > 0;
    if (needs_arrays && (tensor.len == nullptr || tensor.stride == nullptr || labels == nullptr))
        throw error(errc::invalid_argument, "a tensor of " + std::to_string(tensor.ndim) +
                                                " modes has no lengths, strides or labels");
    numbers.clear();
    labelled_modes modes{{}, {}, &numbers};
    modes.extents.reserve(tensor.ndim);
    modes.strides.reserve(tensor.ndim);
    for (unsigned mode = 0; mode < tensor.ndim; ++mode)
        if (tensor.len[mode] != 1)
            modes.add(tensor.len[mode], tensor.stride[mode], number_of(labels[mode]));
    return modes;
}

} // namespace tenfold::tblis_impl

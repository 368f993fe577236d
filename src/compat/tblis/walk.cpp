#include "compat/tblis/walk.hpp"

#include <string>

#include <tenfold/error.hpp>

namespace tenfold::tblis_impl {
namespace {

/// Throws errc::extent_mismatch if an earlier mode with the label of this one has another length.
void check_label(const labelled_modes &modes, std::size_t mode, const contraction_spec &spec) {
    const std::vector<label_t> &labels = *modes.labels;
    const auto earlier = std::ranges::find(labels, labels[mode]) - labels.begin();
    const auto first = static_cast<std::size_t>(earlier);
    if (modes.extents[first] == modes.extents[mode])
        return;
    const auto operand = [&](std::size_t at) {
        return error_operand{
            .name = "A", .mode = static_cast<int>(at), .extent = modes.extents[at]};
    };
    const auto text = [&](std::size_t at) {
        return "A mode " + std::to_string(at) + " has extent " + std::to_string(modes.extents[at]);
    };
    const std::string &label = spec.label_names[static_cast<std::size_t>(labels[mode])];
    throw error(errc::extent_mismatch, "label '" + label + "': " + text(first) + ", " + text(mode),
                {.label = label, .first = operand(first), .second = operand(mode)});
}

} // namespace

void check_walked(const tblis::tblis_tensor &tensor, const labelled_modes &modes,
                  const contraction_spec &spec) {
    const layout checked(modes.extents, modes.strides);
    for (std::size_t mode = 1; mode < modes.labels->size(); ++mode)
        check_label(modes, mode, spec);
    if (tensor.data == nullptr && checked.size() > 0)
        status(errc::null_pointer, 'A').throw_if_failed();
}

} // namespace tenfold::tblis_impl

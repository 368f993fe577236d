#include "compat/tapp/labelled.hpp"

#include <algorithm>

#include "compat/tapp/failure.hpp"

namespace tenfold::tapp_impl {
namespace {

std::string quoted(std::int64_t label) { return "'" + name_of_label(label) + "'"; }

std::string mode_with_extent(const described_tensor &tensor, int mode) {
    return std::string(1, tensor.name) + " mode " + std::to_string(mode) + " has extent " +
           std::to_string(tensor.extent(mode));
}

bool has_label(const described_tensor &tensor, std::int64_t label) {
    return std::find(tensor.idx, tensor.idx + tensor.order(), label) != tensor.idx + tensor.order();
}

void check_labels_of_d(const described_tensors &tensors) {
    const auto &[a, b, c, d] = tensors;
    for (int mode = 0; mode < d.order(); ++mode)
        if (!has_label(a, d.idx[mode]) && !has_label(b, d.idx[mode]))
            throw failure(TENFOLD_TAPP_LABEL_OF_D_ONLY, "label " + quoted(d.idx[mode]) +
                                                            ": D mode " + std::to_string(mode) +
                                                            " has it, but no mode of A or B");
}

/// The mode of `tensor` must have the extents of the modes of `other` with its label.
void check_extent(const described_tensor &tensor, int mode, const described_tensor &other,
                  TAPP_error code) {
    for (int found = 0; found < other.order(); ++found)
        if (other.idx[found] == tensor.idx[mode] && other.extent(found) != tensor.extent(mode)) {
            std::string first = mode_with_extent(tensor, mode);
            std::string second = mode_with_extent(other, found);
            if (other.name < tensor.name)
                first.swap(second);
            throw failure(code, "label " + quoted(tensor.idx[mode]) + ": " + first + ", " + second);
        }
}

/// A tensor to compare extents with, and the code for those that differ.
struct comparison {
    const described_tensor &with;
    TAPP_error code;
};

void check_extents(const described_tensor &tensor, std::initializer_list<comparison> others) {
    for (int mode = 0; mode < tensor.order(); ++mode)
        for (const comparison &other : others)
            check_extent(tensor, mode, other.with, other.code);
}

void check_structure_of_c(const described_tensor &c, const described_tensor &d) {
    if (c.order() != d.order())
        throw failure(TENFOLD_TAPP_ORDER_OF_C, "C has " + std::to_string(c.order()) +
                                                   " modes, D has " + std::to_string(d.order()));
    for (int mode = 0; mode < d.order(); ++mode) {
        if (c.idx[mode] != d.idx[mode])
            throw failure(TENFOLD_TAPP_LABELS_OF_C, "mode " + std::to_string(mode) + " has label " +
                                                        quoted(c.idx[mode]) + " in C and " +
                                                        quoted(d.idx[mode]) + " in D");
        if (c.extent(mode) != d.extent(mode))
            throw failure(TENFOLD_TAPP_EXTENTS_OF_C, "label " + quoted(d.idx[mode]) + ": " +
                                                         mode_with_extent(c, mode) + ", " +
                                                         mode_with_extent(d, mode));
    }
}

} // namespace

std::string name_of_label(std::int64_t label) {
    const bool is_visible = label > ' ' && label < 127;
    return is_visible ? std::string(1, static_cast<char>(label)) : "#" + std::to_string(label);
}

described_tensor describe(char name, TAPP_tensor_info info, const std::int64_t *idx) {
    const tensor_info *const found = find<tensor_info>(info);
    if (found == nullptr)
        throw failure(TENFOLD_TAPP_TENSOR_INFO,
                      std::string(1, name) + " is described by a number that is no tensor info, "
                                             "or that was destroyed");
    if (found->order() > 0)
        require(idx, (std::string("idx_") + name).c_str());
    return {found, idx, name};
}

void check_rules(const described_tensors &tensors) {
    const auto &[a, b, c, d] = tensors;
    check_labels_of_d(tensors);
    check_extents(a, {{a, TENFOLD_TAPP_EXTENTS_IN_A},
                      {b, TENFOLD_TAPP_EXTENTS_OF_A_AND_B},
                      {d, TENFOLD_TAPP_EXTENTS_OF_A_AND_D}});
    check_extents(b, {{b, TENFOLD_TAPP_EXTENTS_IN_B}, {d, TENFOLD_TAPP_EXTENTS_OF_B_AND_D}});
    check_extents(d, {{d, TENFOLD_TAPP_EXTENTS_IN_D}});
    check_structure_of_c(c, d);
    if (const layout shape(d.info->extents, d.info->strides); shape.overlaps_itself())
        throw failure(TENFOLD_TAPP_ALIASING_IN_D,
                      "two elements of D lie at one address: " + shape.describe());
}

labelled_tensor label_numbers::labelled(const described_tensor &tensor) {
    labelled_tensor made;
    made.type = tensor.info->type;
    for (int mode = 0; mode < tensor.order(); ++mode) {
        if (tensor.extent(mode) == 1)
            continue;
        const auto found = std::ranges::find(known_, tensor.idx[mode]);
        made.labels.push_back(static_cast<label_t>(found - known_.begin()));
        if (found == known_.end())
            known_.push_back(tensor.idx[mode]);
        made.extents.push_back(tensor.extent(mode));
        made.strides.push_back(tensor.info->strides[static_cast<std::size_t>(mode)]);
    }
    return made;
}

std::vector<std::string> label_numbers::names() const {
    std::vector<std::string> made;
    for (const std::int64_t label : known_)
        made.push_back(name_of_label(label));
    return made;
}

} // namespace tenfold::tapp_impl

// The tensors of a product with their labels, and TAPP's rules about them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

#include "compat/tapp/tensor_info.hpp"
#include "tenfold/tapp/tapp/tensor.h"

namespace tenfold::tapp_impl {

/// A tensor as TAPP's programs describe it: `idx` has a label for each mode of `info`.
struct described_tensor {
    const tensor_info *info;
    const std::int64_t *idx;
    char name; ///< 'A' to 'D'

    int order() const noexcept { return info->order(); }
    index_t extent(int mode) const noexcept {
        return info->extents[static_cast<std::size_t>(mode)];
    }
};
using described_tensors = std::array<described_tensor, 4>; ///< A, B, C, D

/// Throws TENFOLD_TAPP_TENSOR_INFO or NULL_POINTER.
described_tensor describe(char name, TAPP_tensor_info info, const std::int64_t *idx);

/// Throws the first of the codes 4, 9, 1, 2, 10, 3, 11, 5, 6, 7 and 8 that applies, in the order in
/// which TAPP's reference implementation looks for them.
void check_rules(const described_tensors &tensors);

/// A tensor without its modes of extent 1, which matter to nobody, with labels from 0.
struct labelled_tensor {
    data_type type{};
    extents_t extents, strides;
    std::vector<label_t> labels;

    layout shape() const { return {extents, strides}; }
};

/// Numbers the labels by their first appearance: products that differ in the programs' numbers only
/// are alike.
class label_numbers {
public:
    labelled_tensor labelled(const described_tensor &tensor);
    /// What messages call the labels: 'a' for 97, or '#12'.
    std::vector<std::string> names() const;

private:
    std::vector<std::int64_t> known_;
};

/// "a" for 97, "#12" for numbers that are no visible character.
std::string name_of_label(std::int64_t label);

} // namespace tenfold::tapp_impl

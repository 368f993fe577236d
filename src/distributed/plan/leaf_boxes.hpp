// Boxes and placements of operands as reproducible sums take them: by label.
#pragma once

#include "distributed/plan/layouts.hpp"
#include "distributed/plan/local_products.hpp"
#include "distributed/plan/placement.hpp"
#include "reproducible/leaf_sum.hpp"

namespace tenfold::dist_impl {

/// The positions that a product covers.
inline reproducible_impl::label_box label_box_of(const reproducible_impl::summation &sum,
                                                 const layouts &where, const product_boxes &boxes) {
    auto result = reproducible_impl::label_box::whole(sum);
    const slice *const slices[] = {&boxes.a, &boxes.b, &boxes.d};
    for (const tensor_id operand : all_but_c) {
        const slice &box = *slices[operand];
        for (std::size_t mode = 0; mode < box.extents.size(); ++mode) {
            const std::size_t label = sum.at(where.panel_labels(operand)[mode]);
            result.offsets[label] = box.offsets[mode];
            result.extents[label] = box.extents[mode];
        }
    }
    return result;
}

/// `type`: of the elements.
inline reproducible_impl::summand summand_of(const reproducible_impl::summation &sum,
                                             const layouts &where, tensor_id operand,
                                             const element_places &from, data_type type) {
    if (operand == B && !sum.kind().has_b)
        return {};
    return {from.shift, sum.by_label(where.panel_labels(operand), from.strides), size_of(type)};
}

/// The box of D's panel of a tile, and the strides of its sum in the order of D's panel labels.
struct tile_of_d {
    tile_of_d(const reproducible_impl::summation &sum, const layouts &where,
              const reproducible_impl::label_box &tile,
              reproducible_impl::numbers strides_by_label) {
        for (const int number : where.panel_labels(D)) {
            const std::size_t label = sum.at(number);
            box.offsets.push_back(tile.offsets[label]);
            box.extents.push_back(tile.extents[label]);
            strides.push_back(strides_by_label[label]);
        }
    }

    slice box;
    extents_t strides;
};

} // namespace tenfold::dist_impl

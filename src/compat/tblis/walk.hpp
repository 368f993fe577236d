// Visits all elements of a tensor on one thread, for what no contraction does.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "compat/tblis/labels.hpp"

namespace tenfold::tblis_impl {

/// Refuses what contract() would refuse of A, the only tensor of a call: lengths below 0, a label
/// of two lengths, no memory for its elements. `spec` names the labels. Throws as contract() does.
void check_walked(const tblis::tblis_tensor &tensor, const labelled_modes &modes,
                  const contraction_spec &spec);

/// Calls visit(offset, count, stride) for runs of elements that together are all elements of
/// `modes`, which were checked, each once, a label's diagonal included; the mode of the shortest
/// stride lies along the runs.
template <class Visit> void walk(const labelled_modes &modes, Visit visit) {
    struct mode {
        index_t extent, stride, position;
    };
    std::vector<mode> distinct;
    std::vector<label_t> labels;
    for (std::size_t k = 0; k < modes.labels->size(); ++k) {
        const label_t label = (*modes.labels)[k];
        const auto known = std::ranges::find(labels, label);
        if (known == labels.end()) {
            labels.push_back(label);
            distinct.push_back({modes.extents[k], modes.strides[k], 0});
        } else {
            distinct[static_cast<std::size_t>(known - labels.begin())].stride += modes.strides[k];
        }
    }
    std::ranges::sort(distinct, {}, [](const mode &one) { return std::abs(one.stride); });
    if (distinct.empty())
        distinct.push_back({1, 0, 0});
    for (const mode &one : distinct)
        if (one.extent == 0)
            return;
    for (index_t offset = 0;;) {
        visit(offset, distinct.front().extent, distinct.front().stride);
        std::size_t k = 1;
        for (; k < distinct.size(); ++k) {
            mode &one = distinct[k];
            offset += one.stride;
            if (++one.position < one.extent)
                break;
            offset -= one.stride * one.extent;
            one.position = 0;
        }
        if (k == distinct.size())
            return;
    }
}

} // namespace tenfold::tblis_impl

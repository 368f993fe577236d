// Labels of TBLIS's tensors, which are characters, as numbers of a contraction_spec.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <tenfold/einsum.hpp>
#include <tenfold/tensor_view.hpp>

#include "tenfold-compat/tblis/tblis.h"

namespace tenfold::tblis_impl {

/// The modes of a tensor: extents, strides and labels. TBLIS drops modes of length 1, whatever
/// their label's extent elsewhere, and so does this.
struct labelled_modes {
    extents_t extents, strides;
    std::vector<label_t> *labels; ///< of the spec

    void add(index_t extent, index_t stride, label_t label) {
        extents.push_back(extent);
        strides.push_back(stride);
        labels->push_back(label);
    }
    /// Repeats the tensor along the labels that only `other` has: by strides of 0, which read one
    /// element again and again.
    void repeat_along(const labelled_modes &other);
    /// Leaves the modes without extents and strides.
    layout take_layout() { return {std::move(extents), std::move(strides)}; }
};

/// The spec of one call. Kept from call to call by each thread, so that its vectors have their
/// memory already; the labels are numbered by their first appearance, which gives calls that differ
/// in letters only the same plan.
class call_spec {
public:
    /// `names` are those of the interface: the inputs', then the output's.
    explicit call_spec(std::vector<std::string> names);

    /// Begins a call.
    void start();
    labelled_modes input(std::size_t number, const tblis::tblis_tensor &tensor,
                         const tblis::label_type *labels) {
        return read(tensor, labels, spec_.inputs[number]);
    }
    labelled_modes output(const tblis::tblis_tensor &tensor, const tblis::label_type *labels) {
        return read(tensor, labels, spec_.output);
    }
    /// The modes of an input that is no tensor of the call's.
    labelled_modes no_modes(std::size_t number) {
        spec_.inputs[number].clear();
        return {{}, {}, &spec_.inputs[number]};
    }

    const contraction_spec &get() const noexcept { return spec_; }

private:
    labelled_modes read(const tblis::tblis_tensor &tensor, const tblis::label_type *labels,
                        std::vector<label_t> &numbers);
    label_t number_of(tblis::label_type label);

    contraction_spec spec_;
    label_t used_ = 0; ///< so many labels have a number in this call
    std::uint64_t call_ = 0;
    struct number {
        std::uint64_t call = 0; ///< that gave it
        label_t label = 0;
    };
    std::array<number, 256> numbers_{}; ///< by character
};

} // namespace tenfold::tblis_impl

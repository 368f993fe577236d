#include "compat/tapp/form.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "compat/tapp/failure.hpp"
#include "compat/tapp/types.hpp"

namespace tenfold::tapp_impl {
namespace {

constexpr std::size_t A = 0, B = 1, C = 2, D = 3;
constexpr index_t alignment = 64; // a line of the caches

[[noreturn]] void refuse_size() {
    throw failure(TENFOLD_TAPP_OVERFLOW, "a temporary copy would have a size that does not fit 64 "
                                         "bits");
}

index_t sum(index_t x, index_t y) {
    index_t result;
    if (__builtin_add_overflow(x, y, &result))
        refuse_size();
    return result;
}

index_t product(index_t x, index_t y) {
    index_t result;
    if (__builtin_mul_overflow(x, y, &result))
        refuse_size();
    return result;
}

/// A label of a tensor: the tensor's stride along it, which is the diagonal's where the tensor has
/// it twice, and the stride of a dense copy.
struct copied_mode {
    label_t label;
    index_t extent, stride, copy_stride;
};

/// A dense copy of a tensor, in which each label is once. The modes are in the order of the
/// tensor's strides, shortest first. Along modes of stride 0 there is one element in the copy, too.
struct dense_copy {
    std::vector<copied_mode> modes;
    index_t elements = 1;

    index_t stride_of(label_t label) const {
        return std::ranges::find(modes, label, &copied_mode::label)->copy_stride;
    }
};

dense_copy copy_of(const labelled_tensor &tensor) {
    dense_copy made;
    for (std::size_t mode = 0; mode < tensor.labels.size(); ++mode) {
        const auto known = std::ranges::find(made.modes, tensor.labels[mode], &copied_mode::label);
        if (known == made.modes.end())
            made.modes.push_back(
                {tensor.labels[mode], tensor.extents[mode], tensor.strides[mode], 0});
        else
            known->stride = sum(known->stride, tensor.strides[mode]);
    }
    std::ranges::stable_sort(made.modes, {}, [](const copied_mode &mode) {
        return mode.stride < 0 ? -static_cast<double>(mode.stride)
                               : static_cast<double>(mode.stride);
    });
    for (copied_mode &mode : made.modes)
        if (mode.stride != 0) {
            mode.copy_stride = made.elements;
            made.elements = product(made.elements, std::max(mode.extent, index_t{1}));
        }
    return made;
}

/// The tensor's own modes on its copy: of modes with one label the first one has the stride.
layout shape_on(const dense_copy &copy, const labelled_tensor &tensor) {
    extents_t strides;
    for (std::size_t mode = 0; mode < tensor.labels.size(); ++mode) {
        const auto first = std::ranges::find(tensor.labels, tensor.labels[mode]);
        const bool is_first = first == tensor.labels.begin() + static_cast<std::ptrdiff_t>(mode);
        strides.push_back(is_first ? copy.stride_of(tensor.labels[mode]) : 0);
    }
    return {tensor.extents, std::move(strides)};
}

/// From the tensor to a copy, in the order of the tensor's strides. `target` gives the strides
/// there. Along modes that have none there, there is one element.
copy_form copy_into(const dense_copy &copy, const dense_copy &target, data_type from,
                    data_type to) {
    extents_t extents, strides_from, strides_to;
    for (const copied_mode &mode : copy.modes)
        if (const index_t stride = target.stride_of(mode.label); stride != 0 || mode.extent == 0) {
            extents.push_back(mode.extent);
            strides_from.push_back(mode.stride);
            strides_to.push_back(stride);
        }
    return {from, to, layout(extents, std::move(strides_from)),
            layout(extents, std::move(strides_to))};
}

copy_form reversed(copy_form copy) {
    std::swap(copy.from, copy.to);
    std::swap(copy.shape_from, copy.shape_to);
    return copy;
}

/// Puts the form together, tensor by tensor.
class form_maker {
public:
    explicit form_maker(const product_request &request) : request_(request) {
        for (std::size_t t = A; t <= D; ++t) {
            tensors_[t] = numbers_.labelled(request.tensors[t]);
            types_[t] = tensors_[t].type;
            conjugated_[t] = conjugates(request.ops[t], types_[t], request.tensors[t].name);
        }
        computed_ = computed_in(types_, request.precision);
        converts_d_ = types_[D] != computed_;
        converts_c_ = types_[C] != computed_ || converts_d_;
    }

    product_form make() {
        output d = converts_d_ ? d_in_copy() : output(types_[D], nullptr, tensors_[D].shape());
        input a = planned(A), b = planned(B), c = planned(C);
        return {.spec = spec(),
                .a = std::move(a),
                .b = std::move(b),
                .c = std::move(c),
                .d = std::move(d),
                .copy_of_c = std::move(copy_of_c_),
                .copy_of_d = std::move(copy_from_d_),
                .temporary_bytes = bytes(used_),
                .scalar_type = types_[D],
                .conj_output = conjugated_[D],
                .d_is_empty = is_empty(tensors_[D]),
                .sum_is_empty = is_empty(tensors_[A]) || is_empty(tensors_[B]),
                .c_lies_as_d =
                    types_[C] == types_[D] && tensors_[C].strides == tensors_[D].strides};
    }

private:
    static bool is_empty(const labelled_tensor &tensor) {
        return std::ranges::count(tensor.extents, 0) > 0;
    }

    /// Makes room for it. There is one copy, because C is copied to where D is made.
    void place(const dense_copy &copy) {
        const index_t wanted = product(copy.elements, size_of(computed_));
        used_ = product(sum(wanted, alignment - 1) / alignment, alignment);
    }

    output d_in_copy() {
        copy_of_d_ = copy_of(tensors_[D]);
        place(copy_of_d_);
        copy_from_d_ = reversed(copy_into(copy_of_d_, copy_of_d_, types_[D], computed_));
        return {computed_, nullptr, shape_of_d_in_copy()};
    }

    /// D's copy has each label once.
    layout shape_of_d_in_copy() const {
        extents_t extents, strides;
        for (const copied_mode &mode : copy_of_d_.modes) {
            extents.push_back(mode.extent);
            strides.push_back(mode.copy_stride);
        }
        return {std::move(extents), std::move(strides)};
    }

    input planned(std::size_t t) {
        input made = t != C || !converts_c_ ? input(types_[t], nullptr, tensors_[t].shape())
                     : converts_d_          ? c_in_copy_of_d()
                                            : c_in_copy();
        return conjugated_[t] ? conj(std::move(made)) : made;
    }

    input c_in_copy() {
        const dense_copy copy = copy_of(tensors_[C]);
        place(copy);
        copy_of_c_ = copy_into(copy, copy, types_[C], computed_);
        return {computed_, nullptr, shape_on(copy, tensors_[C])};
    }

    input c_in_copy_of_d() {
        copy_of_c_ = copy_into(copy_of(tensors_[C]), copy_of_d_, types_[C], computed_);
        return {computed_, nullptr, shape_of_d_in_copy()};
    }

    contraction_spec spec() const {
        contraction_spec made;
        made.inputs = {tensors_[A].labels, tensors_[B].labels};
        made.output = tensors_[D].labels;
        if (converts_d_) {
            made.output.clear();
            for (const copied_mode &mode : copy_of_d_.modes)
                made.output.push_back(mode.label);
        }
        made.label_names = numbers_.names();
        made.operand_names = {"A", "B", "D"};
        return made;
    }

    const product_request &request_;
    label_numbers numbers_;
    std::array<labelled_tensor, 4> tensors_;
    std::array<data_type, 4> types_{};
    std::array<bool, 4> conjugated_{};
    bool converts_c_ = false, converts_d_ = false;
    data_type computed_{};
    dense_copy copy_of_d_;
    std::optional<copy_form> copy_of_c_, copy_from_d_;
    index_t used_ = 0;
};

} // namespace

product_form form_of(const product_request &request) {
    check_rules(request.tensors);
    return form_maker(request).make();
}

} // namespace tenfold::tapp_impl

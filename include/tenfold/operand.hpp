// Tensors as arguments: input and output erase the element type, so that one function serves all
// types.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <tenfold/tensor.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A tensor that is read. It converts from views and tensors of any element type. It refers to the
/// tensor and must not outlive it. The pointer may be null when only a plan is made.
class input {
public:
    template <class T> input(const tensor_view<T> &view)
        : type_(data_type_of<T>), data_(view.data()), layout_(view.shape()) {}
    template <class T> input(const tensor<T> &owner) : input(owner.view()) {}
    input(data_type type, const void *data, layout shape)
        : type_(type), data_(data), layout_(std::move(shape)) {}

    data_type type() const noexcept { return type_; }
    const void *data() const noexcept { return data_; }
    const layout &shape() const noexcept { return layout_; }
    bool conjugated() const noexcept { return conjugated_; }

    /// Returns the same tensor, conjugated when it is read. Has no effect on real types.
    friend input conj(input operand) {
        operand.conjugated_ = !operand.conjugated_;
        return operand;
    }

private:
    data_type type_;
    const void *data_;
    layout layout_;
    bool conjugated_ = false;
};

/// conj(A) for views and tensors: `contract("ab=ka*kb", conj(A), B, C)`.
template <class T> input conj(const tensor_view<T> &view) { return conj(input(view)); }
template <class T> input conj(const tensor<T> &owner) { return conj(input(owner)); }

/// A tensor that is written, and also read if beta is not 0.
class output {
public:
    template <class T>
    requires(!std::is_const_v<T>) output(const tensor_view<T> &view)
        : type_(data_type_of<T>), data_(view.data()), layout_(view.shape()) {}
    template <class T> output(tensor<T> &owner) : output(owner.view()) {}
    output(data_type type, void *data, layout shape)
        : type_(type), data_(data), layout_(std::move(shape)) {}

    data_type type() const noexcept { return type_; }
    void *data() const noexcept { return data_; }
    const layout &shape() const noexcept { return layout_; }

    /// An output can also be read.
    operator input() const { return {type_, data_, layout_}; }

private:
    data_type type_;
    void *data_;
    layout layout_;
};

/// How a tensor lies, in arrays of the caller's, for those who have no layout: bindings to other
/// languages. Nothing is copied; it is checked, as layout's constructors do, when a plan is made.
struct layout_arrays {
    std::span<const index_t> extents = {};
    const index_t *strides = nullptr; ///< as many as extents; null: dense, column-major

    layout to_layout() const;
};
struct input_arrays {
    data_type type;
    layout_arrays shape;
    const void *data = nullptr;
    bool conjugated = false;
};
struct output_arrays {
    data_type type;
    layout_arrays shape;
    void *data = nullptr;
};

/// A tensor or a view, which has its elements' type and a layout.
template <class T>
concept tensor_or_view = std::convertible_to<const T &, input> && requires(const T &one) {
    *one.data();
    one.shape().strides();
};
template <class T>
concept writable_tensor_or_view =
    tensor_or_view<std::remove_cvref_t<T>> && std::convertible_to<T, output>;

/// A tensor where it lies. It must outlive what is returned, which refers to its layout as well.
template <tensor_or_view T> input_arrays arrays_of(const T &one) noexcept {
    return {.type = data_type_of<std::remove_reference_t<decltype(*one.data())>>,
            .shape = {.extents = one.shape().extents(), .strides = one.shape().strides().data()},
            .data = one.data()};
}
template <tensor_or_view T>
requires(writable_tensor_or_view<T &>) output_arrays output_arrays_of(T &one)
noexcept {
    return {.type = data_type_of<std::remove_reference_t<decltype(*one.data())>>,
            .shape = {.extents = one.shape().extents(), .strides = one.shape().strides().data()},
            .data = one.data()};
}

} // namespace tenfold

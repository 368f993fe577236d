// A call of contract(): its arguments in the form in which the caller has them, and the key of its
// plan in the plan cache.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenfold/contract.hpp>

#include "base/plan_cache.hpp"

namespace tenfold::contract_impl {

/// What the last tensor before D is.
enum class last_tensor : std::uint8_t {
    input, ///< C is D
    c,
    as_expressed ///< of three tensors: an input, if the expression has three of them
};

/// The modes of a tensor that has two.
struct matrix_modes {
    index_t extent[2];
    index_t stride[2];
};

/// A tensor of a call, in the form in which the caller has it. Made is input or output.
template <class Made, class Arrays> class argument_of {
public:
    argument_of() = default;
    explicit argument_of(const Made &one) noexcept : made_(&one) {}
    explicit argument_of(const Arrays &one) noexcept : arrays_(&one) {}

    auto *data() const noexcept { return made_ != nullptr ? made_->data() : arrays_->data; }
    int order() const noexcept {
        return made_ != nullptr ? made_->shape().order()
                                : static_cast<int>(arrays_->shape.extents.size());
    }
    data_type type() const noexcept { return made_ != nullptr ? made_->type() : arrays_->type; }
    bool is_conjugated() const noexcept {
        return made_ != nullptr ? is_conjugated(*made_) : is_conjugated(*arrays_);
    }
    /// For a tensor of order 2.
    matrix_modes as_matrix() const noexcept {
        if (made_ != nullptr) {
            const extents_t &extents = made_->shape().extents(),
                            &strides = made_->shape().strides();
            return {{extents[0], extents[1]}, {strides[0], strides[1]}};
        }
        const layout_arrays &shape = arrays_->shape;
        if (shape.strides == nullptr)
            return {{shape.extents[0], shape.extents[1]}, {1, shape.extents[0]}};
        return {{shape.extents[0], shape.extents[1]}, {shape.strides[0], shape.strides[1]}};
    }
    void add_to(base::plan_key &key) const {
        key.add(static_cast<std::uint64_t>(type()) << 1 | (is_conjugated() ? 1 : 0));
        if (made_ != nullptr)
            key.add(made_->shape());
        else
            key.add(arrays_->shape);
    }
    Made make() const {
        if (made_ != nullptr)
            return *made_;
        Made plain(arrays_->type, arrays_->data, arrays_->shape.to_layout());
        if constexpr (std::is_same_v<Made, input>)
            return arrays_->conjugated ? conj(std::move(plain)) : plain;
        else
            return plain;
    }

private:
    static bool is_conjugated(const input &one) noexcept { return one.conjugated(); }
    static bool is_conjugated(const input_arrays &one) noexcept { return one.conjugated; }
    static bool is_conjugated(const output &) noexcept { return false; }
    static bool is_conjugated(const output_arrays &) noexcept { return false; }

    const Made *made_ = nullptr; ///< null: arrays_ is not
    const Arrays *arrays_ = nullptr;
};
using argument = argument_of<input, input_arrays>;
using output_argument = argument_of<output, output_arrays>;

/// What a call computes: an expression, or a spec, which is one that has been read already.
struct call_text {
    call_text(std::string_view text) : expression(text) {}
    call_text(const contraction_spec &read) : spec(&read) {}

    std::string_view expression;
    const contraction_spec *spec = nullptr; ///< null: there is an expression
};

/// The arguments of a call.
struct one_shot {
    call_text text;
    std::span<const argument> tensors; ///< the inputs, then C unless it is D
    last_tensor last;
    output_argument d;
    const contract_options &options;
    std::uint64_t wisdom_learned = 0; ///< state of wisdom; later plans may know more
};

/// The key of a call's plan: everything on which it depends, except the context. alpha and beta are
/// not part of it, since execute() takes them.
base::plan_key key_of(const one_shot &call);

} // namespace tenfold::contract_impl

// Contractions of distributed tensors of several element types: products of bf16, f16 and 8-bit
// integers, a real tensor times a complex one, conversions. Link tenfold::dist.
#pragma once

#include <span>
#include <string_view>

#include <tenfold/dist.hpp>
#include <tenfold/dist_mixed_plan.hpp>
#include <tenfold/dist_types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

namespace dist_impl {

/// A distributed tensor of any element type. Inputs are not written through it.
struct any_dist_tensor {
    data_type type;
    const void *tensor; ///< its address
    const world *owner;
    const distribution *spread;
    const slice *local;
    std::uint64_t number;
    void *elements;        ///< this rank's
    bool *written_by_hand; ///< copies may differ
};
template <class T>
[[gnu::visibility("default")]] any_dist_tensor any_of(const dist_tensor<T> &tensor);

struct any_input {
    any_dist_tensor its;
    bool conjugated = false;
};

/// `b` is null with one input.
dist_report contract_any(std::string_view expression, const any_dist_tensor &a,
                         const any_dist_tensor *b, const any_dist_tensor &r,
                         const dist_options &options);

} // namespace dist_impl

/// Collective. As contract() of <tenfold/dist.hpp>, for tensors of different types:
///     contract("ab=ak*kb", A, B, R); // A, B of bf16, R of f32
/// The mixtures are those of one node (docs/semantics.md#types): bf16 and f16 are multiplied as
/// they are stored and summed in f32 over all ranks; R of bf16 or f16 is rounded once, at the end;
/// i8 times i8, and u8 times i8, give i32. Elements travel as they are stored, sums as sums. Throws
/// errc::type_mismatch for other mixtures, on all ranks.
template <class TA, class TB, class TR>
dist_report contract(std::string_view expression, const dist_tensor<TA> &a,
                     const dist_tensor<TB> &b, dist_tensor<TR> &r,
                     const dist_options &options = {}) {
    const dist_impl::any_dist_tensor second = dist_impl::any_of(b);
    return dist_impl::contract_any(expression, dist_impl::any_of(a), &second, dist_impl::any_of(r),
                                   options);
}
/// One input; also conversions: `contract("ab=ab", A, R)` with R of bf16.
template <class TA, class TR> dist_report contract(std::string_view expression,
                                                   const dist_tensor<TA> &a, dist_tensor<TR> &r,
                                                   const dist_options &options = {}) {
    return dist_impl::contract_any(expression, dist_impl::any_of(a), nullptr, dist_impl::any_of(r),
                                   options);
}

/// One of several inputs of any element type: refers to a tensor, which may be conjugated.
class dist_operand {
public:
    template <class T> dist_operand(const dist_tensor<T> &tensor)
        : its_{dist_impl::any_of(tensor)} {}
    template <class T> dist_operand(const dist_input<T> &input)
        : its_{dist_impl::any_of(input.tensor()), input.conjugated()} {}

    /// Returns the same input, conjugated when it is read. Has no effect on real types.
    friend dist_operand conj(dist_operand operand) {
        operand.its_.conjugated = !operand.its_.conjugated;
        return operand;
    }

    const dist_impl::any_input &any() const noexcept { return its_; }

private:
    dist_impl::any_input its_;
};

namespace dist_impl {

dist_sequence_report contract_any(std::string_view expression, std::span<const dist_operand> inputs,
                                  const any_dist_tensor &r, const dist_options &options);

} // namespace dist_impl

/// Collective. Contracts any number of inputs, as in <tenfold/dist.hpp>. Intermediates have the
/// type of the sums.
template <class TR>
dist_sequence_report contract(std::string_view expression, std::span<const dist_operand> inputs,
                              dist_tensor<TR> &r, const dist_options &options = {}) {
    return dist_impl::contract_any(expression, inputs, dist_impl::any_of(r), options);
}

} // namespace tenfold

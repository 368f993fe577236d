// Products of TBLIS's tensors whose labels fit letters, without memory from the heap: 8 x 8 x 8
// takes less than a microsecond, of which vectors and the comparison of specs were a third.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenfold/contract.hpp>

#include "compat/tblis/operands.hpp"
#include "compat/tblis/threads.hpp"

namespace tenfold::tblis_impl {

/// A tensor of at most so many modes, in the arrays that contract() reads.
struct quick_tensor {
    static constexpr unsigned most_modes = 16;

    std::array<index_t, most_modes> extents, strides; ///< `count` of them are set
    std::array<char, most_modes> letters;
    std::size_t count = 0;

    std::string_view text() const noexcept { return {letters.data(), count}; }
    layout_arrays shape() const noexcept { return {{extents.data(), count}, strides.data()}; }
};

/// The expression of one call. Labels become letters by their first appearance, so that calls that
/// differ in letters only have the same plan.
class quick_product {
public:
    /// Reads a tensor. False if it does not fit: it has too many modes, or none, or no arrays.
    bool read(const tblis::tblis_tensor &tensor, const tblis::label_type *labels,
              quick_tensor &to) noexcept {
        if (tensor.ndim > quick_tensor::most_modes || tensor.len == nullptr ||
            tensor.stride == nullptr || labels == nullptr)
            return false;
        for (unsigned mode = 0; mode < tensor.ndim; ++mode) {
            if (tensor.len[mode] == 1)
                continue;
            char &letter = letters_[static_cast<unsigned char>(labels[mode])];
            if (letter == 0) {
                if (used_ == all_letters.size())
                    return false;
                letter = all_letters[used_++];
            }
            to.extents[to.count] = tensor.len[mode];
            to.strides[to.count] = tensor.stride[mode];
            to.letters[to.count++] = letter;
        }
        return to.count > 0;
    }

    /// "ab=ac*cb".
    std::string_view expression(const quick_tensor &a, const quick_tensor &b,
                                const quick_tensor &c) noexcept {
        std::size_t size = 0;
        const auto append = [&](std::string_view part) {
            part.copy(text_.data() + size, part.size());
            size += part.size();
        };
        for (const std::string_view part :
             {c.text(), std::string_view("="), a.text(), std::string_view("*"), b.text()})
            append(part);
        return {text_.data(), size};
    }

private:
    static constexpr std::string_view all_letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    std::array<char, 256> letters_{}; ///< by character
    std::size_t used_ = 0;
    std::array<char, 3 * quick_tensor::most_modes + 2> text_; ///< uninitialised
};

/// C = alpha_A alpha_B op(A) op(B) + beta_C C. False if it was not computed: the tensors do not
/// fit, or something is wrong with them, which is told where labels keep their names.
inline bool multiply_quickly(const tblis_comm *comm, const tblis::tblis_tensor &A,
                             const tblis::label_type *idx_A, const tblis::tblis_tensor &B,
                             const tblis::label_type *idx_B, const tblis::tblis_tensor &C,
                             const tblis::label_type *idx_C) {
    quick_product product;
    quick_tensor a, b, c;
    if (C.conj != 0 || !product.read(A, idx_A, a) || !product.read(B, idx_B, b) ||
        !product.read(C, idx_C, c))
        return false;
    try {
        const auto input_of = [](const tblis::tblis_tensor &tensor, const quick_tensor &its) {
            const data_type type = data_type_for(tensor.type);
            return input_arrays{type, its.shape(), tensor.data, conjugates(tensor, type)};
        };
        const std::array inputs{input_of(A, a), input_of(B, b)};
        contract(product.expression(a, b, c), inputs, nullptr,
                 {data_type_for(C.type), c.shape(), C.data},
                 {.alpha = product_of_factors(A, B),
                  .beta = factor_of(C),
                  .threads = threads_of(comm),
                  .diagonal_output = true});
        return true;
    } catch (const error &) {
        return false;
    }
}

} // namespace tenfold::tblis_impl

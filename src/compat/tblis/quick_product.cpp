#include "compat/tblis/quick_product.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <tenfold/contract.hpp>

#include "compat/tblis/operands.hpp"
#include "compat/tblis/small_matrices.hpp"
#include "compat/tblis/threads.hpp"

namespace tenfold::tblis_impl {
namespace {

using tblis::label_type;
using tblis::tblis_tensor;

/// A tensor of at most so many modes, in the arrays that contract() reads.
struct quick_tensor {
    static constexpr unsigned most_modes = 16;

    std::array<index_t, most_modes> extents, strides; ///< `count` of them are set
    std::size_t count = 0;

    layout_arrays shape() const noexcept { return {{extents.data(), count}, strides.data()}; }
};

/// The expression of one call. Labels become letters by their first appearance, so that calls that
/// differ in letters only have the same plan.
class quick_product {
public:
    /// Reads a tensor. False if it does not fit: it has too many labels, or only modes of length 1.
    bool read(const tblis_tensor &tensor, const label_type *labels, quick_tensor &to) noexcept {
        // Locals: what is written as characters might alias members.
        std::size_t count = 0, size = size_, used = used_;
        for (unsigned mode = 0; mode < tensor.ndim; ++mode) {
            if (tensor.len[mode] == 1)
                continue;
            const std::size_t number = number_of(labels[mode], used);
            if (number == all_letters.size())
                return false;
            used = std::max(used, number + 1);
            to.extents[count] = tensor.len[mode];
            to.strides[count++] = tensor.stride[mode];
            text_[size++] = all_letters[number];
        }
        to.count = count;
        size_ = size;
        used_ = used;
        return count > 0;
    }
    /// Writes what stands between two tensors.
    void write(char sign) noexcept { text_[size_++] = sign; }

    /// "ab=ac*cb", if C was read first.
    std::string_view expression() const noexcept { return {text_.data(), size_}; }

private:
    static constexpr std::string_view all_letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    /// Of a label among those that were read, to which it is added; all_letters.size() if it is one
    /// too many. Few labels are compared faster than a table of all characters is cleared.
    std::size_t number_of(tblis::label_type label, std::size_t used) noexcept {
        std::size_t number = 0;
        while (number < used && labels_[number] != label)
            ++number;
        if (number == used && number < labels_.size())
            labels_[number] = label;
        return number;
    }

    std::array<tblis::label_type, all_letters.size()> labels_; ///< `used_` of them are set
    std::size_t used_ = 0;
    std::array<char, 3 * quick_tensor::most_modes + 2> text_; ///< `size_` of them are set
    std::size_t size_ = 0;
};

/// Whether a tensor has modes, not too many, and arrays.
bool fits(const tblis_tensor &tensor, const label_type *labels) noexcept {
    return tensor.ndim - 1 < quick_tensor::most_modes && tensor.len != nullptr &&
           tensor.stride != nullptr && labels != nullptr;
}

/// The product as contract() computes it. False if the labels do not fit.
bool multiply_by_letters(const tblis_tensor &A, const label_type *idx_A, const tblis_tensor &B,
                         const label_type *idx_B, const tblis_tensor &C, const label_type *idx_C,
                         int threads) {
    quick_product product;
    quick_tensor a, b, c;
    if (!product.read(C, idx_C, c))
        return false;
    product.write('=');
    if (!product.read(A, idx_A, a))
        return false;
    product.write('*');
    if (!product.read(B, idx_B, b))
        return false;
    const data_type type = data_type_for(C.type);
    const auto input_of = [&](const tblis_tensor &tensor, const quick_tensor &its) {
        return input_arrays{type, its.shape(), tensor.data, conjugates(tensor, type)};
    };
    const std::array inputs{input_of(A, a), input_of(B, b)};
    contract(product.expression(), inputs, nullptr, {type, c.shape(), C.data},
             {.alpha = product_of_factors(A, B),
              .beta = factor_of(C),
              .threads = threads,
              .diagonal_output = true});
    return true;
}

} // namespace

bool multiply_quickly(const tblis_comm *comm, const tblis_tensor &A, const label_type *idx_A,
                      const tblis_tensor &B, const label_type *idx_B, const tblis_tensor &C,
                      const label_type *idx_C) {
    if (!fits(A, idx_A) || !fits(B, idx_B) || !fits(C, idx_C) || C.conj != 0 || A.type != B.type ||
        A.type != C.type)
        return false;
    try {
        const int threads = threads_of(comm);
        if (multiply_small_matrices(A, idx_A, B, idx_B, C, idx_C, threads))
            return true;
        return multiply_by_letters(A, idx_A, B, idx_B, C, idx_C, threads);
    } catch (const error &) {
        return false;
    }
}

} // namespace tenfold::tblis_impl

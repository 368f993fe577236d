// Many contractions of one form, with tensors of their own each.
#pragma once

#include <span>

#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Where one operand of each contraction of a batch begins. Void is const void or void. Arrays of
/// addresses are not copied.
template <class Void> class operand_batch {
public:
    operand_batch() = default; ///< null, in all contractions

    /// In contraction i, at first + i * stride elements; stride 0: one tensor for all of them.
    static operand_batch strided(Void *first, index_t stride) noexcept {
        operand_batch batch;
        batch.first_ = first;
        batch.stride_ = stride;
        return batch;
    }
    /// In contraction i, at addresses[i].
    static operand_batch at_addresses(std::span<Void *const> addresses) noexcept {
        operand_batch batch;
        batch.addresses_ = addresses;
        batch.by_addresses_ = true;
        return batch;
    }

    bool by_addresses() const noexcept { return by_addresses_; }
    std::span<Void *const> addresses() const noexcept { return addresses_; }
    Void *first() const noexcept { return first_; }
    index_t stride() const noexcept { return stride_; }

private:
    Void *first_ = nullptr;
    index_t stride_ = 0;
    std::span<Void *const> addresses_ = {};
    bool by_addresses_ = false;
};

using input_batch = operand_batch<const void>;
using output_batch = operand_batch<void>;

/// D_i = alpha op(A_i) op(B_i) + beta op(C_i), for `count` contractions of one plan. Each operand
/// says in its own way where it begins.
///
///     const std::array inputs{input_batch::strided(A.data(), 64),
///                             input_batch::strided(B.data(), 0)};
///     plan.execute_batch({.count = 1000,
///                         .inputs = inputs,
///                         .d = output_batch::strided(D.data(), 64)});
struct contraction_batch {
    index_t count = 0;
    scalar alpha = 1.0;
    scalar beta = 0.0;
    std::span<const input_batch> inputs = {}; ///< in the order of the expression
    input_batch c = {};                       ///< may be D's; not read if beta is 0
    output_batch d = {};
};

} // namespace tenfold

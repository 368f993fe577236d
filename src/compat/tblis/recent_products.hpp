// Plans of the products that a thread computes again and again, found by the tensors as the caller
// describes them: products of 8 x 8 x 8 take a tenth of a microsecond, and contract() spends as
// much on reading the labels and on finding the plan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tenfold/contract.hpp>

#include "compat/tblis/operands.hpp"

namespace tenfold::tblis_impl {

/// What the plan of a product depends on: three tensors, of which each has arrays and at least one
/// mode, and the threads.
struct product_call {
    struct tensor {
        const tblis::tblis_tensor *view;
        const tblis::label_type *labels;

        /// Types, conjugation and the number of modes.
        index_t head() const noexcept {
            return static_cast<index_t>(view->ndim) << 34 |
                   static_cast<index_t>(static_cast<std::uint32_t>(view->type)) << 1 |
                   (view->conj != 0 ? 1 : 0);
        }
    };

    std::array<tensor, 3> tensors; ///< A, B and C
    int threads;

    /// Of tensors with the same labels, lengths, strides, types and conjugations.
    std::uint64_t hash() const noexcept;
};

/// A place of a thread's table: a product with its plan, and another product that may replace it.
/// Plans of the table live until they are replaced, or the thread ends.
class recent_product {
public:
    /// Where the calling thread keeps a product of this hash. Null while the thread is ending.
    static recent_product *place_of(std::uint64_t hash) noexcept;

    /// Null if the plan of this call is not kept here.
    const contraction_plan *find(const product_call &call) noexcept;
    /// Counts a call that was not found. True for the one whose plan should be kept from now on:
    /// the place had several such calls in a row.
    bool is_due(std::uint64_t hash) noexcept;
    /// Replaces what is kept here.
    void keep(const product_call &call, contraction_plan plan);

private:
    /// Making a plan for the table takes as long as some 140 calls of 8 x 8 x 8 gain by it; fewer
    /// calls in a row promise too little.
    static constexpr int calls_before = 64;

    std::vector<index_t> key_; ///< of the plan
    std::optional<contraction_plan> plan_;
    std::uint64_t next_ = 0; ///< hash of the product that may replace it
    int calls_of_next_ = 0;
};

} // namespace tenfold::tblis_impl

// The work of a single rank during a contraction, beside the copies of copy_box.hpp. Simulations of
// large machines (tests/simulation) link other implementations of these two headers, which account
// for the time and touch no data.
#pragma once

#include <cstddef>
#include <span>

#include <tenfold/contract.hpp>

#include "base/function_ref.hpp"

namespace tenfold::dist_impl {

/// One product of a rank: D = alpha A B + beta D.
struct local_product {
    const contraction_plan &plan;
    scalar alpha;
    const void *a, *b;
    scalar beta;
    void *d;
    std::span<std::byte> workspace;
};
/// Computes the product as contraction_plan::execute() does, and calls `meanwhile`, unless it is
/// null, about every millisecond. Throws what that throws.
status multiply(const local_product &product,
                const base::function_ref<void()> *meanwhile = nullptr);

} // namespace tenfold::dist_impl

// The work of a single rank during a contraction, beside the copies of copy_box.hpp. Simulations of
// large machines (tests/simulation) link other implementations of these two headers, which account
// for the time and touch no data.
#pragma once

#include <cstddef>
#include <span>

#include <tenfold/contract.hpp>

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
/// Computes the product as contraction_plan::execute() does.
status multiply(const local_product &product);

} // namespace tenfold::dist_impl

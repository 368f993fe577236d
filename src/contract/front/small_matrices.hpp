// A short cut for small products of two matrices: contract() makes no plan and searches no cache,
// and make_plan() keeps what an execution needs and plans when somebody asks for more.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "contract/front/one_shot.hpp"

namespace tenfold::contract_impl {

struct plan_state;

/// Multiplies as the call asks if its expression is the product of two matrices ("ab=ac*cb",
/// "ac,cb->ab" or "ab-ac-cb", with any letters), which gemm() multiplies without a plan
/// (gemm/forms/small.hpp), and its options leave the choice to the library. The bits are those of
/// a plan, which chooses the same form. Returns false if it did nothing, which it does with wrong
/// calls. O(1) beside the product, allocates nothing.
bool multiply_if_small_matrices(const one_shot &call, const context &ctx);

/// Which mode of each matrix is that of its rows: 0 or 1.
struct row_modes {
    int a, b, d;
};

/// What make_plan() was given for such a product.
struct small_plan {
    std::string expression;
    row_modes rows;
    data_type type;
    matrix_modes a, b, d;
    bool conj_a, conj_b;
    contract_options options;

    /// D = alpha A B + beta D. Returns false if it did nothing; then whole() has to, or finds what
    /// is wrong.
    bool multiply(scalar alpha, const void *a_data, const void *b_data, scalar beta,
                  void *d_data) const noexcept;
    /// All that other plans consist of: candidates and their prices, texts, checks.
    std::unique_ptr<const plan_state> whole() const;
};

/// Returns nothing if make_plan() would refuse these arguments, or might choose another way. O(1).
std::optional<small_plan> make_small_plan(std::string_view expression, const input &a,
                                          const input &b, const output &d,
                                          const contract_options &options);

} // namespace tenfold::contract_impl

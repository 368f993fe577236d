// The single-node contractions of a rank's steps.
#pragma once

#include <map>
#include <vector>

#include <tenfold/contract.hpp>

#include "distributed/plan/placement.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Returns the expression of a contraction of some of a plan's labels.
contraction_spec make_spec(const plan_state &plan, std::vector<std::vector<int>> inputs,
                           std::vector<int> output);

/// The boxes of A, B and D that one product needs; with one input `b` is not used.
struct product_boxes {
    slice a, b, d;
    /// Returns part i of `parts` along a label.
    product_boxes cut(const layouts &where, int label, index_t i, index_t parts) const;
};

/// The strides of the arrays in which the boxes lie.
struct operand_strides {
    const extents_t &a, &b, &d;
};

/// The plans for the shapes of steps. Cuts are balanced, so there are few shapes; each is planned
/// once.
class local_products {
public:
    local_products(const plan_state &plan, contract_options options);

    /// Makes the plan for these boxes unless it exists; throws as make_plan() does.
    void prepare(const product_boxes &boxes, const operand_strides &strides);
    index_t workspace_size() const noexcept { return workspace_size_; }
    /// Returns the algorithm of the shape that was prepared first.
    tenfold::algorithm algorithm() const noexcept { return algorithm_; }

    /// Returns the plan of boxes that were prepared.
    const contraction_plan &plan_of(const product_boxes &boxes,
                                    const operand_strides &strides) const;

private:
    using shape = std::vector<index_t>; ///< extents and strides
    static shape shape_of(const product_boxes &boxes, const operand_strides &strides);

    const plan_state &plan_;
    contract_options options_;
    std::map<shape, contraction_plan> plans_;
    index_t workspace_size_ = 0;
    tenfold::algorithm algorithm_ = algorithm::automatic;
};

} // namespace tenfold::dist_impl

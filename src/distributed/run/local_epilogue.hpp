// The epilogue of a distributed contraction on one rank: that of its own block of the output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/dist_plan.hpp>
#include <tenfold/einsum.hpp>

#include "contract/epilogues/planned_epilogue.hpp"

namespace tenfold::dist_impl {

/// What ranks must agree on: all steps with their labels, extents, types and numbers. Addresses and
/// strides may differ.
std::string describe_epilogue(const contraction_epilogue *epilogue);

/// An output of which this rank has a block.
struct block_of_output {
    data_type type;
    const extents_t &extents; ///< of the whole
    const slice &own;         ///< this rank's, dense, column-major
    void *data;
};

class local_epilogue {
public:
    /// The epilogue's tensors are whole. Checks them against the whole output, on every rank alike,
    /// and what this rank's block needs of them; throws as contract() does.
    local_epilogue(const contraction_epilogue &given, const contraction_spec &spec,
                   const block_of_output &r, isa instruction_set);
    local_epilogue(const local_epilogue &) = delete;
    local_epilogue &operator=(const local_epilogue &) = delete;

    /// Applies it to this rank's block, which is complete.
    void run(int threads) const noexcept;

private:
    std::vector<const void *> data_; ///< of the steps, where the block begins
    void *first_ = nullptr;          ///< of the block, or of its diagonal
    std::optional<contract_impl::planned_epilogue> planned_; ///< none if this rank has no element
};

} // namespace tenfold::dist_impl

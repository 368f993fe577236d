// The steps of a distributed contraction of more than two inputs, for one order of them.
#pragma once

#include <tenfold/dist_sequence.hpp>

#include "base/checked.hpp"
#include "contract/sequences/sequence_draft.hpp"
#include "distributed/plan/operand_types.hpp"
#include "distributed/plan/prices.hpp"

namespace tenfold::dist_impl {

/// What a caller asks of a sequence.
struct sequence_request {
    const prices &price;
    const contraction_spec &spec;
    data_type type;                         ///< of the sums, and of intermediates
    operand_types types;                    ///< of the inputs, then of the output
    std::span<const distribution> operands; ///< likewise
    const dist_options &options;
    const std::vector<bool> &conjugated;

    std::size_t inputs() const noexcept { return operands.size() - 1; }
    int ranks() const noexcept { return operands.front().ranks(); }
    index_t bytes_of(const distribution &spread, data_type of) const {
        return base::saturated_multiply(spread.largest_block(), size_of(of));
    }
    /// Of an operand of the call, the output being the last.
    index_t bytes_of_operand(std::size_t number) const {
        return bytes_of(operands[number], types[number]);
    }
    bool is_conjugated(std::size_t input) const {
        const bool by_option = input == 0 ? options.conj_a : input == 1 && options.conj_b;
        return by_option != (input < conjugated.size() && conjugated[input]);
    }
};

/// Plans the steps of one path, in order. Throws memory_refusal with the least memory that the
/// whole sequence needs.
std::vector<dist_step> plan_steps(const sequence_request &asked,
                                  contract_impl::sequence_draft draft);

} // namespace tenfold::dist_impl

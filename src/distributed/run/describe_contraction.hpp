// Describes a contraction for the ranks to compare before they plan it.
#pragma once

#include <string_view>
#include <vector>

#include <tenfold/dist_mixed.hpp>

#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// The tensors of a call: the inputs in order, then the output.
struct passed_tensors {
    std::vector<const distribution *> spreads;
    std::vector<std::uint64_t> numbers;
    std::vector<data_type> types;
    std::vector<const void *> addresses; ///< which tell tensors apart

    void add(const any_dist_tensor &tensor) {
        spreads.push_back(tensor.spread);
        numbers.push_back(tensor.number);
        types.push_back(tensor.type);
        addresses.push_back(tensor.tensor);
    }
    /// Refuses two tensors for operands of one name; errc::invalid_argument.
    void check_shared_names(const contraction_spec &spec) const;
    std::vector<distribution> copies() const;
};

void describe_contraction(call_description &call, std::string_view expression,
                          const passed_tensors &tensors, const dist_options &options);

} // namespace tenfold::dist_impl

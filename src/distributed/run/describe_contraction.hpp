// Describes a contraction for the ranks to compare before they plan it.
#pragma once

#include <string_view>
#include <vector>

#include <tenfold/dist.hpp>

#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// The tensors of a call: the inputs in order, then the output.
struct passed_tensors {
    std::vector<const distribution *> spreads;
    std::vector<std::uint64_t> numbers;

    template <class T> void add(const dist_tensor<T> &tensor) {
        spreads.push_back(&tensor.distribution());
        numbers.push_back(tensor.number());
    }
    std::vector<distribution> copies() const;
};

void describe_contraction(call_description &call, std::string_view expression, data_type type,
                          const passed_tensors &tensors, const dist_options &options);

} // namespace tenfold::dist_impl

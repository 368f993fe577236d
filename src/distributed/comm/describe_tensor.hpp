// Describes an operation on one tensor; ranks compare the descriptions before they begin.
#pragma once

#include <string>

#include <tenfold/dist.hpp>

#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

template <class T> call_description describe(const char *operation, const dist_tensor<T> &tensor) {
    call_description description(operation);
    description.add("type", std::string(name(data_type_of<T>)))
        .add("distribution", tensor.distribution());
    return description;
}

} // namespace tenfold::dist_impl

// Tensor infos.
#pragma once

#include <tenfold/tensor_view.hpp>

#include "compat/tapp/objects.hpp"

namespace tenfold::tapp_impl {

struct tensor_info : object {
    static constexpr kind own_kind = kind::tensor_info;

    data_type type{};
    extents_t extents, strides;

    int order() const noexcept { return static_cast<int>(extents.size()); }
};

} // namespace tenfold::tapp_impl

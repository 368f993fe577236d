#include "compat/tapp/tensor_info.hpp"

#include <algorithm>
#include <string>

#include "compat/tapp/failure.hpp"
#include "compat/tapp/types.hpp"
#include "tenfold/tapp/tapp/tensor.h"

using namespace tenfold;
using namespace tenfold::tapp_impl;

namespace {

tensor_info &info_of(TAPP_tensor_info number) {
    tensor_info *const found = find<tensor_info>(number);
    if (found == nullptr)
        throw failure(TENFOLD_TAPP_TENSOR_INFO, sentence_about(TENFOLD_TAPP_TENSOR_INFO));
    return *found;
}

void check_order(int order) {
    if (order < 0)
        throw failure(TENFOLD_TAPP_NEGATIVE_ORDER,
                      "the number of modes is " + std::to_string(order));
}

/// Throws for negative ones, and for null if there are modes.
extents_t checked_extents(int order, const std::int64_t *given) {
    if (order > 0)
        require(given, "extents");
    for (int mode = 0; mode < order; ++mode)
        if (given[mode] < 0)
            throw failure(TENFOLD_TAPP_NEGATIVE_EXTENT, "mode " + std::to_string(mode) +
                                                            " has extent " +
                                                            std::to_string(given[mode]));
    return extents_t(given, given + order);
}

} // namespace

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info, TAPP_datatype type, int nmode,
                                   const int64_t *extents, const int64_t *strides) {
    return guarded([&] {
        require(info, "info");
        *info = 0;
        check_order(nmode);
        auto made = std::make_unique<tensor_info>();
        made->type = type_of(type);
        made->extents = checked_extents(nmode, extents);
        // The layout checks what does not fit 64 bits.
        const tenfold::layout shape =
            strides != nullptr ? layout(made->extents, extents_t(strides, strides + nmode))
                               : layout(made->extents);
        made->strides.assign(shape.strides().begin(), shape.strides().end());
        *info = publish(std::move(made));
    });
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info) {
    return guarded([&] {
        if (info != 0) {
            info_of(info);
            destroy(info);
        }
    });
}

int TAPP_get_nmodes(TAPP_tensor_info info) {
    const tensor_info *const found = find<tensor_info>(info);
    return found != nullptr ? found->order() : -1;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info, int nmodes) {
    return guarded([&] {
        tensor_info &changed = info_of(info);
        check_order(nmodes);
        const auto order = static_cast<std::size_t>(nmodes);
        changed.strides.reserve(order);
        changed.extents.resize(order, 1);
        changed.strides.resize(order, 0);
    });
}

void TAPP_get_extents(TAPP_tensor_info info, int64_t *extents) {
    if (const tensor_info *const found = find<tensor_info>(info); found != nullptr && extents)
        std::ranges::copy(found->extents, extents);
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info, const int64_t *extents) {
    return guarded([&] {
        tensor_info &changed = info_of(info);
        changed.extents = checked_extents(changed.order(), extents);
    });
}

void TAPP_get_strides(TAPP_tensor_info info, int64_t *strides) {
    if (const tensor_info *const found = find<tensor_info>(info); found != nullptr && strides)
        std::ranges::copy(found->strides, strides);
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info, const int64_t *strides) {
    return guarded([&] {
        tensor_info &changed = info_of(info);
        if (changed.order() > 0)
            require(strides, "strides");
        changed.strides.assign(strides, strides + changed.order());
    });
}

// Slices of distributed tensors that callers pass, and those that ranks without elements have.
#pragma once

#include <string>

#include <tenfold/dist_plan.hpp>
#include <tenfold/error.hpp>

namespace tenfold::dist_impl {

/// Returns an empty box of a tensor of this order.
inline slice nothing(int order) {
    const auto modes = static_cast<std::size_t>(order);
    return {extents_t(modes, 0), extents_t(modes, 0), true};
}

inline slice everything(const extents_t &extents) {
    return {extents_t(extents.size(), 0), extents};
}

/// Throws errc::order_mismatch or errc::extent_mismatch unless the slice is one of a tensor with
/// these extents.
inline void check_slice(const slice &wanted, const extents_t &extents) {
    if (wanted.extents.size() != extents.size() || wanted.offsets.size() != extents.size())
        throw error(errc::order_mismatch,
                    "a slice of order " + std::to_string(wanted.extents.size()) +
                        " of a tensor of order " + std::to_string(extents.size()));
    layout(extents).block(wanted.offsets, wanted.extents); // throws if the slice passes the end
}

/// The same with the name of the tensor in messages.
inline void check_slice(const slice &wanted, const extents_t &extents, const std::string &tensor) {
    try {
        check_slice(wanted, extents);
    } catch (const error &wrong) {
        throw error(wrong.code(), "slice of " + tensor + ": " + wrong.what(), wrong.details());
    }
}

} // namespace tenfold::dist_impl

// Operands of element-wise operations.
#pragma once

#include <string>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "distributed/exchange/tensor_access.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

/// An operand without its type.
struct element_wise_operand {
    template <class T> element_wise_operand(const dist_tensor<T> &tensor, std::string its_name)
        : owner(tensor.owner()), extents(tensor.extents()), name(std::move(its_name)) {}

    world owner;
    const extents_t &extents;
    std::string name; ///< for messages
};

/// Throws unless the extents are equal.
inline void check_extents(const element_wise_operand &one, const element_wise_operand &other) {
    const std::size_t order = one.extents.size();
    if (order != other.extents.size())
        throw error(
            errc::order_mismatch,
            one.name + " has order " + std::to_string(order) + ", " + other.name + " has order " +
                std::to_string(other.extents.size()),
            {.first = {.name = one.name, .order = static_cast<int>(order)},
             .second = {.name = other.name, .order = static_cast<int>(other.extents.size())}});
    for (std::size_t i = 0; i < order; ++i) {
        const index_t mine = one.extents[i];
        const index_t theirs = other.extents[i];
        const auto mode = static_cast<int>(i);
        if (mine != theirs)
            throw error(errc::extent_mismatch,
                        one.name + " mode " + std::to_string(mode) + " has extent " +
                            std::to_string(mine) + ", " + other.name + " mode " +
                            std::to_string(mode) + " has extent " + std::to_string(theirs),
                        {.first = {.name = one.name, .mode = mode, .extent = mine},
                         .second = {.name = other.name, .mode = mode, .extent = theirs}});
    }
}

/// Throws unless `one` can be read element by element beside `other`.
inline void check_same_extents(const element_wise_operand &one, const element_wise_operand &other) {
    if (!(one.owner == other.owner))
        throw error(errc::invalid_argument,
                    one.name + " and " + other.name + " belong to different worlds");
    check_extents(one, other);
}

} // namespace tenfold::dist_impl

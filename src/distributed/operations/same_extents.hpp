// Operands of element-wise operations.
#pragma once

#include <string>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "distributed/exchange/tensor_access.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

/// Throws unless `one` can be read element by element beside `other`; they are named for messages.
template <class T, class U>
void check_same_extents(const dist_tensor<T> &one, const std::string &its_name,
                        const dist_tensor<U> &other, const std::string &other_name) {
    if (!(one.owner() == other.owner()))
        throw error(errc::invalid_argument,
                    its_name + " and " + other_name + " belong to different worlds");
    if (one.order() != other.order())
        throw error(errc::order_mismatch,
                    its_name + " has order " + std::to_string(one.order()) + ", " + other_name +
                        " has order " + std::to_string(other.order()),
                    {.first = {.name = its_name, .order = one.order()},
                     .second = {.name = other_name, .order = other.order()}});
    for (int mode = 0; mode < one.order(); ++mode) {
        const index_t mine = one.extents()[static_cast<std::size_t>(mode)];
        const index_t theirs = other.extents()[static_cast<std::size_t>(mode)];
        if (mine != theirs)
            throw error(errc::extent_mismatch,
                        its_name + " mode " + std::to_string(mode) + " has extent " +
                            std::to_string(mine) + ", " + other_name + " mode " +
                            std::to_string(mode) + " has extent " + std::to_string(theirs),
                        {.first = {.name = its_name, .mode = mode, .extent = mine},
                         .second = {.name = other_name, .mode = mode, .extent = theirs}});
    }
}

} // namespace tenfold::dist_impl

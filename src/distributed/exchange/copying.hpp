// The first copy of a tensor is sent to the others.
#pragma once

#include <optional>

#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/slices.hpp"

namespace tenfold::dist_impl {

/// Prepares to send the first copy of a tensor to the others, if there are any.
template <class T> void prepare_copying(std::optional<prepared_exchange<T>> &copying,
                                        communicator &comm, const distribution &spread,
                                        T *elements) {
    if (spread.copies() == 1)
        return;
    const auto block = [&](int rank, bool is_first) {
        return (spread.copy_of(rank) == 0) == is_first ? spread.block_of(rank)
                                                       : nothing(spread.order());
    };
    const slice mine = spread.block_of(comm.rank());
    copying.emplace(
        comm, [&](int rank) { return block(rank, true); },
        [&](int rank) { return block(rank, false); }, placement<const T>(elements, mine),
        placement<T>(elements, mine));
}

} // namespace tenfold::dist_impl

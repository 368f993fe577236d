// Moving a tensor between its owners and those that write or read its blocks in a file.
#pragma once

#include <functional>
#include <string>

#include "base/checked.hpp"
#include "distributed/comm/communicator.hpp"
#include "distributed/plan/file_blocks.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

/// The blocks that a rank writes or reads: as many as others, next to each other, so that with the
/// default distribution, which cuts last modes, few elements travel.
struct block_range {
    index_t begin, end;
    block_range(index_t blocks, int rank, int ranks)
        : begin(cut(blocks, rank, ranks)), end(cut(blocks, rank + 1, ranks)) {}
    index_t size() const noexcept { return end - begin; }
};

/// Collective. Calls put(block, elements, count) for every block of this rank's range, with its
/// elements in the file's order. One block at a time: a rank holds one, and the buffers of an
/// exchange. What put throws on any rank is thrown on all.
template <class T>
void send_to_file(const dist_tensor<T> &tensor, const file_blocks &blocks,
                  const std::string &operation,
                  const std::function<void(index_t block, const T *elements, index_t count)> &put);

/// Collective. The other way round: get() provides the elements. What it throws is thrown on all
/// ranks before any of its elements, or of those that others got at the same time, are in the
/// tensor; what was got before may be.
template <class T>
void receive_from_file(dist_tensor<T> &tensor, const file_blocks &blocks,
                       const std::string &operation,
                       const std::function<void(index_t block, T *elements, index_t count)> &get);

} // namespace tenfold::dist_impl

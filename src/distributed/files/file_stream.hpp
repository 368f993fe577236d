// Moves a tensor between the ranks that own its elements and those that write or read its blocks in
// a file.
#pragma once

#include "base/checked.hpp"
#include "base/function_ref.hpp"
#include "distributed/comm/communicator.hpp"
#include "distributed/plan/file_blocks.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

/// The consecutive blocks that a rank writes or reads; ranks get equal numbers of blocks, give or
/// take one. The default distribution cuts the last modes, so few elements have to travel.
struct block_range {
    index_t begin, end;
    block_range(index_t blocks, int rank, int ranks)
        : begin(cut(blocks, rank, ranks)), end(cut(blocks, rank + 1, ranks)) {}
    index_t size() const noexcept { return end - begin; }
};

/// Collective. Calls put(block, elements, count) for every block of this rank's range, with the
/// elements in the file's order. A rank holds one block at a time and the buffers of an exchange.
/// If put throws on a rank, all ranks throw.
template <class T>
void send_to_file(const dist_tensor<T> &tensor, const file_blocks &blocks, const char *operation,
                  base::function_ref<void(index_t block, const T *elements, index_t count)> put);

/// Collective. The reverse of send_to_file(): get() provides the elements. If it throws on a rank,
/// all ranks throw; the tensor then may hold the blocks of earlier rounds, and none of this round.
template <class T>
void receive_from_file(dist_tensor<T> &tensor, const file_blocks &blocks, const char *operation,
                       base::function_ref<void(index_t block, T *elements, index_t count)> get);

} // namespace tenfold::dist_impl

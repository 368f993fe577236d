// Freed blocks that a process uses again. The system clears each page that it gives, which takes a
// third as long as to receive what fills it over a local connection.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Blocks that are smaller never come from huge pages, and are not kept.
constexpr index_t huge_block = index_t{4} << 20;

/// Makes free_aligned() keep up to `most` bytes of large blocks, of those that were freed last, at
/// most 16, and allocate_aligned() return one of them where the size is the same. They hold what
/// was written to them. Blocks that were allocated before are not kept. 0, which is the default,
/// frees those that are kept. Thread-safe.
void keep_freed_blocks(byte_count most) noexcept;

/// Bytes of the blocks that are kept now.
byte_count kept_bytes() noexcept;

/// A block of `size` bytes that was kept, else null.
void *take_kept_block(index_t size) noexcept;
/// Says that a large block was allocated, so that it is kept when it is freed.
void note_block(void *memory, index_t size) noexcept;
/// Whether the block is kept and must not be freed.
bool keep_block(void *memory) noexcept;
/// Frees the blocks that are kept.
void free_kept_blocks() noexcept;

} // namespace tenfold::base

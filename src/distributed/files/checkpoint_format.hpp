// The bytes of a checkpoint (docs/distribution.md, "Checkpoints"), without MPI and without files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist_files.hpp>

#include "distributed/plan/file_blocks.hpp"

namespace tenfold::dist_impl {

/// Size in bytes of the start of the header, which says how long the header is.
constexpr index_t checkpoint_prefix_size = 72;

/// The tensors of a checkpoint and where they lie. Offsets are bytes from the beginning of the
/// file.
struct checkpoint_layout {
    struct entry {
        stored_tensor tensor;
        index_t data_offset = 0;     ///< of its elements, a dense column-major array
        index_t checksum_offset = 0; ///< of its blocks' checksums, four bytes each

        file_blocks blocks(byte_count block_size) const;
    };
    byte_count block_size;
    std::vector<entry> entries;
    index_t header_size = 0;
    index_t file_size = 0;

    /// Returns null if no tensor has this name.
    const entry *find(const std::string &name) const noexcept;
};

/// Throws errc::invalid_argument (names, block size), errc::overflow.
checkpoint_layout lay_out_checkpoint(std::vector<stored_tensor> tensors, byte_count block_size);

/// Returns the header. `id` has sixteen bytes.
std::string checkpoint_header(const checkpoint_layout &layout, std::string_view id);

/// Returns the header's size, given the first bytes of a file; throws errc::io, errc::unsupported.
index_t checkpoint_header_size(const std::string &file, std::string_view start, index_t file_size);
/// Parses a header; throws errc::io.
checkpoint_layout parse_checkpoint_header(const std::string &file, std::string_view header,
                                          index_t file_size);

/// CRC-32 as in zlib, PNG and Python's zlib.crc32. It detects every error within 32 neighbouring
/// bits and misses one in 2^32 of the others. A core computes 4 GB/s, which is faster than a rank
/// writes.
std::uint32_t checksum(const void *data, index_t size);

/// Throws errc::io if a block, at `offset` in the file, does not have the `expected` checksum.
void check_block(const std::string &file, const std::string &tensor, index_t offset,
                 const void *data, index_t size, std::uint32_t expected);

} // namespace tenfold::dist_impl

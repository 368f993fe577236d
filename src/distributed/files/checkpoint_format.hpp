// A checkpoint's bytes (docs/distribution.md, "Checkpoints"), without MPI and without a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist_files.hpp>

#include "distributed/plan/file_blocks.hpp"

namespace tenfold::dist_impl {

/// Bytes from which the size of the header is known.
constexpr index_t checkpoint_prefix_size = 72;

/// What a checkpoint holds, and where. Offsets are bytes from the begin of the file.
struct checkpoint_layout {
    struct entry {
        stored_tensor tensor;
        index_t data_offset = 0;     ///< of its elements: a dense column-major array
        index_t checksum_offset = 0; ///< of its blocks' checksums, four bytes each

        file_blocks blocks(byte_count block_size) const;
    };
    byte_count block_size;
    std::vector<entry> entries;
    index_t header_size = 0;
    index_t file_size = 0;

    /// Null where there is no tensor of this name.
    const entry *find(const std::string &name) const noexcept;
};

/// Throws errc::invalid_argument (names, block size), errc::overflow.
checkpoint_layout lay_out_checkpoint(std::vector<stored_tensor> tensors, byte_count block_size);

/// `id`: sixteen bytes.
std::string checkpoint_header(const checkpoint_layout &layout, const std::string &id);

/// The header's size by the first bytes of a file; throws errc::io, errc::unsupported.
index_t checkpoint_header_size(const std::string &file, std::string_view start, index_t file_size);
/// What a header of this size says; throws errc::io.
checkpoint_layout parse_checkpoint_header(const std::string &file, std::string_view header,
                                          index_t file_size);

/// CRC-32 as in zlib, PNG and Python's zlib.crc32: any error within 32 neighbouring bits is found,
/// any other one but for one in 2^32. Four GB/s on a core, which is more than a rank writes.
std::uint32_t checksum(const void *data, index_t size);

/// Throws errc::io where a block, which lies at `offset` in the file, has not the checksum that the
/// file has for it.
void check_block(const std::string &file, const std::string &tensor, index_t offset,
                 const void *data, index_t size, std::uint32_t expected);

} // namespace tenfold::dist_impl

#include "distributed/files/checkpoint_format.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <zlib.h>

#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/integer_types.hpp"

namespace tenfold::dist_impl {
namespace {

constexpr std::string_view magic("\x89TFCP\r\n\x1a", 8); // not text, and damaged by a conversion of
                                                         // line ends
constexpr std::uint32_t byte_order_mark = 0x01020304;    // in the byte order of the machine
constexpr std::uint32_t version = 1;
constexpr index_t data_alignment = 4096; // a page, so that the data can be mapped into memory
constexpr index_t largest_header = index_t{1} << 30;

// Offsets in the header, in bytes.
constexpr std::size_t at_mark = 8;
constexpr std::size_t at_version = 12;
constexpr std::size_t at_id = 16;
constexpr std::size_t at_header_size = 32;
constexpr std::size_t at_file_size = 40;
constexpr std::size_t at_tensors = 48;
constexpr std::size_t at_block_size = 56;
constexpr std::size_t at_checksum = 64;
constexpr index_t fixed_entry_size = 32;

[[noreturn]] void reject(errc code, const std::string &file, const std::string &problem) {
    throw error(code, "'" + file + "': " + problem);
}
[[noreturn]] void reject_header(const std::string &file) {
    reject(errc::io, file, "damaged: the header's checksum is not that of the header");
}

template <class Number> void put(std::string &bytes, std::size_t at, Number value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <class Number> Number get(std::string_view bytes, std::size_t at) {
    Number value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}
void append(std::string &bytes, index_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

index_t padded(index_t size) { return base::round_up(size, 8); }

/// Returns the checksum of the header with zeros in the checksum's place.
std::uint32_t header_checksum(std::string_view header) {
    std::string bytes(header);
    put(bytes, at_checksum, std::uint32_t{0});
    return checksum(bytes.data(), static_cast<index_t>(bytes.size()));
}

void check_names(const std::vector<stored_tensor> &tensors) {
    std::set<std::string_view> seen;
    for (const stored_tensor &tensor : tensors) {
        const bool has_control = std::any_of(tensor.name.begin(), tensor.name.end(), [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        });
        if (tensor.name.size() > 255 || has_control)
            throw error(errc::invalid_argument,
                        "a name of a tensor in a checkpoint has at most 255 bytes and no control "
                        "characters");
        if (!seen.insert(tensor.name).second)
            throw error(errc::invalid_argument,
                        "two tensors of a checkpoint are named '" + tensor.name + "'");
    }
}

/// Reads numbers and text one after the other, never past the end.
class entry_reader {
public:
    explicit entry_reader(std::string_view bytes) : rest_(bytes) {}

    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return rest_.empty(); }
    index_t number() { return get<index_t>(text(sizeof(index_t)), 0); }
    /// Returns the next `size` bytes, or eight zeros if that passes the end.
    std::string_view text(index_t size) {
        if (size < 0 || size > static_cast<index_t>(rest_.size())) {
            failed_ = true;
            return {"\0\0\0\0\0\0\0\0", 8};
        }
        const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(taken.size());
        return taken;
    }
    index_t left() const noexcept { return static_cast<index_t>(rest_.size()); }

private:
    std::string_view rest_;
    bool failed_ = false;
};

std::vector<stored_tensor> parse_entries(const std::string &file, std::string_view bytes,
                                         index_t count) {
    std::vector<stored_tensor> tensors;
    entry_reader reader(bytes);
    while (static_cast<index_t>(tensors.size()) < count && !reader.failed()) {
        const index_t name_size = reader.number();
        const index_t order = reader.number();
        const std::string_view type_name = reader.text(8);
        static_cast<void>(reader.number()); // the offset of its data, which follows from the
                                            // extents of the tensors before it
        if (name_size < 0 || name_size > 255 || order < 0 || order > reader.left() / 8)
            reject_header(file);
        extents_t extents;
        for (index_t mode = 0; mode < order; ++mode)
            extents.push_back(reader.number());
        std::string name(
            reader.text(padded(name_size)).substr(0, static_cast<std::size_t>(name_size)));
        const auto type = base::parse_any_type(type_name.substr(0, type_name.find('\0')));
        if (!type)
            reject_header(file);
        tensors.push_back({std::move(name), *type, std::move(extents)});
    }
    if (reader.failed() || !reader.at_end())
        reject_header(file);
    return tensors;
}

} // namespace

std::uint32_t checksum(const void *data, index_t size) {
    return static_cast<std::uint32_t>(
        crc32_z(0, static_cast<const unsigned char *>(data), static_cast<std::size_t>(size)));
}

void check_block(const std::string &file, const std::string &tensor, index_t offset,
                 const void *data, index_t size, std::uint32_t expected) {
    if (checksum(data, size) != expected)
        reject(errc::io, file,
               "damaged: tensor '" + tensor + "', bytes " + std::to_string(offset) + " to " +
                   std::to_string(offset + size) + " do not have their checksum");
}

file_blocks checkpoint_layout::entry::blocks(byte_count block_size) const {
    return {tensor.extents, false, block_size.value / size_of(tensor.type)};
}

const checkpoint_layout::entry *checkpoint_layout::find(const std::string &name) const noexcept {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const entry &one) { return one.tensor.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

checkpoint_layout lay_out_checkpoint(std::vector<stored_tensor> tensors, byte_count block_size) {
    if (block_size.value < 16)
        throw error(errc::invalid_argument,
                    "blocks of " + std::to_string(block_size.value) + " bytes; 16 is the least");
    check_names(tensors);
    checkpoint_layout layout;
    layout.block_size = block_size;
    layout.header_size = checkpoint_prefix_size;
    for (stored_tensor &tensor : tensors) {
        layout.header_size += fixed_entry_size + 8 * static_cast<index_t>(tensor.extents.size()) +
                              padded(static_cast<index_t>(tensor.name.size()));
        layout.entries.push_back({std::move(tensor)});
    }
    if (layout.header_size > largest_header)
        throw error(errc::invalid_argument, "the header of the checkpoint would have " +
                                                std::to_string(layout.header_size) +
                                                " bytes; 1 GiB is the most");
    const auto advance = [](index_t &offset, index_t size) {
        offset = base::checked_add(offset, size, "bytes of a checkpoint");
    };
    index_t offset = layout.header_size;
    for (auto &entry : layout.entries) {
        entry.checksum_offset = offset;
        storage_bytes(tenfold::layout(entry.tensor.extents), entry.tensor.type); // throws if the
                                                                                 // tensor is too
                                                                                 // large
        const index_t count = entry.blocks(block_size).count();
        advance(offset, base::checked_multiply(count, 4, "checksums of a checkpoint"));
    }
    layout.file_size = offset;
    for (auto &entry : layout.entries) {
        advance(offset, data_alignment - 1);
        offset -= offset % data_alignment;
        entry.data_offset = offset;
        advance(offset,
                storage_bytes(tenfold::layout(entry.tensor.extents), entry.tensor.type).value);
        layout.file_size = offset;
    }
    return layout;
}

std::string checkpoint_header(const checkpoint_layout &layout, std::string_view id) {
    std::string bytes(static_cast<std::size_t>(checkpoint_prefix_size), '\0');
    magic.copy(bytes.data(), magic.size());
    put(bytes, at_mark, byte_order_mark);
    put(bytes, at_version, version);
    id.copy(bytes.data() + at_id, 16);
    put(bytes, at_header_size, layout.header_size);
    put(bytes, at_file_size, layout.file_size);
    put(bytes, at_tensors, static_cast<index_t>(layout.entries.size()));
    put(bytes, at_block_size, layout.block_size.value);
    for (const auto &entry : layout.entries) {
        const stored_tensor &tensor = entry.tensor;
        append(bytes, static_cast<index_t>(tensor.name.size()));
        append(bytes, static_cast<index_t>(tensor.extents.size()));
        bytes.append(name(tensor.type)).append(8 - name(tensor.type).size(), '\0');
        append(bytes, entry.data_offset);
        for (const index_t extent : tensor.extents)
            append(bytes, extent);
        bytes.append(tensor.name).append(-tensor.name.size() % 8, '\0');
    }
    put(bytes, at_checksum, header_checksum(bytes));
    return bytes;
}

index_t checkpoint_header_size(const std::string &file, std::string_view start, index_t file_size) {
    if (start.substr(0, magic.size()) != magic)
        reject(errc::io, file, "is not a checkpoint");
    if (static_cast<index_t>(start.size()) < checkpoint_prefix_size)
        reject(errc::io, file, "truncated: the header is not complete");
    const auto mark = get<std::uint32_t>(start, at_mark);
    if (mark == __builtin_bswap32(byte_order_mark))
        reject(errc::unsupported, file, "was written by a machine with another order of bytes");
    if (mark != byte_order_mark)
        reject_header(file);
    const auto its_version = get<std::uint32_t>(start, at_version);
    if (its_version > version)
        reject(errc::unsupported, file,
               "a checkpoint of version " + std::to_string(its_version) + "; this is Tenfold for " +
                   "version " + std::to_string(version) + " at most");
    const auto size = get<index_t>(start, at_header_size);
    if (its_version == 0 || size < checkpoint_prefix_size || size > largest_header)
        reject_header(file);
    if (size > file_size)
        reject(errc::io, file, "truncated: the header is not complete");
    return size;
}

checkpoint_layout parse_checkpoint_header(const std::string &file, std::string_view header,
                                          index_t file_size) {
    if (get<std::uint32_t>(header, at_checksum) != header_checksum(header))
        reject_header(file);
    checkpoint_layout layout;
    try {
        layout = lay_out_checkpoint(
            parse_entries(file, header.substr(static_cast<std::size_t>(checkpoint_prefix_size)),
                          get<index_t>(header, at_tensors)),
            bytes(get<index_t>(header, at_block_size)));
    } catch (const error &problem) {
        if (problem.code() == errc::out_of_memory || problem.code() == errc::io)
            throw;
        reject(errc::io, file, std::string("malformed header: ") + problem.what());
    }
    // A header with a correct checksum whose fields lie elsewhere belongs to another format.
    if (checkpoint_header(layout, std::string(header.substr(at_id, 16))) != header)
        reject(errc::io, file, "malformed header");
    if (file_size != layout.file_size)
        reject(errc::io, file,
               std::string(file_size < layout.file_size ? "truncated" : "too long") +
                   ": its header says " + std::to_string(layout.file_size) +
                   " bytes, the file has " + std::to_string(file_size));
    return layout;
}

} // namespace tenfold::dist_impl

// Memory in pages of a chosen size, and dense tensors at a chosen position in it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <tenfold/operand.hpp>

namespace tenfold::apps_impl {

enum class page_kind : std::uint8_t {
    as_allocated, ///< by tenfold's allocator: asks for huge pages from 4 MiB on
    small,        ///< base pages, as malloc gives if huge pages must be asked for
    huge          ///< transparent huge pages, aligned to 2 MiB
};
/// The command line's name: "default", "small" or "huge".
std::string_view name(page_kind kind) noexcept;

class page_memory {
public:
    /// All zero. The threads that run a stream over the memory write it first, because systems
    /// place pages near the first writer. Aligned to a page of the kind, to 64 bytes at least.
    /// Throws errc::out_of_memory, and failure if the system has no huge pages.
    page_memory(byte_count size, page_kind kind, int threads);

    std::byte *data() noexcept { return memory_.get(); }
    const std::byte *data() const noexcept { return memory_.get(); }

private:
    std::unique_ptr<std::byte, std::function<void(void *)>> memory_;
};

/// The share of the memory around `address` that the system holds in huge pages, which are only
/// advised. Empty if the system does not report it.
std::optional<double> share_in_huge_pages(const void *address);

/// The position of tensors: in which pages, and how far past a 64-byte boundary.
struct placement {
    page_kind pages = page_kind::as_allocated;
    index_t offset = 0; ///< bytes
};

class placed_array {
public:
    /// All zero. Throws errc::overflow, and as page_memory does.
    placed_array(data_type type, layout shape, const placement &where, int threads)
        : type_(type), shape_(std::move(shape)), offset_(where.offset),
          memory_({storage_bytes(shape_, type_).value + offset_}, where.pages, threads) {}

    data_type type() const noexcept { return type_; }
    const layout &shape() const noexcept { return shape_; }
    byte_count size() const noexcept { return {shape_.size() * size_of(type_)}; }

    std::byte *data() noexcept { return memory_.data() + offset_; }
    const std::byte *data() const noexcept { return memory_.data() + offset_; }

    /// The 64-byte boundary before the first element.
    std::byte *boundary() noexcept { return memory_.data(); }
    const std::byte *boundary() const noexcept { return memory_.data(); }

    operator input() const { return {type_, data(), shape_}; }
    operator output() { return {type_, data(), shape_}; }

private:
    data_type type_;
    layout shape_;
    index_t offset_;
    page_memory memory_;
};

} // namespace tenfold::apps_impl

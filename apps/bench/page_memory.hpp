// Memory in pages of a chosen size.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <tenfold/types.hpp>

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

} // namespace tenfold::apps_impl

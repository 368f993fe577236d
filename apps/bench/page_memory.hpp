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
    as_allocated, ///< by tenfold's allocator: huge pages are asked for from 4 MiB on
    small,        ///< the system's own, as malloc gives where huge pages must be asked for
    huge          ///< transparent huge pages, and the start at a boundary of 2 MiB
};
/// "default", "small", "huge": the command line's names.
std::string_view name(page_kind kind) noexcept;

class page_memory {
public:
    /// All zero, written first by the threads that a stream over it has (systems place pages near
    /// the first writer). Aligned to a page of the kind, to 64 bytes at least. Throws
    /// errc::out_of_memory; failure where the system gives no huge pages.
    page_memory(byte_count size, page_kind kind, int threads);

    std::byte *data() noexcept { return memory_.get(); }
    const std::byte *data() const noexcept { return memory_.get(); }

private:
    std::unique_ptr<std::byte, std::function<void(void *)>> memory_;
};

/// The share of the memory around `address` that the system holds in huge pages: what became of the
/// advice. Nothing where the system does not tell.
std::optional<double> share_in_huge_pages(const void *address);

} // namespace tenfold::apps_impl

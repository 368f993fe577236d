// Workspace: memory that an execution needs beside the tensors. It comes from a pool, so that
// repeated executions neither allocate nor cause page faults.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::base {

constexpr index_t workspace_alignment = 64;

/// Bytes that n bytes take in an arena, including alignment.
constexpr index_t aligned_bytes(index_t n) noexcept {
    return (n + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

class workspace_pool;

/// A block on loan from a pool, returned on destruction. Null if there was no memory.
class workspace_lease {
public:
    workspace_lease() = default;
    workspace_lease(workspace_lease &&other) noexcept { swap(other); }
    workspace_lease &operator=(workspace_lease &&other) noexcept {
        workspace_lease(std::move(other)).swap(*this);
        return *this;
    }
    ~workspace_lease();

    std::span<std::byte> memory() const noexcept { return memory_; }
    explicit operator bool() const noexcept { return pool_ != nullptr; }

private:
    friend class workspace_pool;
    workspace_lease(workspace_pool *pool, std::span<std::byte> memory) noexcept
        : pool_(pool), memory_(memory) {}
    void swap(workspace_lease &other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(memory_, other.memory_);
    }

    workspace_pool *pool_ = nullptr;
    std::span<std::byte> memory_;
};

/// Keeps the blocks that were used most recently. Thread-safe.
class workspace_pool {
public:
    workspace_pool() = default;
    ~workspace_pool();
    workspace_pool(const workspace_pool &) = delete;
    workspace_pool &operator=(const workspace_pool &) = delete;

    /// Returns at least `size` bytes, aligned to 64. Blocks of 4 MiB and more are aligned to 2 MiB
    /// and use huge pages if possible. Returns a null lease if there is no memory, and an empty one
    /// if size is 0 or less.
    workspace_lease acquire(byte_count size) noexcept;

    /// Frees the blocks that are not on loan.
    void release() noexcept;

private:
    friend class workspace_lease;
    void give_back(std::span<std::byte> memory) noexcept;

    std::mutex mutex_;
    std::vector<std::span<std::byte>> idle_; ///< least recently returned first
};

/// Divides one block into aligned pieces, in order.
class arena {
public:
    explicit arena(std::span<std::byte> memory) noexcept : rest_(memory) {}

    /// Returns n elements of T, aligned to 64 bytes. The block must be large enough; plans compute
    /// its size in advance.
    template <class T> T *take(index_t n) noexcept {
        const auto size =
            static_cast<std::size_t>(aligned_bytes(n * static_cast<index_t>(sizeof(T))));
        T *piece = reinterpret_cast<T *>(rest_.data());
        rest_ = rest_.subspan(size);
        return piece;
    }
    std::span<std::byte> rest() const noexcept { return rest_; }

private:
    std::span<std::byte> rest_;
};

} // namespace tenfold::base

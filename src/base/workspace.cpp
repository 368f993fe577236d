#include "base/workspace.hpp"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

#include "base/kept_blocks.hpp"

namespace tenfold::base {
namespace {

constexpr index_t huge_page = index_t{2} << 20;
/// Calls rarely nest more than twice, so that few blocks are on loan at a time; more idle blocks
/// would be wasted memory.
constexpr std::size_t idle_blocks_kept = 8;

/// Returns null if there is no memory.
void *allocate(index_t size) noexcept {
    const bool huge = size >= huge_block;
    const index_t alignment = huge ? huge_page : workspace_alignment;
    if (size > INT64_MAX - alignment)
        return nullptr; // rounding up would overflow
    const index_t rounded = (size + alignment - 1) / alignment * alignment;
    void *memory =
        std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
    if (memory != nullptr && huge)
        // Only a hint: with 4 KiB pages everything works, but with more TLB misses.
        madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
    return memory;
}

} // namespace

void *allocate_aligned(byte_count size) {
    const bool is_large = size.value >= huge_block;
    void *memory = is_large ? take_kept_block(size.value) : nullptr;
    if (memory != nullptr)
        return memory;
    memory = allocate(size.value > 0 ? size.value : 1);
    if (memory == nullptr) {
        free_kept_blocks();
        memory = allocate(size.value > 0 ? size.value : 1);
    }
    if (memory == nullptr)
        throw error(errc::out_of_memory,
                    "cannot allocate " + std::to_string(size.value) + " bytes");
    if (is_large)
        note_block(memory, size.value);
    return memory;
}

void free_aligned(void *memory) noexcept {
    if (!keep_block(memory))
        std::free(memory);
}

workspace_lease::~workspace_lease() {
    if (pool_ != nullptr && !memory_.empty())
        pool_->give_back(memory_);
}

workspace_pool::~workspace_pool() { release(); }

workspace_lease workspace_pool::acquire(byte_count size) noexcept {
    if (size.value <= 0)
        return {this, {}};
    const auto wanted = static_cast<std::size_t>(size.value);
    {
        const std::lock_guard lock(mutex_);
        auto best = idle_.end();
        for (auto block = idle_.begin(); block != idle_.end(); ++block)
            if (block->size() >= wanted && (best == idle_.end() || block->size() < best->size()))
                best = block;
        if (best != idle_.end()) {
            const std::span<std::byte> memory = *best;
            idle_.erase(best);
            return {this, memory};
        }
    }
    auto *memory = static_cast<std::byte *>(allocate(size.value));
    if (memory == nullptr) {
        release();
        free_kept_blocks();
        memory = static_cast<std::byte *>(allocate(size.value));
    }
    if (memory == nullptr)
        return {};
    return {this, {memory, wanted}};
}

void workspace_pool::give_back(std::span<std::byte> memory) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        idle_.push_back(memory);
    } catch (const std::bad_alloc &) {
        std::free(memory.data());
        return;
    }
    if (idle_.size() > idle_blocks_kept) {
        std::free(idle_.front().data());
        idle_.erase(idle_.begin());
    }
}

void workspace_pool::release() noexcept {
    const std::lock_guard lock(mutex_);
    for (const std::span<std::byte> block : idle_)
        std::free(block.data());
    idle_.clear();
}

} // namespace tenfold::base

#include "base/kept_blocks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

namespace tenfold::base {
namespace {

struct kept_block {
    void *memory = nullptr;
    index_t size = 0;
};

class block_keeper {
public:
    /// Without a lock: most processes keep nothing.
    bool is_on() const noexcept { return most_.load(std::memory_order_relaxed) > 0; }

    void keep_up_to(index_t most) noexcept {
        const std::lock_guard lock(mutex_);
        most_ = most;
        make_room(0);
        if (most == 0)
            sizes_.clear();
    }
    index_t bytes() noexcept {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }
    void *take(index_t size) noexcept {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = count_; i-- > 0;) // the caches may have the last one still
            if (idle_[i].size == size)
                return note(remove(i), size);
        return nullptr;
    }
    void *note(kept_block what) noexcept {
        const std::lock_guard lock(mutex_);
        return note(what.memory, what.size);
    }
    bool keep(void *memory) noexcept {
        const std::lock_guard lock(mutex_);
        const auto found = sizes_.find(memory);
        if (found == sizes_.end())
            return false;
        const index_t size = found->second;
        sizes_.erase(found);
        if (size > most_)
            return false;
        make_room(size);
        idle_[count_++] = {memory, size};
        bytes_ += size;
        return true;
    }
    void free_all() noexcept {
        const std::lock_guard lock(mutex_);
        while (count_ > 0)
            std::free(remove(0));
    }

private:
    void *note(void *memory, index_t size) noexcept {
        try {
            sizes_.insert_or_assign(memory, size);
        } catch (const std::bad_alloc &) { // then it is not kept
        }
        return memory;
    }
    /// Frees those that were freed first until another one of `size` bytes may be kept.
    void make_room(index_t size) noexcept {
        while (count_ > 0 && (bytes_ + size > most_ || (size > 0 && count_ == idle_.size())))
            std::free(remove(0));
    }
    void *remove(std::size_t place) noexcept {
        const kept_block what = idle_[place];
        std::move(idle_.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                  idle_.begin() + static_cast<std::ptrdiff_t>(count_),
                  idle_.begin() + static_cast<std::ptrdiff_t>(place));
        --count_;
        bytes_ -= what.size;
        return what.memory;
    }

    std::mutex mutex_;
    std::atomic<index_t> most_{0};
    std::map<void *, index_t> sizes_; ///< of large blocks that are in use
    std::array<kept_block, 16> idle_; ///< the one that was freed first is the first
    std::size_t count_ = 0;
    index_t bytes_ = 0; ///< of all that are idle
};

/// Never destroyed: tensors may be freed while the process ends.
block_keeper &keeper() noexcept {
    alignas(block_keeper) static std::byte place[sizeof(block_keeper)];
    static block_keeper *const made = new (place) block_keeper;
    return *made;
}

} // namespace

void keep_freed_blocks(byte_count most) noexcept {
    keeper().keep_up_to(std::max<index_t>(0, most.value));
}
byte_count kept_bytes() noexcept { return {keeper().bytes()}; }

void *take_kept_block(index_t size) noexcept {
    return keeper().is_on() ? keeper().take(size) : nullptr;
}
void note_block(void *memory, index_t size) noexcept {
    if (keeper().is_on())
        keeper().note({memory, size});
}
bool keep_block(void *memory) noexcept { return keeper().is_on() && keeper().keep(memory); }
void free_kept_blocks() noexcept {
    if (keeper().is_on())
        keeper().free_all();
}

} // namespace tenfold::base

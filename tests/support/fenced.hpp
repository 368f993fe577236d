// Memory next to pages that nobody may touch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include <tenfold/types.hpp>

namespace tenfold::testing {

enum class side { begin, end };

/// `size` bytes with a forbidden page right before or right behind them.
class fenced_memory {
public:
    fenced_memory(index_t size, side fence) {
        const index_t page = sysconf(_SC_PAGESIZE);
        const index_t inner = std::max<index_t>(1, (size + page - 1) / page) * page;
        total_ = static_cast<std::size_t>(inner + 2 * page);
        void *all = mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED)
            throw std::bad_alloc();
        all_ = static_cast<char *>(all);
        if (mprotect(all_ + page, static_cast<std::size_t>(inner), PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
        data_ = all_ + page + (fence == side::begin ? 0 : inner - size);
    }
    fenced_memory(const fenced_memory &) = delete;
    fenced_memory &operator=(const fenced_memory &) = delete;
    ~fenced_memory() { munmap(all_, total_); }

    char *data() noexcept { return data_; }

private:
    std::size_t total_ = 0;
    char *all_ = nullptr;
    char *data_ = nullptr;
};

} // namespace tenfold::testing

// Memory next to pages that must not be accessed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <tenfold/types.hpp>

namespace tenfold::testing {

enum class side { begin, end };

/// `size` bytes directly before or behind a protected page.
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

/// An allocator for vectors with one end of their memory at a protected page. Elements begin or end
/// there if the vector is filled to its capacity. Copies keep the side of the page.
template <class T> class fenced_allocator {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;

    explicit fenced_allocator(side fence = side::end) : fence_(fence) {}

    T *allocate(std::size_t n) {
        auto memory = std::make_unique<fenced_memory>(static_cast<index_t>(n * sizeof(T)), fence_);
        auto *const data = reinterpret_cast<T *>(memory->data());
        blocks()[data] = std::move(memory);
        return data;
    }
    void deallocate(T *data, std::size_t) noexcept { blocks().erase(data); }

    friend bool operator==(const fenced_allocator &, const fenced_allocator &) = default;

private:
    static std::map<T *, std::unique_ptr<fenced_memory>> &blocks() {
        static std::map<T *, std::unique_ptr<fenced_memory>> all;
        return all;
    }

    side fence_;
};
using fenced_bytes = std::vector<std::byte, fenced_allocator<std::byte>>;

/// Returns `size` bytes next to a protected page.
inline fenced_bytes make_fenced(index_t size, side fence) {
    return fenced_bytes(static_cast<std::size_t>(size), fenced_allocator<std::byte>(fence));
}

} // namespace tenfold::testing

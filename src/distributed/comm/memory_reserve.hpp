// Memory that a rank sets aside while it can still refuse a call.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tenfold::dist_impl {

/// Once data moves, a rank that lacks memory can no longer refuse the call, because the others wait
/// for its messages. What it allocates from then on is small: boxes, lists of messages, texts of
/// errors. Before every agreement the ranks make sure that each of them holds this reserve. If an
/// allocation fails later, the reserve is freed and the allocation repeated.
class memory_reserve {
public:
    /// Sets the size, in bytes.
    explicit memory_reserve(std::size_t size) noexcept : size_(size) {}

    /// Allocates the reserve unless it is there. Throws std::bad_alloc.
    void renew() {
        if (memory_ == nullptr)
            memory_.reset(static_cast<std::byte *>(::operator new(size_)));
    }

    /// Calls work(), and if it lacks memory, frees the reserve and calls it again. Work that throws
    /// must have had no effect. Throws std::bad_alloc if that was not enough.
    template <class Work> decltype(auto) apply(const Work &work) {
        try {
            return work();
        } catch (const std::bad_alloc &) {
            memory_.reset();
        }
        return work();
    }

private:
    struct deleter {
        void operator()(std::byte *memory) const noexcept { ::operator delete(memory); }
    };
    std::size_t size_;
    std::unique_ptr<std::byte, deleter> memory_;
};

} // namespace tenfold::dist_impl

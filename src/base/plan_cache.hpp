// Plans that one-shot calls made, kept for the next call that asks for the same.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/plan_key.hpp"

namespace tenfold::base {

/// Thread-safe, and bounded: where there is no room, what was used least recently goes.
///
/// Each thread has a small table of what it found last, in front of the one that all share, so that
/// repeated calls neither take a lock nor write to memory that other threads read. Such a table may
/// hold on to as many plans as it has places after the cache let go of them, or was destroyed.
class plan_cache {
public:
    /// Keeps at most so many; 0: none.
    explicit plan_cache(std::size_t most);
    plan_cache(const plan_cache &) = delete;
    plan_cache &operator=(const plan_cache &) = delete;
    ~plan_cache();

    /// What was kept for `key`, which is a T; null: nothing. It lives until the calling thread
    /// looks for something else.
    template <class T> const T *find(const plan_key &key) noexcept {
        return static_cast<const T *>(find_any(key));
    }
    /// Keeps a plan, unless there is one for `key`: threads that looked for the same at the same
    /// time may each have made one. Where there is no memory, it is not kept.
    template <class T> void keep(const plan_key &key, std::shared_ptr<const T> plan) noexcept {
        keep_any(key, std::move(plan));
    }

    /// Plans that are kept.
    std::size_t size() const noexcept;

private:
    struct entry;
    struct recent_finds;
    using entry_ptr = std::shared_ptr<entry>;

    using table = std::unordered_multimap<std::uint64_t, entry_ptr>; ///< by the key's hash

    const void *find_any(const plan_key &key) noexcept;
    void keep_any(const plan_key &key, std::shared_ptr<const void> plan) noexcept;
    entry_ptr find_shared(const plan_key &key) noexcept;
    void mark_used(entry &one) const noexcept;
    table::iterator position_of(const plan_key &key) noexcept;
    table::iterator least_recent() noexcept;

    const std::size_t most_;
    const std::uint64_t identity_; ///< of no other cache in this process, before or after
    mutable std::mutex mutex_;
    table entries_;
    /// Counts what is looked for in the shared table. What threads find in tables of their own in
    /// between counts as used at the same time.
    std::atomic<std::uint64_t> time_ = 0;
};

} // namespace tenfold::base

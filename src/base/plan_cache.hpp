// A cache of the plans that one-shot calls made, for later calls with the same arguments.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/plan_key.hpp"

namespace tenfold::base {

/// Thread-safe and bounded: when it is full, the least recently used plan is dropped.
///
/// Each thread has a small table of its recent finds in front of the shared table, so that repeated
/// calls neither take a lock nor write to memory that other threads read. That table may keep as
/// many plans alive as it has places, even after the cache dropped them or was destroyed.
class plan_cache {
public:
    /// Keeps at most `most` plans; 0: none.
    explicit plan_cache(std::size_t most);
    plan_cache(const plan_cache &) = delete;
    plan_cache &operator=(const plan_cache &) = delete;
    ~plan_cache();

    /// Returns the plan kept for `key`, which must be a T; null if there is none. It lives until
    /// the calling thread's next find().
    template <class T> const T *find(const plan_key &key) noexcept {
        return static_cast<const T *>(find_any(key));
    }
    /// Keeps a plan unless there is one for `key` already: several threads may have made the same
    /// plan at the same time. Without memory it is not kept.
    template <class T> void keep(const plan_key &key, std::shared_ptr<const T> plan) noexcept {
        keep_any(key, std::move(plan));
    }

    /// Number of plans in the cache.
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
    const std::uint64_t identity_; ///< unique among all caches of this process, past and present
    mutable std::mutex mutex_;
    table entries_;
    /// Counts searches of the shared table. Plans that threads find in their own tables between two
    /// such searches count as used at the same time.
    std::atomic<std::uint64_t> time_ = 0;
};

} // namespace tenfold::base

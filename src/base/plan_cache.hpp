// A cache of the plans that one-shot calls made, for later calls with the same arguments.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tenfold/operand.hpp>

namespace tenfold::base {

/// The key of a cached plan: everything that the plan depends on, as a sequence of numbers.
///
/// Built number by number; two keys are equal if the same numbers were added. A length precedes
/// every list, so that different arguments never give the same sequence. Keys of usual length
/// allocate nothing.
class plan_key {
public:
    void add(std::uint64_t word) {
        if (count_ < near_.size())
            near_[count_] = word;
        else
            spill(word);
        ++count_;
    }
    void add(std::string_view text) {
        add(text.size());
        for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
            add(word);
        }
    }
    void add(const layout &shape) {
        add(static_cast<std::uint64_t>(shape.order()));
        for (const extents_t *numbers : {&shape.extents(), &shape.strides()})
            for (const index_t number : *numbers)
                add(static_cast<std::uint64_t>(number));
    }
    /// The same numbers as the layout that the arrays describe.
    void add(const layout_arrays &shape) {
        add(shape.extents.size());
        for (const index_t extent : shape.extents)
            add(static_cast<std::uint64_t>(extent));
        if (shape.strides != nullptr) {
            for (std::size_t k = 0; k < shape.extents.size(); ++k)
                add(static_cast<std::uint64_t>(shape.strides[k]));
            return;
        }
        std::uint64_t dense = 1; // as layout has it, except in empty tensors
        for (const index_t extent : shape.extents) {
            add(dense);
            dense *= static_cast<std::uint64_t>(extent);
        }
    }

    /// Four chains of multiplications, as the processor has several of them under way at once: one
    /// chain took as long as the rest of a call of 8 x 8 x 8.
    std::uint64_t hash() const noexcept {
        std::array<std::uint64_t, 4> chains{1, 2, 3, 4};
        const std::span<const std::uint64_t> all = words();
        std::size_t at = 0;
        for (; at + chains.size() <= all.size(); at += chains.size())
            for (std::size_t k = 0; k < chains.size(); ++k)
                chains[k] = mixed(chains[k], all[at + k]);
        for (std::size_t k = 0; at < all.size(); ++k, ++at)
            chains[k] = mixed(chains[k], all[at]);
        return mixed(mixed(chains[0], chains[1]), mixed(chains[2], chains[3]));
    }
    std::span<const std::uint64_t> words() const noexcept {
        return far_.empty() ? std::span(near_.data(), count_) : std::span(far_);
    }

private:
    /// Multiplication by an odd number is invertible; the shift mixes the upper bits into the lower
    /// ones.
    static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 29;
    }
    void spill(std::uint64_t word) {
        if (far_.empty())
            far_.assign(near_.begin(), near_.end());
        far_.push_back(word);
    }

    std::size_t count_ = 0;
    std::array<std::uint64_t, 128> near_; ///< valid up to count_
    std::vector<std::uint64_t> far_;      ///< all words, if there are more than near_ can hold
};

/// Thread-safe, and bounded by the memory of its plans: where a plan does not fit, those used least
/// recently are dropped, no more than have to be.
///
/// Each thread has a small table of its recent finds in front of the shared table, so that repeated
/// calls neither take a lock nor write to memory that other threads read. That table may keep as
/// many plans alive as it has places, even after the cache dropped them or was destroyed.
class plan_cache {
public:
    /// Keeps plans of at most `most_bytes` bytes together; 0: none.
    explicit plan_cache(std::size_t most_bytes);
    plan_cache(const plan_cache &) = delete;
    plan_cache &operator=(const plan_cache &) = delete;
    ~plan_cache();

    /// Returns the plan kept for `key`, which must be a T; null if there is none. It lives until
    /// the calling thread's next find().
    template <class T> const T *find(const plan_key &key) noexcept {
        return static_cast<const T *>(find_any(key));
    }
    /// Keeps a plan that occupies `bytes` bytes, unless there is one for `key` already: several
    /// threads may have made the same plan at the same time. It is not kept if it is larger than
    /// the whole cache, or if there is no memory. Returns how many plans were dropped for it.
    /// Amortised O(log size()).
    template <class T> std::size_t keep(const plan_key &key, std::shared_ptr<const T> plan,
                                        std::size_t bytes) noexcept {
        return keep_any(key, std::move(plan), bytes);
    }

    /// Number of plans in the cache.
    std::size_t size() const noexcept;
    /// Bytes of the plans, and of what is kept beside them.
    std::size_t bytes() const noexcept;
    /// Bytes that are kept beside a plan: its key, and its places in the tables; about.
    static std::size_t bytes_beside(const plan_key &key) noexcept;

private:
    struct entry;
    struct recent_finds;
    using entry_ptr = std::shared_ptr<entry>;

    using table = std::unordered_multimap<std::uint64_t, entry_ptr>; ///< by the key's hash

    /// An entry, and its last use when it was put into the queue.
    struct queued {
        std::uint64_t last_use;
        entry *which;
    };
    static bool is_later(const queued &one, const queued &other) noexcept {
        return one.last_use > other.last_use;
    }

    const void *find_any(const plan_key &key) noexcept;
    std::size_t keep_any(const plan_key &key, std::shared_ptr<const void> plan,
                         std::size_t bytes) noexcept;
    entry_ptr find_shared(const plan_key &key) noexcept;
    void mark_used(entry &one) const noexcept;
    table::iterator position_of(const plan_key &key) noexcept;
    table::node_type extract_least_recent() noexcept;

    const std::size_t most_bytes_;
    const std::uint64_t identity_; ///< unique among all caches of this process, past and present
    mutable std::mutex mutex_;
    table entries_;
    /// A heap of all entries, the least recently used first; uses since an entry was queued are
    /// found out when its turn comes.
    std::vector<queued> queue_;
    std::size_t bytes_ = 0;
    /// Counts searches of the shared table. Plans that threads find in their own tables between two
    /// such searches count as used at the same time.
    std::atomic<std::uint64_t> time_ = 0;
};

} // namespace tenfold::base

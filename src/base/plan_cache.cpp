#include "base/plan_cache.hpp"

#include <algorithm>
#include <exception>

namespace tenfold::base {
namespace {

std::uint64_t next_identity() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

} // namespace

struct plan_cache::entry {
    entry(std::uint64_t cache, const plan_key &key, std::shared_ptr<const void> what,
          std::size_t size)
        : identity(cache), hash(key.hash()), words(key.words().begin(), key.words().end()),
          plan(std::move(what)), bytes(size) {}

    bool is_of(const plan_key &key) const noexcept {
        return std::ranges::equal(words, key.words());
    }

    const std::uint64_t identity; ///< the cache's
    const std::uint64_t hash;     ///< the key's, as are the words
    const std::vector<std::uint64_t> words;
    const std::shared_ptr<const void> plan;
    const std::size_t bytes; ///< the plan's, and those beside it
    std::atomic<std::uint64_t> last_use = 0;
};

/// The recent finds of one thread, for all caches.
struct plan_cache::recent_finds {
    static constexpr int log_places = 5;

    ~recent_finds() { are_gone() = true; }

    /// Returns null while the thread is ending; then nothing is found.
    static entry_ptr *place_of(const plan_key &key) noexcept {
        if (are_gone())
            return nullptr;
        thread_local recent_finds mine;
        return &mine.places[key.hash() >> (64 - log_places)];
    }

private:
    /// A trivial type, so that it can be read after the table was destroyed.
    static bool &are_gone() noexcept {
        thread_local bool gone = false;
        return gone;
    }

    std::array<entry_ptr, std::size_t{1} << log_places> places;
};

plan_cache::plan_cache(std::size_t most_bytes)
    : most_bytes_(most_bytes), identity_(next_identity()) {}
plan_cache::~plan_cache() = default;

const void *plan_cache::find_any(const plan_key &key) noexcept {
    entry_ptr *const place = recent_finds::place_of(key);
    if (place == nullptr)
        return nullptr;
    if (*place == nullptr || (*place)->identity != identity_ || !(*place)->is_of(key)) {
        entry_ptr known = find_shared(key);
        if (known == nullptr)
            return nullptr;
        *place = std::move(known);
    }
    mark_used(**place);
    return (*place)->plan.get();
}

plan_cache::entry_ptr plan_cache::find_shared(const plan_key &key) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = position_of(key);
    if (found == entries_.end())
        return nullptr;
    ++time_;
    return found->second;
}

void plan_cache::mark_used(entry &one) const noexcept {
    const std::uint64_t now = time_.load(std::memory_order_relaxed);
    // The store is skipped if it changes nothing, so that threads that share a plan do not write.
    if (one.last_use.load(std::memory_order_relaxed) != now)
        one.last_use.store(now, std::memory_order_relaxed);
}

std::size_t plan_cache::bytes_beside(const plan_key &key) noexcept {
    constexpr std::size_t node_and_bucket = 64;
    return sizeof(entry) + sizeof(queued) + node_and_bucket + key.words().size_bytes();
}

std::size_t plan_cache::keep_any(const plan_key &key, std::shared_ptr<const void> plan,
                                 std::size_t bytes) noexcept {
    bytes += bytes_beside(key);
    if (bytes > most_bytes_)
        return 0;
    try {
        auto made = std::make_shared<entry>(identity_, key, std::move(plan), bytes);
        std::vector<table::node_type> dropped; // destroyed after the lock is released
        const std::lock_guard lock(mutex_);
        if (position_of(key) != entries_.end())
            return 0;
        while (bytes_ + bytes > most_bytes_)
            dropped.push_back(extract_least_recent());
        if (queue_.size() == queue_.capacity())
            queue_.reserve(2 * queue_.size() +
                           16); // so that nothing throws once it is in one table
        entry &kept = *entries_.emplace(key.hash(), std::move(made))->second;
        kept.last_use = ++time_;
        bytes_ += bytes;
        queue_.push_back({kept.last_use, &kept});
        std::ranges::push_heap(queue_, is_later);
        return dropped.size();
    } catch (const std::exception &) { // no memory
        return 0;
    }
}

plan_cache::table::iterator plan_cache::position_of(const plan_key &key) noexcept {
    const auto [first, last] = entries_.equal_range(key.hash());
    const auto found =
        std::find_if(first, last, [&](const auto &one) { return one.second->is_of(key); });
    return found == last ? entries_.end() : found;
}

/// There must be an entry.
plan_cache::table::node_type plan_cache::extract_least_recent() noexcept {
    for (;;) {
        std::ranges::pop_heap(queue_, is_later);
        queued &first = queue_.back();
        const std::uint64_t last_use = first.which->last_use.load(std::memory_order_relaxed);
        if (last_use == first.last_use)
            break;
        first.last_use = last_use;
        std::ranges::push_heap(queue_, is_later);
    }
    const entry &least = *queue_.back().which;
    queue_.pop_back();
    bytes_ -= least.bytes;
    auto at = entries_.find(least.hash);
    while (at->second.get() != &least) // entries of equal hash are neighbours
        ++at;
    return entries_.extract(at);
}

std::size_t plan_cache::size() const noexcept {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

std::size_t plan_cache::bytes() const noexcept {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

} // namespace tenfold::base

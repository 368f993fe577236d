#include "distributed/presence/standings.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tenfold::dist_impl {
namespace {

void merge(std::vector<rank_range> &ranks, const std::vector<rank_range> &more) {
    ranks.insert(ranks.end(), more.begin(), more.end());
    std::sort(ranks.begin(), ranks.end(),
              [](const rank_range &a, const rank_range &b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (const rank_range &one : ranks)
        if (kept > 0 && one.first <= ranks[kept - 1].last + 1)
            ranks[kept - 1].last = std::max(ranks[kept - 1].last, one.last);
        else
            ranks[kept++] = one;
    ranks.resize(kept);
}

template <class T> void put(std::vector<std::byte> &out, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Takes values off the front of a message.
class reader {
public:
    explicit reader(std::span<const std::byte> in) noexcept : rest_(in) {}

    template <class T> bool get(T &value) noexcept {
        static_assert(std::is_trivially_copyable_v<T>);
        if (rest_.size() < sizeof value)
            return false;
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_ = rest_.subspan(sizeof value);
        return true;
    }
    bool get(std::string &text, std::size_t size) {
        if (rest_.size() < size)
            return false;
        text.assign(reinterpret_cast<const char *>(rest_.data()), size);
        rest_ = rest_.subspan(size);
        return true;
    }
    std::size_t left() const noexcept { return rest_.size(); }

private:
    std::span<const std::byte> rest_;
};

std::string place_text(const standing_group &group) {
    const bool one = group.ranks.size() == 1 && group.ranks[0].first == group.ranks[0].last;
    const std::string call = group.operation + ", collective call " + std::to_string(group.call);
    switch (group.where) {
    case stand::outside:
        return (one ? " is outside the library after " : " are outside the library after ") + call;
    case stand::working:
        return (one ? " is in " : " are in ") + call;
    case stand::waiting:
        return (one ? " waits in " : " wait in ") + call;
    case stand::gone:
        return (one ? " has left after " : " have left after ") + call;
    }
    return {};
}

} // namespace

std::string text_of(std::span<const rank_range> ranks) {
    std::string text = ranks.size() == 1 && ranks[0].first == ranks[0].last ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const bool is_last = i + 1 == ranks.size();
        text += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(ranks[i].first);
        if (ranks[i].last > ranks[i].first)
            text += "-" + std::to_string(ranks[i].last);
    }
    return text;
}

void standings::add(const standing_group &group) {
    for (standing_group &known : groups_)
        if (known.is_at_the_place_of(group)) {
            merge(known.ranks, group.ranks);
            return;
        }
    groups_.push_back(group);
}

void standings::add(const standings &others) {
    for (const standing_group &one : others.groups_)
        add(one);
}

void standings::write(std::vector<std::byte> &out) const {
    put(out, static_cast<std::uint32_t>(groups_.size()));
    for (const standing_group &one : groups_) {
        put(out, one.where);
        put(out, one.call);
        const auto length = static_cast<std::uint32_t>(one.operation.size());
        put(out, length);
        const auto name = std::as_bytes(std::span(one.operation));
        out.insert(out.end(), name.begin(), name.end());
        put(out, static_cast<std::uint32_t>(one.ranks.size()));
        for (const rank_range &range : one.ranks)
            put(out, range);
    }
}

bool standings::read(std::span<const std::byte> in) {
    groups_.clear();
    reader rest(in);
    std::uint32_t count = 0;
    if (!rest.get(count))
        return false;
    for (std::uint32_t i = 0; i < count; ++i) {
        standing_group one;
        std::uint32_t length = 0;
        std::uint32_t ranges = 0;
        if (!rest.get(one.where) || !rest.get(one.call) || !rest.get(length) ||
            !rest.get(one.operation, length) || !rest.get(ranges) ||
            ranges > rest.left() / sizeof(rank_range))
            return false;
        one.ranks.resize(ranges);
        for (rank_range &range : one.ranks)
            if (!rest.get(range))
                return false;
        groups_.push_back(std::move(one));
    }
    return true;
}

std::string standings::text(int size) const {
    std::string text;
    std::vector<rank_range> heard;
    for (const standing_group &one : groups_) {
        text += (text.empty() ? "" : "; ") + text_of(one.ranks) + place_text(one);
        merge(heard, one.ranks);
    }
    std::vector<rank_range> silent;
    std::int32_t next = 0;
    for (const rank_range &range : heard) {
        if (range.first > next)
            silent.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next < size)
        silent.push_back({next, size - 1});
    if (!silent.empty())
        text += (text.empty() ? "" : "; ") + text_of(silent) + " did not answer";
    return text;
}

} // namespace tenfold::dist_impl

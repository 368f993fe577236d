// Where the ranks of a world stand, as they tell each other: in which call, or outside the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenfold::dist_impl {

enum class stand : std::uint8_t {
    outside, ///< not in the library
    working, ///< in a call
    waiting, ///< in a call, for more than a second, for another rank
    gone     ///< will make no more calls
};

struct rank_range {
    std::int32_t first = 0, last = 0;
};

/// Ranks that stand at the same place.
struct standing_group {
    stand where = stand::outside;
    std::uint64_t call = 0;        ///< the number of the present or last collective call
    std::string operation;         ///< its name
    std::vector<rank_range> ranks; ///< in order, without gaps of nothing between them

    bool is_at_the_place_of(const standing_group &other) const noexcept {
        return where == other.where && call == other.call && operation == other.operation;
    }
};

/// Each rank is in one group at most.
class standings {
public:
    void clear() noexcept { groups_.clear(); }
    void add(const standing_group &group);
    void add(const standings &others);
    const std::vector<standing_group> &groups() const noexcept { return groups_; }

    void write(std::vector<std::byte> &out) const;
    /// Returns false if these bytes are no standings.
    bool read(std::span<const std::byte> in);

    /// "ranks 0 and 2-5 wait in norm, collective call 7; rank 1 is outside the library after norm,
    /// collective call 6"; then the ranks that did not answer.
    std::string text(int size) const;

private:
    std::vector<standing_group> groups_;
};

/// "rank 1", or "ranks 0, 2-5 and 9".
std::string text_of(std::span<const rank_range> ranks);

} // namespace tenfold::dist_impl

// Memory that detects writes outside of its bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tenfold::testing {

/// `size` bytes between two guards, all filled with one pattern. Pattern 0xff is NaN in every
/// floating-point format, so that a wrong read shows in the result.
class guarded_buffer {
public:
    /// The bytes begin `offset` bytes after a multiple of 64.
    explicit guarded_buffer(std::size_t size, std::byte pattern = std::byte{0xff},
                            std::size_t offset = 0)
        : pattern_(pattern), size_(size),
          memory_(guard + alignment + offset + size + guard, pattern) {
        const auto address = reinterpret_cast<std::size_t>(memory_.data()) + guard;
        begin_ = guard + (alignment - address % alignment) % alignment + offset;
    }
    guarded_buffer(const guarded_buffer &) = delete;
    guarded_buffer &operator=(const guarded_buffer &) = delete;

    std::byte *data() noexcept { return memory_.data() + begin_; }
    const std::byte *data() const noexcept { return memory_.data() + begin_; }
    std::size_t size() const noexcept { return size_; }
    std::byte pattern() const noexcept { return pattern_; }

    /// True if the guards have not changed.
    bool guards_intact() const {
        const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(begin_);
        const auto intact = [this](std::byte one) { return one == pattern_; };
        return std::all_of(memory_.begin(), begin, intact) &&
               std::all_of(begin + static_cast<std::ptrdiff_t>(size_), memory_.end(), intact);
    }

private:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t guard = 512; ///< several vectors of any instruction set

    std::byte pattern_;
    std::size_t size_;
    std::vector<std::byte> memory_;
    std::size_t begin_ = 0;
};

} // namespace tenfold::testing

// The key of a cached plan: everything that the plan depends on, as a sequence of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::base {

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
        // Multiplication by an odd number is invertible; the shift mixes the upper bits into the
        // lower ones.
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
        hash_ ^= hash_ >> 29;
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

    std::uint64_t hash() const noexcept { return hash_; }
    std::span<const std::uint64_t> words() const noexcept {
        return far_.empty() ? std::span(near_.data(), count_) : std::span(far_);
    }

private:
    void spill(std::uint64_t word) {
        if (far_.empty())
            far_.assign(near_.begin(), near_.end());
        far_.push_back(word);
    }

    std::size_t count_ = 0;
    std::uint64_t hash_ = 0;
    std::array<std::uint64_t, 128> near_; ///< valid up to count_
    std::vector<std::uint64_t> far_;      ///< all words, if there are more than near_ can hold
};

} // namespace tenfold::base

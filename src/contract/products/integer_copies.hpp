// Copies of the tensors of a contraction of integers, which lie like matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <tenfold/transpose.hpp>

#include "base/internals.hpp"
#include "contract/products/integer_moves.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::contract_impl {

using integer_word = std::uint32_t; ///< an element of C and D, modulo 2^32

/// Threads for passes over so many elements.
inline int integer_team(index_t elements, int threads) noexcept {
    constexpr index_t worth_a_team = 1 << 16;
    return elements >= worth_a_team ? threads : 1;
}

/// Where the modes of a tensor lie in it and in its copy.
struct copied_modes {
    extents_t extents, strides, in_copy;
    index_t elements = 1;
};

/// Copies integers of one byte to such of 32 bits.
class widening {
public:
    widening(data_type from, const copied_modes &modes, int threads)
        : positions_(as_group(modes), einsum_impl::A, einsum_impl::B), from_(from),
          threads_(integer_team(modes.elements, threads)),
          seconds_(seconds_per_element * static_cast<double>(modes.elements) / threads_) {}

    void run(const void *from, void *to) const noexcept {
        auto *const words = static_cast<integer_word *>(to);
        const auto widen = [&](const auto *bytes) {
            positions_.visit(threads_, [&](const offsets &at) {
                words[at[einsum_impl::B]] =
                    static_cast<integer_word>(std::int32_t{bytes[at[einsum_impl::A]]});
            });
        };
        if (from_ == data_type::u8)
            widen(static_cast<const std::uint8_t *>(from));
        else
            widen(static_cast<const std::int8_t *>(from));
    }
    double seconds() const noexcept { return seconds_; }
    std::size_t footprint() const noexcept { return positions_.footprint(); }

private:
    static constexpr double seconds_per_element = 1e-9;

    /// A for the tensor, B for the copy.
    static einsum_impl::mode_group as_group(const copied_modes &modes) {
        einsum_impl::mode_group group;
        for (std::size_t k = 0; k < modes.extents.size(); ++k)
            group.push_back({modes.extents[k], {modes.strides[k], modes.in_copy[k], 0, 0}, {}});
        return group;
    }

    blocked_positions positions_;
    data_type from_;
    int threads_;
    double seconds_;
};

/// A tensor's copy: dense, in an order of modes in which groups of modes fuse. Of a tensor that
/// stays where it is there is neither.
struct dense_copy {
    std::optional<transpose_plan> move; ///< into the copy, or of D out of it
    std::optional<widening> widen;      ///< into the copy
    index_t bytes = 0;

    double seconds() const noexcept { return move ? move->predicted_seconds() : widen->seconds(); }
    std::size_t footprint() const noexcept {
        return (move ? internals::of(*move).footprint() : 0) + (widen ? widen->footprint() : 0);
    }
};

} // namespace tenfold::contract_impl

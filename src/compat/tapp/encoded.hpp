// Statuses and failed products: everything that is known about them is in their number. Programs
// that never destroy them lose nothing, and they need no memory where there is none.
#pragma once

#include <optional>

#include "compat/tapp/objects.hpp"
#include "tenfold/tapp/tapp/error.h"

namespace tenfold::tapp_impl {

/// Codes fit eight bits. Above them are the number of the failure, and the entry of a batch, from
/// 1, or 0.
constexpr int bits_of_code = 8;
constexpr int bits_below_failure = bits_of_kind + bits_of_code;
constexpr int bits_below_entry = 32;
constexpr std::uint32_t failure_numbers = std::uint32_t{1}
                                          << (bits_below_entry - bits_below_failure);

struct encoded_parts {
    TAPP_error code;
    std::uint32_t failure = 0; ///< below failure_numbers
    std::optional<int> entry = {};
};

constexpr std::intptr_t encoded(kind of, const encoded_parts &parts) noexcept {
    const std::intptr_t place = parts.entry ? std::intptr_t{*parts.entry} + 1 : 0;
    return place << bits_below_entry | std::intptr_t{parts.failure} << bits_below_failure |
           std::intptr_t{parts.code} << bits_of_kind | static_cast<std::intptr_t>(of);
}

constexpr TAPP_error code_in(std::intptr_t number) noexcept {
    return static_cast<TAPP_error>(number >> bits_of_kind & ((1 << bits_of_code) - 1));
}

constexpr std::uint32_t failure_in(std::intptr_t number) noexcept {
    return static_cast<std::uint32_t>(number >> bits_below_failure) % failure_numbers;
}

constexpr std::optional<int> entry_in(std::intptr_t number) noexcept {
    const std::intptr_t place = number >> bits_below_entry;
    return place > 0 ? std::optional(static_cast<int>(place - 1)) : std::nullopt;
}

/// Whether encoded() makes this number.
constexpr bool is_encoded(kind of, std::intptr_t number) noexcept {
    return number > 0 &&
           number == encoded(of, {code_in(number), failure_in(number), entry_in(number)});
}

} // namespace tenfold::tapp_impl

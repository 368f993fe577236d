// Numbers in requests and options.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenfold::server {

/// The number that the whole text is; empty if it is none, or one that T does not hold.
template <class T> std::optional<T> parse_number(std::string_view text) noexcept {
    T number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace tenfold::server

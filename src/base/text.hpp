// Text of numbers, and of byte counts as users write them: an integer with an optional KiB, MiB or
// GiB.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Like printf, but returns a string.
__attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...);

/// "12.3 ms".
std::string describe_seconds(double seconds);

/// "512MiB" -> 536870912 bytes; empty if malformed, negative or too large.
std::optional<byte_count> parse_byte_count(std::string_view text) noexcept;

/// "512 bytes", "1.5 MiB".
std::string describe(byte_count size);

/// Rounds to the nearest byte count, saturating: the bytes of all tensors together may exceed 64
/// bits.
byte_count nearest_byte_count(double amount) noexcept;

} // namespace tenfold::base

#include "base/text.hpp"

#include <charconv>
#include <cstdarg>
#include <cstdio>

namespace tenfold::base {

std::string format(const char *pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    std::va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string text(static_cast<std::size_t>(length), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

std::string describe_seconds(double seconds) {
    if (seconds >= 1)
        return format("%.3g s", seconds);
    if (seconds >= 1e-3)
        return format("%.3g ms", seconds * 1e3);
    if (seconds >= 1e-6)
        return format("%.3g us", seconds * 1e6);
    return format("%.3g ns", seconds * 1e9);
}

std::optional<byte_count> parse_byte_count(std::string_view text) noexcept {
    index_t value = 0;
    const char *const last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, value);
    if (status != std::errc() || value < 0)
        return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    index_t factor = 1;
    if (unit == "KiB")
        factor = kib(1).value;
    else if (unit == "MiB")
        factor = mib(1).value;
    else if (unit == "GiB")
        factor = gib(1).value;
    else if (!unit.empty())
        return std::nullopt;
    if (__builtin_mul_overflow(value, factor, &value))
        return std::nullopt;
    return bytes(value);
}

byte_count nearest_byte_count(double amount) noexcept {
    constexpr double first_too_large = 0x1p63;
    return bytes(amount < first_too_large ? static_cast<index_t>(amount) : INT64_MAX);
}

std::string describe(byte_count size) {
    if (size < kib(10))
        return std::to_string(size.value) + " bytes";
    const char *unit = "KiB";
    double amount = static_cast<double>(size.value) / 1024;
    for (const char *larger : {"MiB", "GiB", "TiB"})
        if (amount >= 1024) {
            amount /= 1024;
            unit = larger;
        }
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", amount, unit);
    return text;
}

} // namespace tenfold::base

#include "base/text.hpp"

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

} // namespace tenfold::base

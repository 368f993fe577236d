// Log messages, printed only if TENFOLD_LOG enables them.
#pragma once

#include <cstdio>
#include <string_view>

namespace tenfold::base {

enum class log_level : int { quiet = 0, warn = 1, info = 2, debug = 3 };

/// Writes one line to stderr, "tenfold: warn: ...", if the level is enabled.
inline void log(int enabled_level, log_level level, std::string_view message) noexcept {
    if (enabled_level < static_cast<int>(level))
        return;
    constexpr const char *names[] = {"", "warn", "info", "debug"};
    std::fprintf(stderr, "tenfold: %s: %.*s\n", names[static_cast<int>(level)],
                 static_cast<int>(message.size()), message.data());
}

} // namespace tenfold::base

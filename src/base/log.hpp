// Messages to whoever the settings name, if they enable them.
#pragma once

#include <cstdio>
#include <string_view>

#include <tenfold/context.hpp>

namespace tenfold::base {

enum class log_level : int { quiet = 0, warn = 1, info = 2, debug = 3 };

inline bool is_logged(const settings &from, log_level level) noexcept {
    return from.log_level >= static_cast<int>(level);
}

/// Tells one line: to settings::log, or to stderr as "tenfold: warn: ..". No lock is held, because
/// the receiver may call the library.
inline void log(const settings &from, log_level level, std::string_view message) noexcept {
    if (!is_logged(from, level))
        return;
    if (from.log) {
        try {
            from.log(static_cast<int>(level), message);
        } catch (...) { // the receiver's own affair
        }
        return;
    }
    constexpr const char *names[] = {"", "warn", "info", "debug"};
    std::fprintf(stderr, "tenfold: %s: %.*s\n", names[static_cast<int>(level)],
                 static_cast<int>(message.size()), message.data());
}

} // namespace tenfold::base

#include "base/log.hpp"

#include <cstdio>

namespace tenfold::base {

void log(int enabled_level, log_level level, std::string_view message) noexcept {
    if (enabled_level < static_cast<int>(level))
        return;
    constexpr const char *names[] = {"", "warn", "info", "debug"};
    std::fprintf(stderr, "tenfold: %s: %.*s\n", names[static_cast<int>(level)],
                 static_cast<int>(message.size()), message.data());
}

} // namespace tenfold::base

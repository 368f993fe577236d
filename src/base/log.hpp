// Log messages, printed only if TENFOLD_LOG enables them.
#pragma once

#include <string_view>

namespace tenfold::base {

enum class log_level : int { quiet = 0, warn = 1, info = 2, debug = 3 };

/// Writes one line to stderr, "tenfold: warn: ...", if the level is enabled.
void log(int enabled_level, log_level level, std::string_view message) noexcept;

} // namespace tenfold::base

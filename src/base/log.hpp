// Messages for people who asked for them with TENFOLD_LOG; quiet otherwise.
#pragma once

#include <string_view>

namespace tenfold::base {

enum class log_level : int { quiet = 0, warn = 1, info = 2, debug = 3 };

/// One line to stderr, "tenfold: warn: ...", if the level was asked for.
void log(int enabled_level, log_level level, std::string_view message) noexcept;

} // namespace tenfold::base

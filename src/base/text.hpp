// Text for messages.
#pragma once

#include <string>

namespace tenfold::base {

/// Like printf, but returns a string.
__attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...);

/// "12.3 ms".
std::string describe_seconds(double seconds);

} // namespace tenfold::base

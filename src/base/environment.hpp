// Every environment variable that Tenfold reads, with its meaning and default: the only list.
#pragma once

#include <span>

namespace tenfold::base {

struct environment_variable {
    const char *name;
    const char *values;
    const char *standard; ///< what holds when it is not set
    const char *meaning;
};

/// In the order in which `tenfold info` prints them.
std::span<const environment_variable> environment_variables() noexcept;

} // namespace tenfold::base

// The list of all environment variables that Tenfold reads, with meaning and default.
#pragma once

#include <span>

namespace tenfold::base {

struct environment_variable {
    const char *name;
    const char *values;
    const char *standard; ///< the default
    const char *meaning;
};

/// The variables in the order in which `tenfold info` prints them.
std::span<const environment_variable> environment_variables() noexcept;

} // namespace tenfold::base

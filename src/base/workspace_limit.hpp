// Checks a workspace limit.
#pragma once

#include <string>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>

namespace tenfold::base {

/// Checks a limit from options or settings. Throws errc::invalid_argument: "workspace_limit is -1
/// bytes; it is 0 or more".
inline void check_workspace_limit(byte_count given) {
    if (given.value < 0)
        throw error(errc::invalid_argument, "workspace_limit is " + std::to_string(given.value) +
                                                " bytes; it is 0 or more");
}

} // namespace tenfold::base

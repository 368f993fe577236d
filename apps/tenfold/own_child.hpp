// Runs this program once more, as a child that may crash.
#pragma once

#include <string>
#include <vector>

namespace tenfold::apps_impl {

struct child_result {
    int status; ///< its exit status if no signal ended it
    int signal; ///< the signal that ended it, or 0
    std::string out;
    std::string err;
};

/// Runs this program with these arguments and waits for it. Throws errc::io if that is impossible.
/// Only for programs that have not started other threads or MPI yet.
child_result run_own_child(const std::vector<std::string> &arguments);

/// Returns "SIGSEGV", or "signal 42" for signals that are not crashes.
std::string signal_name(int signal);

} // namespace tenfold::apps_impl

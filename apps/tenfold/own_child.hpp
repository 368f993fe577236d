// This program once more, as a child that may crash.
#pragma once

#include <string>
#include <vector>

namespace tenfold::apps_impl {

struct child_result {
    int status; ///< its exit status, where no signal ended it
    int signal; ///< or 0
    std::string out;
    std::string err;
};

/// Runs this program with these arguments and waits for it. Throws errc::io where that is not
/// possible. It is for programs that have no other threads and no MPI yet.
child_result run_own_child(const std::vector<std::string> &arguments);

/// "SIGSEGV"; "signal 42" for what is no crash.
std::string signal_name(int signal);

} // namespace tenfold::apps_impl

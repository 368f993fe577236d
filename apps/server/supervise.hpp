// tenfold-server --supervise: a process that starts the server, starts it again when it died, and
// ends it well.
#pragma once

#include <string>
#include <vector>

namespace tenfold::server {

/// Runs a line of /bin/sh, such as "mpirun -n 16", behind which this program and `arguments` stand,
/// again and again until it ends with status 0 or exit_wrong_usage, or has died several times soon
/// after its start. SIGINT and SIGTERM close its input, which --supervised understands on whichever
/// machine rank 0 is: a launcher that gets a signal leaves ranks too little time to save. A second
/// one is passed on to the launcher. A launcher that outlives its ranks (launcher_processes.hpp) is
/// ended, too, which counts as a death. Returns the last exit status. Throws std::runtime_error if
/// no process can be started.
int supervise(const std::string &launcher, const std::vector<std::string> &arguments);

} // namespace tenfold::server

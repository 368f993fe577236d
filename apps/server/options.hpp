// The command line of tenfold-server.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "apps/server/network.hpp"

namespace tenfold::server {

struct options {
    network_options network;
    std::optional<byte_count> memory_per_rank; ///< empty: three quarters of what the machine has
    std::string bulk;                          ///< an address, or "off"; empty: the network's
    std::string users;                         ///< a file of names and hashes of tokens
    std::vector<std::string> host_names;
    std::string connection_file;
    byte_count quota = {};       ///< of a user on each rank; 0: none
    int requests_per_second = 0; ///< of a user; 0: no bound
    double time_to_live = 0;     ///< seconds; 0: no end
    std::string root;            ///< a folder; empty: none
    std::string checkpoint;      ///< a folder; empty: none
    std::chrono::seconds checkpoint_every{0};
    int nice = 10; ///< more than the process, of threads that compute
    std::string
        supervise; ///< what launches the server, such as "mpirun -n 16"; empty: nothing does
    bool supervised = false; ///< by a process that closes the server's input to end it
    std::string new_token;   ///< a user's name: prints a token and its line for --users, and ends
};

/// Empty after --help and --version. Throws usage_error; another address than a loopback one needs
/// TLS and users.
std::optional<options> parse_options(const std::vector<std::string> &arguments);

} // namespace tenfold::server

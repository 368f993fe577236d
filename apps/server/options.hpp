// The command line of tenfold-server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "apps/server/network.hpp"

namespace tenfold::server {

struct options {
    network_options network;
    std::optional<byte_count> memory_per_rank; ///< empty: three quarters of what the machine has
    std::string users;                         ///< a file of names and hashes of tokens
    std::vector<std::string> host_names;
    std::string connection_file;
    std::string new_token; ///< a user's name: prints a token and its line for --users, and ends
};

/// Empty after --help and --version. Throws usage_error; another address than a loopback one needs
/// TLS and users.
std::optional<options> parse_options(const std::vector<std::string> &arguments);

} // namespace tenfold::server

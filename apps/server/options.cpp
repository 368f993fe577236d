#include "apps/server/options.hpp"

#include <charconv>
#include <cstdlib>

#include "apps/common/command_line.hpp"
#include "apps/common/program.hpp"
#include "apps/common/values.hpp"

namespace tenfold::server {
namespace {

using namespace apps_impl;

struct endpoint {
    std::string address;
    std::uint16_t port;
};

/// "127.0.0.1:0", "[::1]:8080".
endpoint parse_endpoint(const std::string &option, const std::string &text) {
    const std::size_t colon = text.rfind(':');
    endpoint result{text.substr(0, colon), 0};
    if (result.address.size() > 2 && result.address.front() == '[' && result.address.back() == ']')
        result.address = result.address.substr(1, result.address.size() - 2);
    const char *const end = text.data() + text.size();
    const char *const begin = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto [stop, failure] = std::from_chars(begin, end, result.port);
    if (failure != std::errc() || stop != end || result.address.empty())
        throw usage_error(option + " '" + text +
                          "': expected an address and a port, such as 127.0.0.1:0");
    return result;
}

int parse_one_or_more(const std::string &option, const std::string &text) {
    return parse_count(option, text, 1);
}

double parse_whole_seconds(const std::string &option, const std::string &text) {
    return parse_count(option, text, 1);
}

std::chrono::seconds parse_seconds(const std::string &option, const std::string &text) {
    return std::chrono::seconds(parse_count(option, text, 1));
}

int parse_nice(const std::string &option, const std::string &text) {
    const int nice = parse_count(option, text, 0);
    if (nice > 19)
        throw usage_error(option + " '" + text + "': expected an integer from 0 to 19");
    return nice;
}

/// Where clients look, too: python/tenfold/client/_connection.py.
std::string default_connection_file() {
    if (const char *folder = std::getenv("XDG_RUNTIME_DIR"))
        return std::string(folder) + "/tenfold-server.json";
    if (const char *home = std::getenv("HOME"))
        return std::string(home) + "/.tenfold-server.json";
    return ".tenfold-server.json";
}

} // namespace

std::optional<options> parse_options(const std::vector<std::string> &arguments) {
    options result;
    result.connection_file = default_connection_file();
    command_line line("tenfold-server", "[options]",
                      "Keeps tensors and contracts them for clients: in Python, by curl, by HTTP. "
                      "Runs alone or under mpirun.\nA client needs the connection file.");
    endpoint where{result.network.address, 0};
    auto &network = line.group("Network");
    add_value(network, "listen", "ADDRESS:PORT", &where, parse_endpoint,
              "127.0.0.1:0 unless given; port 0 takes one that is free. Another address than this "
              "machine's own needs --tls-cert, --tls-key and --users");
    add_value(network, "bulk-listen", "ADDRESS", &result.bulk, parse_text,
              "where all ranks listen for bulk data, each on a port that is free: the address of "
              "--listen unless given; off: nowhere");
    add_value(network, "tls-cert", "FILE", &result.network.certificate, parse_text,
              "the certificate and its chain, in PEM");
    add_value(network, "tls-key", "FILE", &result.network.key, parse_text, "its key, in PEM");
    add_value(network, "users", "FILE", &result.users, parse_text,
              "lines of users and hashes of their tokens, as --new-token prints them");
    add_value(network, "new-token", "USER", &result.new_token, parse_text,
              "print a new token and its line for --users, and end");
    add_repeated(network, "host-name", "NAME", &result.host_names, parse_text,
                 "a name under which clients reach the server; may be repeated");
    add_value(network, "max-connections", "N", &result.network.most_connections, parse_one_or_more,
              "2048 unless given");
    add_value(network, "max-rate", "N", &result.requests_per_second, parse_one_or_more,
              "requests of a user in a second; no bound unless given");
    add_value(network, "connection-file", "FILE", &result.connection_file, parse_text,
              "where clients find address and token; $XDG_RUNTIME_DIR/tenfold-server.json or "
              "~/.tenfold-server.json unless given");
    auto &other = line.group("Other");
    add_value(other, "memory-per-rank", "SIZE", &result.memory_per_rank, parse_size,
              "the most memory of each rank for tensors, requests and jobs: an integer with an "
              "optional KiB, MiB or GiB; three quarters of the machine's, divided by its ranks, "
              "unless given");
    add_value(other, "quota", "SIZE", &result.quota, parse_size,
              "the most memory of each rank for the tensors of one user");
    add_value(
        other, "time-to-live", "SECONDS", &result.time_to_live, parse_whole_seconds,
        "delete tensors that nobody used for so long, unless a client gave them another time");
    add_value(other, "root", "FOLDER", &result.root, parse_text,
              "let clients read and write .npy files below it; all ranks see the folder");
    add_value(other, "checkpoint", "FOLDER", &result.checkpoint, parse_text,
              "load the tensors that were saved there, and save all when a client asks and at the "
              "end; all ranks see the folder");
    add_value(other, "checkpoint-every", "SECONDS", &result.checkpoint_every, parse_seconds,
              "save also so many seconds after the last time, if something changed");
    add_value(other, "nice", "N", &result.nice, parse_nice,
              "how much nicer to others threads that compute are: 0 to 19, 10 unless given");
    add_value(other, "audit", "FILE", &result.network.audit, parse_text,
              "append a line for each request");
    add_value(other, "supervise", "LAUNCHER", &result.supervise, parse_text,
              "start the server by this command, such as \"mpirun -n 16\", and again when it dies; "
              "SIGTERM and Ctrl-C save and end it. \"env\" starts it alone");
    add_flag(other, "supervised", &result.supervised,
             "end as by SIGTERM when the standard input ends");
    if (!line.parse(arguments))
        return std::nullopt;
    result.network.address = where.address;
    result.network.port = where.port;
    result.network.ends_with_input = result.supervised;
    if (!result.root.empty() && !result.users.empty())
        throw usage_error("--root: all who have a token could read and replace each other's files; "
                          "not with --users");
    if (result.checkpoint_every > std::chrono::seconds(0) && result.checkpoint.empty())
        throw usage_error("--checkpoint-every: needs --checkpoint");
    const bool has_tls = !result.network.certificate.empty();
    if (has_tls != !result.network.key.empty())
        throw usage_error("--tls-cert and --tls-key: both or none");
    if (result.bulk.empty())
        result.bulk = result.network.address;
    for (const std::string &address : {result.network.address, result.bulk})
        if (address != "off" && !is_loopback(address) && (!has_tls || result.users.empty()))
            throw usage_error("--listen or --bulk-listen " + address +
                              ": an address that other machines reach needs --tls-cert, --tls-key "
                              "and --users");
    if (!result.new_token.empty() && !is_user_name(result.new_token))
        throw usage_error("--new-token '" + result.new_token +
                          "': expected 1 to 64 letters, digits, '_', '-', '.' and '@'");
    return result;
}

} // namespace tenfold::server

// tenfold-server: tensors that live in a running MPI job, for clients elsewhere.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include <tenfold/dist_operations.hpp>
#include <tenfold/version.hpp>

#include "apps/common/mpi_session.hpp"
#include "apps/server/command_channel.hpp"
#include "apps/server/connection_file.hpp"
#include "apps/server/execute.hpp"
#include "apps/server/network.hpp"
#include "apps/server/options.hpp"

namespace tenfold::server {
namespace {

using namespace apps_impl;
using nlohmann::json;

/// Three quarters of this machine's memory, or of the limit of its cgroup, divided by the ranks
/// that run here; the least of all ranks. Collective.
byte_count default_memory(const world &ranks) {
    index_t bytes = static_cast<index_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    std::ifstream limit("/sys/fs/cgroup/memory.max");
    if (index_t least = 0; limit >> least && least > 0)
        bytes = std::min(bytes, least);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(ranks.comm(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    int ranks_here = 1;
    MPI_Comm_size(here, &ranks_here);
    MPI_Comm_free(&here);
    bytes = bytes / 4 * 3 / ranks_here;
    index_t least = 0;
    MPI_Allreduce(&bytes, &least, 1, MPI_INT64_T, MPI_MIN, ranks.comm());
    return {least};
}

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        throw failure("cannot read '" + path + "'");
    return text.str();
}

std::string user_name() {
    const char *name = std::getenv("USER");
    return name != nullptr && is_user_name(name) ? name : "owner";
}

/// What rank 0 alone has.
class front {
public:
    front(const world &ranks, const options &asked, byte_count memory) {
        initialise_cryptography();
        const std::string user = user_name();
        const std::string token = new_token();
        service_options how;
        how.ranks = ranks.size();
        how.threads = ranks.threads();
        how.memory_per_rank = memory;
        how.tokens.add(user, hash_of(token));
        if (!asked.users.empty())
            try {
                how.tokens.add_lines(read_file(asked.users));
            } catch (const std::runtime_error &problem) {
                throw failure("--users '" + asked.users + "': " + problem.what());
            }
        const bool has_tls = !asked.network.certificate.empty();
        how.hosts = host_rules(asked.host_names, has_tls);
        service_.emplace(std::move(how));
        network_.emplace(*service_, asked.network);
        const bool is_v6 = asked.network.address.find(':') != std::string::npos;
        const std::string url =
            std::string(has_tls ? "https://" : "http://") +
            (is_v6 ? "[" + asked.network.address + "]" : asked.network.address) + ":" +
            std::to_string(network_->port());
        json content = {{"url", url},      {"token", token},     {"user", user},
                        {"pid", getpid()}, {"ranks", how.ranks}, {"version", tenfold::version()}};
        if (has_tls)
            content["certificate_sha256"] = network_->fingerprint();
        file_.emplace(asked.connection_file, content);
        std::printf("%s, %d rank%s, %lld MiB each; connection file %s\n", url.c_str(), ranks.size(),
                    ranks.size() == 1 ? "" : "s", static_cast<long long>(memory.value >> 20),
                    asked.connection_file.c_str());
        std::fflush(stdout);
    }

    service &requests() { return *service_; }

private:
    std::optional<service> service_;
    std::optional<network> network_; // ends before the service does
    std::optional<connection_file> file_;
};

/// What is no tenfold::error may have happened on this rank alone: then no collective call is
/// possible any more.
[[noreturn]] void give_up(const std::exception &problem) {
    std::fprintf(stderr, "tenfold-server: error: %s; all ranks end\n", problem.what());
    MPI_Abort(MPI_COMM_WORLD, exit_failure);
    std::abort();
}

void drop(tensor_store &store, const command &what) {
    for (const std::uint64_t id : what.drop)
        store.drop(id);
}

/// Rank 0: takes jobs from the service and tells the others.
void lead(const world &ranks, const command_channel &channel, service &requests) {
    tensor_store store;
    for (;;) {
        const service::task now = requests.next();
        channel.send(now.what.encode());
        if (now.what.stop)
            return;
        drop(store, now.what);
        if (!now.job)
            continue;
        job &what = *now.job;
        const execution_control control{.progress = [&what](double done) { what.done = done; },
                                        .stop = what.stop.get_token()};
        json result;
        std::optional<refusal> failure;
        try {
            result = execute(ranks, store, now.what.work, {what.plan.body.get(), what.download},
                             control);
        } catch (const error &problem) {
            failure = as_refusal(problem);
        } catch (const std::exception &problem) {
            give_up(problem);
        }
        requests.finish(now.job, std::move(result), std::move(failure));
    }
}

/// The other ranks.
void follow(const world &ranks, const command_channel &channel) {
    // Launchers send signals to all ranks; rank 0 decides and tells the others.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    tensor_store store;
    for (;;) {
        const command now = command::decode(channel.receive());
        if (now.stop)
            return;
        drop(store, now);
        if (now.work.is_null())
            continue;
        try {
            execute(ranks, store, now.work, {}, execution_control{});
        } catch (const error &) {
            // Rank 0 has the same error and reports it.
        } catch (const std::exception &problem) {
            give_up(problem);
        }
    }
}

int run(const std::vector<std::string> &arguments) {
    const auto asked = parse_options(arguments);
    if (!asked)
        return exit_success;
    if (!asked->new_token.empty()) {
        initialise_cryptography();
        const std::string token = new_token();
        std::printf("token: %s\nline for --users: %s %s\n", token.c_str(), asked->new_token.c_str(),
                    to_hex(hash_of(token)).c_str());
        return exit_success;
    }
    const mpi_session session;
    const world ranks(MPI_COMM_WORLD);
    const command_channel channel(ranks.comm());
    const byte_count memory = asked->memory_per_rank.value_or(default_memory(ranks));
    std::optional<front> rank_0;
    apps_impl::agree(ranks.comm(), [&] {
        if (ranks.rank() == 0)
            rank_0.emplace(ranks, *asked, memory);
    });
    if (rank_0)
        lead(ranks, channel, rank_0->requests());
    else
        follow(ranks, channel);
    return exit_success;
}

} // namespace
} // namespace tenfold::server

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return tenfold::apps_impl::run_program("tenfold-server",
                                           [&] { return tenfold::server::run(arguments); });
}

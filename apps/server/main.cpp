// tenfold-server: tensors that live in a running MPI job, for clients elsewhere.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_process.hpp>
#include <tenfold/dist_split.hpp>
#include <tenfold/dist_tasks.hpp>
#include <tenfold/version.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/server/bulk_ranks.hpp"
#include "apps/server/checkpoint_folder.hpp"
#include "apps/server/command_channel.hpp"
#include "apps/server/connection_file.hpp"
#include "apps/server/execute.hpp"
#include "apps/server/network.hpp"
#include "apps/server/options.hpp"
#include "apps/server/slices.hpp"
#include "apps/server/supervise.hpp"
#include "base/kept_blocks.hpp"

namespace tenfold::server {
namespace {

using namespace apps_impl;
using nlohmann::json;

/// Makes large blocks go back to the system when they are freed. glibc would keep more and more of
/// them, because what it takes for large grows with what was freed, and no plan counts that.
void give_freed_memory_back() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

/// Of --memory-per-rank, of freed memory that stays for what comes next.
constexpr index_t part_that_is_kept = 16;

/// Lets threads that answer requests, and other programs, go before those that compute, on all
/// ranks alike: where all cores compute, one request in a hundred would wait for milliseconds.
void compute_behind_others(int threads, int more_nice) {
#pragma omp parallel num_threads(threads)
    {
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + more_nice); // of this thread
        ask_for_slices(slice_of_computing);
    }
}

/// Three quarters of this machine's memory, or of the limit of its cgroup, divided by the ranks
/// that run here; the least of all ranks. Collective.
byte_count default_memory(const world &ranks) {
    index_t bytes = static_cast<index_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    std::ifstream limit("/sys/fs/cgroup/memory.max");
    if (index_t least = 0; limit >> least && least > 0)
        bytes = std::min(bytes, least);
    bytes = bytes / 4 * 3 / split_by_node(ranks).size();
    return {all_reduce(ranks, bytes, reduction::min)};
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

/// Generations and numbers of jobs that a start of the server may give away: as many as 500 a
/// second in a year. The numbers of 500,000 starts are exact in JSON.
constexpr std::uint64_t ids_of_a_start = std::uint64_t{1} << 34;

/// The checkpoint's folder and what it has, before the server answers. On rank 0.
struct checkpoint {
    checkpoint_folder folder;
    std::uint64_t first_id;
    manifest saved = {};

    checkpoint(const std::string &path, int ranks, byte_count memory)
        : folder(path), first_id(ids_of_a_start * folder.count_start()) {
        const auto text = folder.read_manifest();
        if (!text)
            return;
        try {
            saved = manifest::parse(*text);
        } catch (const std::runtime_error &problem) {
            throw failure("'" + folder.path() + "/manifest.json': " + problem.what());
        }
        per_rank needed(static_cast<std::size_t>(ranks));
        for (const saved_tensor &one : saved.tensors) {
            const per_rank bytes = bytes_of(distribution::block(one.extents, ranks), one.type);
            for (std::size_t rank = 0; rank < needed.size(); ++rank)
                needed[rank] += bytes[rank];
        }
        const index_t most = *std::max_element(needed.begin(), needed.end());
        if (most > memory.value)
            throw failure("the tensors of '" + folder.path() + "' need " + std::to_string(most) +
                          " bytes on a rank, --memory-per-rank is " + std::to_string(memory.value));
    }
};

/// What rank 0 alone has.
class front {
public:
    front(const world &ranks, const options &asked, byte_count memory,
          const std::optional<checkpoint> &saved, std::vector<bulk_endpoint> bulk) {
        const std::string user = user_name();
        const std::string token = new_token();
        service_options how;
        how.ranks = ranks.size();
        how.threads = ranks.threads();
        how.ranks_per_node = ranks.ranks_per_node();
        how.memory_per_rank = memory;
        how.quota = asked.quota;
        how.time_to_live = asked.time_to_live;
        how.requests_per_second = asked.requests_per_second;
        how.bulk = std::move(bulk);
        how.tokens.add(user, hash_of(token));
        if (!asked.users.empty())
            try {
                how.tokens.add_lines(read_file(asked.users));
            } catch (const std::runtime_error &problem) {
                throw failure("--users '" + asked.users + "': " + problem.what());
            }
        const bool has_tls = !asked.network.certificate.empty();
        how.hosts = host_rules(asked.host_names, has_tls);
        if (!asked.root.empty()) {
            const std::unique_ptr<char, decltype(&std::free)> whole(
                realpath(asked.root.c_str(), nullptr), &std::free);
            if (!whole)
                throw failure("--root '" + asked.root + "': " + std::strerror(errno));
            how.root = whole.get();
        }
        if (saved) {
            how.checkpoint = saved->folder.path();
            how.save_interval = asked.checkpoint_every;
            how.first_id = saved->first_id;
        }
        service_.emplace(std::move(how));
        if (saved)
            service_->restore(saved->saved);
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

/// The ranks can no longer work together. A server that answered nothing but errors would be worse
/// than one that ends, which what supervises it notices.
[[noreturn]] void give_up(const std::exception &problem) {
    std::fprintf(stderr, "tenfold-server: error: %s; all ranks end\n", problem.what());
    end_all_ranks(exit_failure);
}

/// What this rank has, and what of it ends.
struct belongings {
    tensor_store store;
    std::optional<bulk_ranks> bulk; ///< ends before the tensors that it reaches

    bulk_desk *desk() { return bulk ? &bulk->desk() : nullptr; }
};
void drop(belongings &mine, const command &what) {
    for (const std::uint64_t number : what.close)
        if (mine.bulk)
            mine.bulk->desk().close(number);
    for (const std::uint64_t id : what.drop)
        mine.store.drop(id);
}

/// Rank 0: takes jobs from the service and tells the others. Whatever it throws, the others wait
/// for a command.
void lead(const world &ranks, const command_channel &channel, belongings &mine, service &requests,
          const checkpoint_folder *folder) try {
    for (;;) {
        const service::task now = requests.next();
        channel.send(now.what.encode());
        if (now.what.stop)
            return;
        drop(mine, now.what);
        if (!now.job)
            continue;
        job &what = *now.job;
        const execution_control control{.progress = [&what](double done) { what.done = done; },
                                        .stop = what.stop.get_token()};
        json result;
        std::optional<refusal> failure;
        try {
            result = execute(ranks, mine.store, now.what.work,
                             {what.plan.body.get(), what.download, folder, mine.desk()}, control);
        } catch (const error &problem) {
            if (problem.code() == errc::communication)
                give_up(problem);
            failure = as_refusal(problem);
        }
        requests.finish(now.job, std::move(result), std::move(failure));
    }
} catch (const std::exception &problem) {
    give_up(problem);
}

/// Launchers send signals to all ranks; rank 0 decides and tells the others.
void ignore_signals() {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
}

/// The other ranks.
void follow(const world &ranks, const command_channel &channel, belongings &mine) try {
    for (;;) {
        const command now = command::decode(channel.receive());
        if (now.stop)
            return;
        drop(mine, now);
        if (now.work.is_null())
            continue;
        try {
            execute(ranks, mine.store, now.work, {.desk = mine.desk()}, execution_control{});
        } catch (const error &problem) {
            if (problem.code() == errc::communication)
                give_up(problem);
            // Rank 0 has the same error and reports it.
        }
    }
} catch (const std::exception &problem) {
    give_up(problem);
}

/// Collective. All ranks load what rank 0's manifest names.
void load_saved(const world &ranks, tensor_store &store, const std::optional<checkpoint> &saved) {
    std::string folder, text;
    apps_impl::run_agreed(ranks, [&] {
        if (saved) {
            folder = saved->folder.path();
            text = saved->saved.text();
        }
    });
    broadcast(ranks, folder, 0);
    broadcast(ranks, text, 0);
    manifest what;
    apps_impl::run_agreed(ranks, [&] {
        if (!text.empty())
            what = manifest::parse(text);
    });
    load_checkpoint(ranks, store, folder, what);
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
    if (!asked->supervise.empty() && !asked->supervised) {
        if (under_launcher())
            throw usage_error("--supervise: it starts the launcher, not the launcher it");
        return supervise(asked->supervise, arguments);
    }
    give_freed_memory_back();
    const mpi_session session;
    const world ranks(MPI_COMM_WORLD);
    const command_channel channel(ranks.comm());
    const byte_count memory = asked->memory_per_rank.value_or(default_memory(ranks));
    base::keep_freed_blocks({memory.value / part_that_is_kept});
    belongings mine;
    std::optional<checkpoint> saved;
    apps_impl::run_agreed(ranks, [&] {
        initialise_cryptography();
        if (ranks.rank() == 0 && !asked->checkpoint.empty())
            saved.emplace(asked->checkpoint, ranks.size(), memory);
    });
    load_saved(ranks, mine.store, saved);
    if (ranks.rank() != 0)
        ignore_signals(); // before rank 0 takes the first request
    if (asked->bulk != "off")
        mine.bulk.emplace(ranks, bulk_network_options{.address = asked->bulk,
                                                      .certificate = asked->network.certificate,
                                                      .key = asked->network.key});
    std::optional<front> rank_0;
    apps_impl::run_agreed(ranks, [&] {
        if (ranks.rank() != 0)
            return;
        if (mine.bulk && !mine.bulk->problem().empty())
            std::printf("no bulk data: %s\n", mine.bulk->problem().c_str());
        rank_0.emplace(ranks, *asked, memory, saved,
                       mine.bulk ? mine.bulk->endpoints() : std::vector<bulk_endpoint>());
    });
    compute_behind_others(ranks.threads(), asked->nice);
    if (!rank_0) {
        follow(ranks, channel, mine);
        return exit_success;
    }
    lead(ranks, channel, mine, rank_0->requests(), saved ? &saved->folder : nullptr);
    const auto problem = rank_0->requests().last_failure();
    rank_0.reset();
    ignore_signals(); // one more does not make this end a failure
    if (problem)
        throw failure("the checkpoint was not saved: " + std::string(problem->what()));
    return exit_success;
}

} // namespace
} // namespace tenfold::server

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return tenfold::apps_impl::run_program("tenfold-server",
                                           [&] { return tenfold::server::run(arguments); });
}

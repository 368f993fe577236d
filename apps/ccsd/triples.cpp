#include "triples.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include <tenfold/error.hpp>

#include "apps/mpi_session.hpp"
#include "apps/progress.hpp"
#include "apps/text.hpp"
#include "apps/timing.hpp"
#include "base/parallel.hpp"
#include "triples_energy.hpp"

namespace tenfold::ccsd {
namespace {

/// i >= j >= k
using triple = std::array<index_t, 3>;

std::vector<triple> triples_of(const triples_task &task, const std::vector<orbital_block> &blocks) {
    std::vector<triple> all;
    const auto [one, two, three] = task;
    for (index_t i = blocks[one].begin; i < blocks[one].end; ++i)
        for (index_t j = blocks[two].begin; j < std::min(i + 1, blocks[two].end); ++j)
            for (index_t k = blocks[three].begin; k < std::min(j + 1, blocks[three].end); ++k)
                if (i != k) // three equal ones add nothing
                    all.push_back({i, j, k});
    return all;
}

std::size_t index_of(const triple &one) {
    const auto [i, j, k] = one;
    return static_cast<std::size_t>(i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + k);
}

/// Halves are added up, so that rounding grows with the logarithm of the number only.
double sum_of(const double *x, std::size_t count) {
    if (count <= 8) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += x[i];
        return sum;
    }
    return sum_of(x, count / 2) + sum_of(x + count / 2, count - count / 2);
}

} // namespace

index_t triples_bytes(index_t o, index_t v, int threads, index_t blocks) {
    const index_t worker = v * v * v * static_cast<index_t>(sizeof(double)) +
                           triple_plans(o, v).workspace_size().value;
    return triples_data::bytes_needed(o, v, (o + blocks - 1) / blocks) + worker * threads;
}

double triples_correction(tensor_set &tensors, const molecule &system, index_t block_count) {
    const world &ranks = tensors.ranks();
    const auto blocks = cut_into_blocks(system.o(), block_count);
    const auto shares = share_tasks(blocks, ranks.size());
    const auto &mine = shares[static_cast<std::size_t>(ranks.rank())];
    std::size_t rounds = 0;
    for (const auto &share : shares)
        rounds = std::max(rounds, share.size());

    const index_t v = system.v();
    const index_t o = system.o();
    const triple_plans plans(o, v);
    triples_data data(tensors, system, blocks);
    std::vector<double> energies; ///< of each triple
    std::vector<std::vector<double>> w(static_cast<std::size_t>(ranks.threads()));
    apps_impl::agree(ranks.comm(), [&] {
        energies.resize(static_cast<std::size_t>(o * (o + 1) * (o + 2) / 6), 0.0);
        for (auto &one : w)
            one.resize(static_cast<std::size_t>(v * v * v));
    });
    const auto held = tensors.hold(triples_bytes(o, v, ranks.threads(), block_count));

    const apps_impl::stopwatch watch;
    apps_impl::progress line("tenfold-ccsd: (T)");
    double seconds_data = 0;
    double flops = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
        const double left = round == 0 ? 0
                                       : watch.seconds() / static_cast<double>(round) *
                                             static_cast<double>(rounds - round);
        line.show(static_cast<int>(round), static_cast<int>(rounds),
                  round == 0 ? "" : apps_impl::describe_seconds(left) + " left");
        const apps_impl::stopwatch reading;
        const bool works = round < mine.size();
        data.prepare(works ? std::optional(mine[round]) : std::nullopt);
        seconds_data += reading.seconds();
        const std::vector<triple> triples =
            works ? triples_of(mine[round], blocks) : std::vector<triple>();
        flops += plans.flops_per_triple() * static_cast<double>(triples.size());
        std::atomic<std::size_t> next{0};
        std::atomic<errc> problem{errc::ok};
        base::run_parallel(ranks.threads(), [&](base::team_member me) {
            double *own = w[static_cast<std::size_t>(me.id())].data();
            for (std::size_t at = next++; at < triples.size(); at = next++) {
                const auto [i, j, k] = triples[at];
                if (const status done = plans.make_w(data, i, j, k, own); !done.ok())
                    problem = done.code();
                energies[index_of(triples[at])] = energy_of_triple(data, system, i, j, k, own);
            }
        });
        apps_impl::agree(ranks.comm(), [&] { status(problem).throw_if_failed(); });
    }
    line.clear();
    tensors.charge("(T): blocks of integrals and amplitudes", seconds_data, 0);
    tensors.charge("(T): W and energies", watch.seconds() - seconds_data, 0, flops);

    // Each triple is one rank's: adding zeros keeps the bits.
    std::vector<double> all(energies.size());
    constexpr std::size_t most = 1 << 20; // below what MPI's counts hold
    for (std::size_t at = 0; at < all.size(); at += most)
        MPI_Allreduce(energies.data() + at, all.data() + at,
                      static_cast<int>(std::min(most, all.size() - at)), MPI_DOUBLE, MPI_SUM,
                      ranks.comm());
    return sum_of(all.data(), all.size());
}

} // namespace tenfold::ccsd

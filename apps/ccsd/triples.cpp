#include "triples.hpp"

#include <algorithm>
#include <exception>

#include <tenfold/error.hpp>

#include "apps/mpi_session.hpp"
#include "apps/progress.hpp"
#include "apps/text.hpp"
#include "apps/timing.hpp"
#include "triples_energy.hpp"
#include "triples_team.hpp"

namespace tenfold::ccsd {
namespace {

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

/// Each triple is one rank's: adding zeros keeps the bits.
template <class T>
void sum_over_ranks(const world &ranks, std::vector<T> &values, MPI_Datatype type) {
    constexpr std::size_t most = 1 << 20; // below what MPI's counts hold
    for (std::size_t at = 0; at < values.size(); at += most)
        MPI_Allreduce(MPI_IN_PLACE, values.data() + at,
                      static_cast<int>(std::min(most, values.size() - at)), type, MPI_SUM,
                      ranks.comm());
}

triples_progress sum_over_ranks(const world &ranks, triples_progress mine) {
    sum_over_ranks(ranks, mine.energies, MPI_DOUBLE);
    sum_over_ranks(ranks, mine.done, MPI_UINT8_T);
    return mine;
}

} // namespace

index_t triples_bytes(index_t o, index_t v, int threads, index_t blocks) {
    const index_t worker =
        (v * v * v + slack_behind_cube(v)) * static_cast<index_t>(sizeof(double)) +
        triple_plans(o, v).workspace_size().value;
    return triples_data::bytes_needed(o, v, (o + blocks - 1) / blocks) + worker * threads;
}

double triples_correction(tensor_set &tensors, const molecule &system, index_t block_count,
                          const triples_progress &start, const triples_observer &observe) {
    const world &ranks = tensors.ranks();
    const auto blocks = cut_into_blocks(system.o(), block_count);
    const auto count = static_cast<std::size_t>(triple_count(system.o()));
    std::vector<std::uint8_t> done_before;
    triples_progress mine; ///< what this rank has done; on the root also what was done before
    std::vector<triples_round> rounds;

    const index_t v = system.v();
    const index_t o = system.o();
    const triple_plans plans(o, v);
    const triple_energies energies(system);
    triples_data data(tensors, system, blocks);
    std::vector<std::vector<double>> w(static_cast<std::size_t>(ranks.threads()));
    apps_impl::agree(ranks.comm(), [&] {
        mine = {std::vector<double>(count, 0.0), std::vector<std::uint8_t>(count, 0)};
        for (index_t i = 0; i < o; ++i)
            mine.done[index_of({i, i, i})] = 1; // they add nothing
        done_before = start.empty() ? mine.done : start.done;
        if (ranks.rank() == root && !start.empty())
            mine = start;
        rounds = share_tasks(blocks, done_before, ranks.size());
        for (auto &one : w)
            one.resize(static_cast<std::size_t>(v * v * v + slack_behind_cube(v)));
    });
    const auto held = tensors.hold(triples_bytes(o, v, ranks.threads(), block_count));

    const apps_impl::stopwatch watch;
    apps_impl::progress line("tenfold-ccsd: (T)");
    const bool whole = blocks.size() == 1;
    std::exception_ptr problem; ///< of this rank
    double seconds_data = 0;
    double seconds_waiting = 0;
    double seconds_observing = 0;
    double flops = 0;
    std::size_t tenths = 0;
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        const double left = round == 0 ? 0
                                       : watch.seconds() / static_cast<double>(round) *
                                             static_cast<double>(rounds.size() - round);
        line.show(static_cast<int>(round), static_cast<int>(rounds.size()),
                  round == 0 ? "" : apps_impl::describe_seconds(left) + " left");
        const apps_impl::stopwatch reading;
        const auto &share = rounds[round][static_cast<std::size_t>(ranks.rank())];
        if (!whole || round == 0)
            data.prepare(share ? std::optional(share->task) : std::nullopt);
        seconds_data += reading.seconds();
        std::vector<triple> triples;
        for (std::size_t rank = 0; rank < rounds[round].size(); ++rank)
            if (const auto &one = rounds[round][rank]) {
                std::vector<triple> theirs = triples_of(*one, blocks, done_before);
                flops += plans.flops_per_triple() * static_cast<double>(theirs.size());
                if (rank == static_cast<std::size_t>(ranks.rank()))
                    triples = std::move(theirs);
            }
        const auto compute = [&](std::size_t at, int member) {
            const auto [i, j, k] = triples[at];
            double *own = w[static_cast<std::size_t>(member)].data();
            plans.make_w(data, i, j, k, own);
            const std::size_t place = index_of(triples[at]);
            mine.energies[place] = energies.of_triple(data, i, j, k, own);
            mine.done[place] = 1;
        };
        try {
            if (!problem)
                share_among_threads(ranks.threads(), triples.size(), compute);
        } catch (...) {
            problem = std::current_exception();
        }
        if (whole && !observe && round + 1 < rounds.size())
            continue; // nobody waits for this rank
        const apps_impl::stopwatch waiting;
        apps_impl::agree(ranks.comm(), [&] {
            if (problem)
                std::rethrow_exception(problem);
        });
        seconds_waiting += waiting.seconds();
        const std::size_t tenths_now = 10 * (round + 1) / rounds.size();
        if (observe && tenths_now > tenths) {
            const apps_impl::stopwatch observing;
            observe(sum_over_ranks(ranks, mine));
            seconds_observing += observing.seconds();
        }
        tenths = tenths_now;
    }
    line.clear();
    tensors.charge("(T): blocks of integrals and amplitudes", seconds_data, 0);
    tensors.charge("(T): waiting for other ranks", seconds_waiting, 0);
    tensors.charge("(T): W and energies",
                   watch.seconds() - seconds_data - seconds_waiting - seconds_observing, 0, flops);

    const triples_progress all = sum_over_ranks(ranks, mine);
    return sum_of(all.energies.data(), count);
}

} // namespace tenfold::ccsd

#include "apps/ccsd/triples.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>

#include <tenfold/dist_tasks.hpp>
#include <tenfold/error.hpp>

#include "apps/ccsd/signals_to_end.hpp"
#include "apps/ccsd/triples_energy.hpp"
#include "apps/ccsd/triples_team.hpp"
#include "apps/common/mpi_session.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::ccsd {
namespace {

/// Adds pairwise, so that rounding grows only with the logarithm of the number of terms.
double sum_of(const double *x, std::size_t count) {
    if (count <= 8) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += x[i];
        return sum;
    }
    return sum_of(x, count / 2) + sum_of(x + count / 2, count - count / 2);
}

/// The sum over all triples. All calls are collective.
class triples_sum {
public:
    triples_sum(tensor_set &tensors, const molecule &system, index_t block_count,
                const triples_progress &start, const triples_observer &observe);
    double run();

private:
    static constexpr index_t tenths = 10;

    void take_turns();
    void go_through(const triples_round &round);
    void meet_in_rounds();
    void compute(std::span<const triple> triples, task_service *others);
    void do_pieces(std::span<const triple> triples, index_t before, index_t all);
    void agree();
    void tell(index_t done, index_t all);
    const triples_progress &all_done();
    void observe();
    bool is_asked_to_end() noexcept { return line_.interrupted() || signals_to_end::came(); }
    [[noreturn]] void end_early();

    tensor_set &tensors_;
    const world &ranks_;
    const triples_observer &observer_;
    std::vector<orbital_block> blocks_;
    std::optional<triple_plans> plans_;
    std::optional<triple_energies> energies_;
    std::optional<triples_data> data_;
    std::vector<std::vector<double>> w_; ///< of each thread
    std::vector<std::uint8_t> done_before_;
    triples_progress mine_; ///< done by this rank; on the root also before the restart
    triples_progress all_;
    tensor_set::held held_;
    std::exception_ptr problem_; ///< of this rank
    apps_impl::progress line_{"tenfold-ccsd: (T)"};
    apps_impl::stopwatch watch_;
    double seconds_data_ = 0;
    double seconds_waiting_ = 0;
    double seconds_observing_ = 0;
    double flops_ = 0;
};

triples_sum::triples_sum(tensor_set &tensors, const molecule &system, index_t block_count,
                         const triples_progress &start, const triples_observer &observe)
    : tensors_(tensors), ranks_(tensors.ranks()), observer_(observe) {
    const index_t v = system.v();
    const index_t o = system.o();
    const auto count = static_cast<std::size_t>(triple_count(o));
    std::vector<orbital_block> blocks;
    apps_impl::run_agreed(ranks_, [&] {
        blocks_ = blocks = cut_into_blocks(o, block_count);
        plans_.emplace(o, v);
        energies_.emplace(system);
        mine_ = {std::vector<double>(count, 0.0), std::vector<std::uint8_t>(count, 0)};
        for (index_t i = 0; i < o; ++i)
            mine_.done[index_of({i, i, i})] = 1; // these triples contribute nothing
        done_before_ = start.empty() ? mine_.done : start.done;
        if (ranks_.rank() == root && !start.empty())
            mine_ = start;
        all_ = mine_;
        w_.resize(static_cast<std::size_t>(ranks_.threads()));
        for (auto &one : w_)
            one.resize(static_cast<std::size_t>(v * v * v + slack_behind_cube(v)));
    });
    data_.emplace(tensors, system, std::move(blocks));
    held_ = tensors.hold(triples_bytes(o, v, ranks_.threads(), block_count));
}

const triples_progress &triples_sum::all_done() {
    std::copy(mine_.energies.begin(), mine_.energies.end(), all_.energies.begin());
    std::copy(mine_.done.begin(), mine_.done.end(), all_.done.begin());
    // Each triple is done by one rank and is zero on the others, so that sums over ranks are exact.
    all_reduce(ranks_, std::span(all_.energies), reduction::sum);
    all_reduce(ranks_, std::span(all_.done), reduction::max);
    return all_;
}

void triples_sum::observe() {
    const apps_impl::stopwatch watch;
    observer_(all_done());
    seconds_observing_ += watch.seconds();
}

/// Ends the calculation on all ranks if it failed on one.
void triples_sum::agree() {
    const apps_impl::stopwatch waiting;
    apps_impl::run_agreed(ranks_, [&] {
        if (problem_)
            std::rethrow_exception(problem_);
    });
    seconds_waiting_ += waiting.seconds();
}

void triples_sum::tell(index_t done, index_t all) {
    line_.show(static_cast<int>(100 * done / all), 100); // with the time that is left
}

/// Computes triples; lets ranks that wait for work have some if `others` is given.
void triples_sum::compute(std::span<const triple> triples, task_service *others) {
    share_among_threads(ranks_.threads(), triples.size(), [&](std::size_t at, int member) {
        if (others != nullptr && member == 0) { // only this thread may call MPI
            others->serve();
            if (is_asked_to_end())
                throw error(errc::stopped, "a signal asked to end (T)");
        }
        const auto [i, j, k] = triples[at];
        double *w = w_[static_cast<std::size_t>(member)].data();
        plans_->make_w(*data_, i, j, k, w);
        const std::size_t place = index_of(triples[at]);
        mine_.energies[place] = energies_->of_triple(*data_, i, j, k, w);
        mine_.done[place] = 1;
    });
}

/// Collective. Saves what is done.
void triples_sum::end_early() {
    if (observer_)
        observe();
    throw error(errc::stopped, "a signal asked to end (T)");
}

/// Ranks compute triples in pieces, each rank as soon as it has finished others.
void triples_sum::do_pieces(std::span<const triple> triples, index_t before, index_t all) {
    apps_impl::stopwatch waiting;
    for_each_piece(ranks_, std::ssize(triples),
                   [&](std::span<const index_t> tasks, task_service &others) {
                       if (ranks_.rank() == root)
                           tell(before + tasks.front(), all);
                       // Without costs a piece is a part of the list.
                       compute(
                           triples.subspan(static_cast<std::size_t>(tasks.front()), tasks.size()),
                           &others);
                       waiting = {};
                   },
                   {.grain = ranks_.threads()});
    seconds_waiting_ += waiting.seconds();
}

/// With a single block each rank has all data.
void triples_sum::take_turns() {
    const triples_task task{};
    std::vector<triple> list;
    apps_impl::run_agreed(ranks_, [&] { list = triples_of(task, blocks_, done_before_); });
    const auto count = static_cast<index_t>(list.size());
    if (count == 0)
        return;
    const apps_impl::stopwatch reading;
    data_->prepare(task);
    seconds_data_ += reading.seconds();
    const index_t rounds = observer_ ? tenths : 1;
    for (index_t round = 0; round < rounds; ++round) {
        const index_t begin = round * count / rounds;
        const index_t end = (round + 1) * count / rounds;
        bool ends = false;
        try {
            do_pieces(std::span(list).subspan(static_cast<std::size_t>(begin),
                                              static_cast<std::size_t>(end - begin)),
                      begin, count);
        } catch (const error &problem) {
            if (problem.code() != errc::stopped)
                throw;
            ends = true; // on all ranks
        }
        if (ends)
            end_early();
        if (observer_)
            observe();
    }
    flops_ = plans_->flops_per_triple() * static_cast<double>(count);
}

/// Computes this rank's part of a round.
void triples_sum::go_through(const triples_round &round) {
    for (std::size_t rank = 0; rank < round.size(); ++rank) {
        if (!round[rank])
            continue;
        const std::vector<triple> triples = triples_of(*round[rank], blocks_, done_before_);
        flops_ += plans_->flops_per_triple() * static_cast<double>(triples.size());
        if (rank == static_cast<std::size_t>(ranks_.rank()))
            compute(triples, nullptr);
    }
}

/// With several blocks, ranks read the blocks of their next tasks together.
void triples_sum::meet_in_rounds() {
    std::vector<triples_round> rounds;
    apps_impl::run_agreed(ranks_,
                          [&] { rounds = share_tasks(blocks_, done_before_, ranks_.size()); });
    const auto count = static_cast<index_t>(rounds.size());
    for (index_t at = 0; at < count; ++at) {
        const triples_round &round = rounds[static_cast<std::size_t>(at)];
        tell(at, count);
        const apps_impl::stopwatch reading;
        data_->prepare(round[static_cast<std::size_t>(ranks_.rank())]);
        seconds_data_ += reading.seconds();
        try {
            go_through(round);
        } catch (...) {
            problem_ = std::current_exception();
        }
        agree();
        if (all_reduce(ranks_, is_asked_to_end() ? 1 : 0, reduction::max) != 0)
            end_early();
        if (observer_ && tenths * (at + 1) / count > tenths * at / count)
            observe();
    }
}

double triples_sum::run() {
    watch_ = {};
    if (blocks_.size() == 1)
        take_turns();
    else
        meet_in_rounds();
    line_.clear();
    const double seconds = watch_.seconds();
    tensors_.charge("(T): blocks of integrals and amplitudes", seconds_data_, 0);
    tensors_.charge("(T): waiting for other ranks", seconds_waiting_, 0);
    tensors_.charge("(T): W and energies",
                    seconds - seconds_data_ - seconds_waiting_ - seconds_observing_, 0, flops_);
    const triples_progress &all = all_done();
    return sum_of(all.energies.data(), all.energies.size());
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
    return triples_sum(tensors, system, block_count, start, observe).run();
}

} // namespace tenfold::ccsd

// Hands out the tasks of a list.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <tenfold/dist_tasks.hpp>

#include "base/internals.hpp"
#include "base/parallel.hpp"
#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/comm/message_memory.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;
using base::range;

/// The rank that hands tasks out.
constexpr int dealer = 0;

void check(index_t count, const piece_function &f, const task_options &options) {
    if (!f)
        throw error(errc::null_pointer, "the function of tasks is empty");
    if (count < 0)
        throw error(errc::invalid_argument, std::to_string(count) + " tasks; expected 0 or more");
    if (options.grain < 1)
        throw error(errc::invalid_argument,
                    "pieces of " + std::to_string(options.grain) + " tasks; expected 1 or more");
    if (!options.costs.empty() && std::ssize(options.costs) != count)
        throw error(errc::extent_mismatch, std::to_string(options.costs.size()) + " costs of " +
                                               std::to_string(count) + " tasks");
    for (std::size_t i = 0; i < options.costs.size(); ++i)
        if (!std::isfinite(options.costs[i]) || options.costs[i] < 0)
            throw error(errc::invalid_argument, "task " + std::to_string(i) + " costs " +
                                                    std::to_string(options.costs[i]) +
                                                    "; expected a finite number of 0 or more");
}

/// The order of the tasks, and the pieces of it. The same on all ranks.
class task_line {
public:
    /// The arguments are checked. Throws std::bad_alloc.
    task_line(index_t count, const task_options &options, int ranks)
        : count_(count), grain_(options.grain), ranks_(ranks),
          is_whole_(ranks == 1 && options.control == nullptr) {
        if (options.costs.empty()) {
            piece_.resize(static_cast<std::size_t>(end_of(0, 0))); // the longest one
            return;
        }
        const auto cost_of = [&](index_t task) {
            return options.costs[static_cast<std::size_t>(task)];
        };
        order_.resize(static_cast<std::size_t>(count));
        std::iota(order_.begin(), order_.end(), index_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](index_t a, index_t b) { return cost_of(a) > cost_of(b); });
        before_.reserve(order_.size() + 1);
        before_.push_back(0);
        for (const index_t task : order_)
            before_.push_back(before_.back() + cost_of(task));
    }

    index_t count() const noexcept { return count_; }

    /// Returns where the piece ends that begins at `begin`. `rest`: the first place that is still
    /// to be shared.
    index_t end_of(index_t begin, index_t rest) const noexcept {
        if (is_whole_)
            return count_;
        const double parts = 4.0 * ranks_;
        index_t size = 0;
        if (before_.empty()) {
            size = static_cast<index_t>(static_cast<double>(count_ - rest) / parts);
        } else {
            const double most =
                before_at(begin) + (before_.back() - before_at(std::min(rest, count_))) / parts;
            const auto first = before_.begin() + begin;
            size = std::upper_bound(first, before_.end(), most) - first - 1;
        }
        size = grain_ * std::max<index_t>(1, size / grain_);
        return count_ - begin > size ? begin + size : count_;
    }

    /// Returns the numbers of the tasks, until the next call.
    std::span<const index_t> tasks(const range &piece) noexcept {
        const auto size = static_cast<std::size_t>(piece.size());
        if (!order_.empty())
            return std::span(order_).subspan(static_cast<std::size_t>(piece.begin), size);
        std::iota(piece_.begin(), piece_.begin() + piece.size(), piece.begin);
        return std::span(piece_).first(size);
    }

    /// Returns the share of the cost before this place, from 0 to 1.
    double share_before(index_t place) const noexcept {
        if (!before_.empty() && before_.back() > 0)
            return before_at(place) / before_.back();
        return count_ > 0 ? static_cast<double>(place) / static_cast<double>(count_) : 1;
    }

private:
    double before_at(index_t place) const noexcept {
        return before_[static_cast<std::size_t>(place)];
    }

    index_t count_;
    index_t grain_;
    int ranks_;
    bool is_whole_;              ///< one rank takes all at once
    std::vector<index_t> order_; ///< empty without costs
    std::vector<double> before_; ///< costs before each place; empty without costs
    std::vector<index_t> piece_; ///< without costs: the numbers of a piece
};

} // namespace

/// One rank's part in a list. A question is one word, whether the rank gives up; an answer is where
/// its piece begins and ends. An empty piece is the last answer.
class dist_impl::task_list {
public:
    /// Throws std::bad_alloc; nothing allocates after that.
    task_list(communicator &comm, task_line line)
        : comm_(comm), line_(std::move(line)), deals_(comm.rank() == dealer) {
        index_t begin = 0;
        for (int rank = 0; rank < comm.size(); ++rank) {
            const range piece{begin, line_.end_of(begin, 0)};
            begin = piece.end;
            if (rank == comm.rank())
                first_ = piece;
            if (rank != dealer && !piece.empty())
                ++asking_;
        }
        next_ = begin;
        const auto ranks = static_cast<std::size_t>(comm.size());
        requests_.resize(deals_ ? ranks : 2, MPI_REQUEST_NULL);
        answers_.resize(deals_ ? ranks : 1);
    }
    /// After a failed call of MPI.
    void abandon() noexcept { comm_.take_back(requests_); }

    /// Returns this rank's next piece; empty if there is none. On the dealer it returns an empty
    /// piece only after all ranks have been told.
    range next() {
        if (ended_)
            return {};
        deal();
        range now = first_;
        if (begun_)
            now = deals_ ? take() : awaited();
        begun_ = true;
        ended_ = now.empty();
        if (ended_ && deals_)
            tell_all();
        else if (!ended_ && !deals_)
            ask();
        return now;
    }
    /// Takes part until the end and does no more tasks; tells the dealer to hand out no more.
    void give_up() {
        gives_up_ = true;
        while (!next().empty()) {
        }
    }
    bool serve() {
        if (std::this_thread::get_id() == caller_)
            deal();
        const base::work_part::joined at(work_);
        if (base::work_part::stops())
            is_stopped_ = true;
        return !(gives_up_ || is_stopped_);
    }
    /// Returns true if f has been told that the caller stopped the call.
    bool is_stopped() const noexcept { return is_stopped_; }

    std::span<const index_t> tasks(const range &piece) noexcept { return line_.tasks(piece); }
    double share_before(index_t place) const noexcept { return line_.share_before(place); }

private:
    struct answer {
        index_t begin = 0;
        index_t end = 0;
    };

    range take() noexcept {
        const index_t begin = next_;
        next_ = gives_up_ ? next_ : line_.end_of(begin, begin);
        return {begin, next_};
    }

    void ask() {
        comm_.start_note_receive(answers_.data(), sizeof(answer), dealer, requests_[0]);
        question_ = gives_up_ ? 1 : 0;
        comm_.start_note(&question_, sizeof question_, dealer, requests_[1]);
    }
    range awaited() {
        comm_.wait_for_notes(requests_, dealer);
        return {answers_[0].begin, answers_[0].end};
    }

    /// Answers the ranks that have asked.
    void deal() {
        while (deals_ && asking_ > 0) {
            const int rank = comm_.find_note();
            if (rank < 0)
                return;
            answer_to(rank);
        }
    }
    void answer_to(int rank) {
        comm_.receive_note(&question_, sizeof question_, rank);
        if (question_ != 0)
            gives_up_ = true;
        const range piece = take();
        asking_ -= piece.empty() ? 1 : 0;
        const auto place = static_cast<std::size_t>(rank);
        // The rank had its former answer before it asked again.
        comm_.wait_for_notes(std::span(requests_).subspan(place, 1), rank);
        answers_[place] = {piece.begin, piece.end};
        comm_.start_note(&answers_[place], sizeof(answer), rank, requests_[place]);
    }
    void tell_all() {
        while (asking_ > 0)
            answer_to(comm_.await_note());
        for (int rank = 0; rank < comm_.size(); ++rank)
            comm_.wait_for_notes(std::span(requests_).subspan(static_cast<std::size_t>(rank), 1),
                                 rank);
    }

    communicator &comm_;
    task_line line_;
    const bool deals_;
    const std::thread::id caller_ = std::this_thread::get_id();
    base::work_part *const work_ = base::work_part::current();
    range first_;
    index_t next_ = 0; ///< on the dealer: the first place not handed out
    int asking_ = 0;   ///< on the dealer: ranks that do not know yet that nothing is left
    bool begun_ = false;
    bool ended_ = false;
    std::atomic<bool> gives_up_{false}; ///< this rank; on the dealer any rank
    std::atomic<bool> is_stopped_{false};
    index_t question_ = 0;
    std::vector<answer> answers_;       ///< on the dealer by rank
    std::vector<MPI_Request> requests_; ///< on the dealer of its answers; elsewhere of an answer
                                        ///< and a question
};

bool task_service::serve() { return list_->serve(); }

namespace {

/// While it lives, collective calls on the world are refused, and calls without a control of their
/// own are not watched by this one's.
class tasks_only {
public:
    explicit tasks_only(communicator &comm) noexcept : comm_(comm) { comm_.do_tasks(true); }
    ~tasks_only() { comm_.do_tasks(false); }
    tasks_only(const tasks_only &) = delete;
    tasks_only &operator=(const tasks_only &) = delete;

private:
    communicator &comm_;
    base::work_part::joined unwatched_{nullptr};
};

[[noreturn]] void throw_stopped() { throw error(errc::stopped, status(errc::stopped).message()); }

/// Does this rank's tasks. Returns why it gave up, if it did.
std::optional<error> do_tasks(communicator &comm, task_list &list, const piece_function &f) {
    double told = 0;
    for (range now = list.next(); !now.empty(); now = list.next()) {
        std::optional<error> problem;
        try {
            if (base::work_part::stops())
                throw_stopped();
            const double share = list.share_before(now.begin);
            base::work_part::done(share - told);
            told = share;
            {
                const tasks_only no_calls(comm);
                const timed tasks(comm.recorder(), activity::compute, "tasks");
                auto others = internals::from<task_service>(&list);
                f(list.tasks(now), others);
            }
            if (list.is_stopped())
                throw_stopped();
        } catch (...) {
            problem = current_error();
        }
        if (problem) {
            list.give_up();
            return problem;
        }
    }
    return std::nullopt;
}

/// The same; if a call of MPI fails, messages are taken back.
std::optional<error> do_tasks_or_abandon(communicator &comm, task_list &list,
                                         const piece_function &f) {
    try {
        return do_tasks(comm, list, f);
    } catch (...) {
        list.abandon();
        throw;
    }
}

} // namespace

void for_each_piece(const world &where, index_t count, const piece_function &f,
                    const task_options &options) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "for_each_piece");
    base::run_watched(options.control, [&] {
        const exclusive_use one_thread(comm);
        const auto describe = [&](call_description &call) {
            hasher costs;
            for (const double one : options.costs)
                costs.add(one);
            call.add("tasks", count)
                .add("costs", options.costs.size())
                .add("hash of the costs", costs.value())
                .add("grain", options.grain)
                .add("control", options.control == nullptr ? "none" : "given");
        };
        message_memory<std::optional<task_list>> list(comm);
        collectively(comm, "for_each_piece", describe, [&] {
            check(count, f, options);
            list->emplace(comm, task_line(count, options, comm.size()));
        });
        comm.enter_phase("tasks");
        const std::optional<error> problem = do_tasks_or_abandon(comm, **list, f);
        collectively(comm, "for_each_piece (end)", [&] {
            if (problem)
                throw error(*problem);
        });
    });
}

} // namespace tenfold

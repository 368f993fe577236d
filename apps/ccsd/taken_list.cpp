#include "apps/ccsd/taken_list.hpp"

#include <algorithm>

#include "apps/ccsd/molecule.hpp"

namespace tenfold::ccsd {
namespace {

// Tags that no other messages of the communicator have.
constexpr int question_tag = 20;
constexpr int reply_tag = 21;

} // namespace

taken_list::taken_list(const world &ranks, index_t count, index_t grain) noexcept
    : comm_(ranks.comm()), answers_(ranks.rank() == root), count_(count), grain_(grain),
      ranks_(ranks.size()) {
    const index_t each = piece();
    const auto place = [&](index_t rank) { return std::min(count, rank * each); };
    first_ = {place(ranks.rank()), place(ranks.rank() + 1)};
    next_ = place(ranks_);
    for (index_t rank = 1; rank < ranks_; ++rank)
        asking_ += place(rank) < place(rank + 1) ? 1 : 0;
}

index_t taken_list::piece() const noexcept {
    if (ranks_ == 1)
        return count_;
    const index_t parts = 4 * ranks_ * grain_;
    return grain_ * std::max<index_t>(1, (count_ - next_) / parts);
}

base::range taken_list::take() noexcept {
    const index_t begin = next_;
    next_ = std::min(count_, begin + piece());
    return {begin, next_};
}

void taken_list::ask() noexcept {
    MPI_Irecv(reply_.data(), 2, MPI_INT64_T, root, reply_tag, comm_, &requests_[0]);
    question_ = gives_up_ ? 1 : 0;
    MPI_Isend(&question_, 1, MPI_INT64_T, root, question_tag, comm_, &requests_[1]);
}

void taken_list::answer_one() noexcept {
    index_t gives_up = 0;
    MPI_Status status;
    MPI_Recv(&gives_up, 1, MPI_INT64_T, MPI_ANY_SOURCE, question_tag, comm_, &status);
    if (gives_up != 0)
        next_ = count_;
    const base::range piece = take();
    const std::array<index_t, 2> reply{piece.begin, piece.end};
    MPI_Send(reply.data(), 2, MPI_INT64_T, status.MPI_SOURCE, reply_tag, comm_);
    asking_ -= piece.empty() ? 1 : 0;
}

void taken_list::answer() noexcept {
    while (answers_ && asking_ > 0) {
        int waits = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, question_tag, comm_, &waits, MPI_STATUS_IGNORE);
        if (waits == 0)
            return;
        answer_one();
    }
}

base::range taken_list::next() noexcept {
    if (ended_)
        return {};
    answer();
    base::range now = first_;
    if (begun_ && answers_)
        now = take();
    else if (begun_) {
        MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
        now = {reply_[0], reply_[1]};
    }
    begun_ = true;
    ended_ = now.empty();
    while (ended_ && answers_ && asking_ > 0)
        answer_one();
    if (!ended_ && !answers_)
        ask();
    return now;
}

void taken_list::give_up() noexcept {
    gives_up_ = true;
    if (answers_)
        next_ = count_;
    while (!next().empty()) {
    }
}

} // namespace tenfold::ccsd

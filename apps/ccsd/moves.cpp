#include "apps/ccsd/moves.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <vector>

#include <tenfold/transpose.hpp>

#include "apps/ccsd/placement.hpp"
#include "apps/common/mpi_session.hpp"

namespace tenfold::ccsd {
namespace {

using apps_impl::expect_mpi;

using buffer = std::unique_ptr<double[]>;
buffer allocate(index_t size) {
    return std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(size));
}

/// Copies a dense block to its place in the dense whole, in the longest contiguous runs.
void copy_block(const double *block, const slice &where, const extents_t &extents, double *whole) {
    if (where.empty())
        return;
    std::size_t mode = 0;
    index_t run = 1; ///< elements that are contiguous in both
    for (bool whole_so_far = true; whole_so_far && mode < extents.size(); ++mode) {
        run *= where.extents[mode];
        whole_so_far = where.extents[mode] == extents[mode];
    }
    std::vector<index_t> at(extents.size(), 0); ///< position in the remaining modes
    const auto offset = [&] {
        index_t sum = 0;
        index_t step = 1;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            sum += (where.offsets[i] + at[i]) * step;
            step *= extents[i];
        }
        return sum;
    };
    for (index_t left = where.size() / run; left > 0; --left, block += run) {
        std::memcpy(whole + offset(), block, static_cast<std::size_t>(run * word));
        for (std::size_t i = mode; i < extents.size() && ++at[i] == where.extents[i]; ++i)
            at[i] = 0;
    }
}

bool fits_counts(index_t elements) { return elements <= INT_MAX; }

/// Visits the other ranks, each rank starting behind itself, so that no rank is addressed by all at
/// once.
template <class Visit> void for_each_other(int rank, int ranks, Visit &&visit) {
    for (int step = 1; step < ranks; ++step)
        visit((rank + step) % ranks);
}

void send(const double *from, index_t count, int to, MPI_Comm comm,
          std::vector<MPI_Request> &requests) {
    if (count > 0)
        expect_mpi(MPI_Isend(from, static_cast<int>(count), MPI_DOUBLE, to, 0, comm,
                             &requests.emplace_back(MPI_REQUEST_NULL)),
                   "MPI_Isend");
}

void receive(double *to, index_t count, int from, MPI_Comm comm,
             std::vector<MPI_Request> &requests) {
    if (count > 0)
        expect_mpi(MPI_Irecv(to, static_cast<int>(count), MPI_DOUBLE, from, 0, comm,
                             &requests.emplace_back(MPI_REQUEST_NULL)),
                   "MPI_Irecv");
}

/// A range of the last mode.
struct last_range {
    index_t first;
    index_t count;
};

/// Gathers the parts of a range from all ranks. They are dense in each block, except for the whole
/// block.
void gather_parts(const dist_tensor<double> &from, const last_range &range, double *whole,
                  double *received) {
    const distribution &spread = from.distribution();
    extents_t extents = from.extents();
    const bool all = extents.empty() || range.count == extents.back();
    if (!all)
        extents.back() = range.count;
    const auto part = [&](int rank) {
        slice block = spread.block_of(rank);
        if (!all && !block.empty()) {
            block.offsets.back() = 0;
            block.extents.back() = range.count;
        }
        return block;
    };
    const int rank = from.owner().rank();
    const slice own = part(rank);
    const double *mine =
        from.data() + (all || own.empty() ? 0 : own.size() / range.count * range.first);
    std::vector<index_t> offsets{0};
    for (int one = 0; one < spread.ranks(); ++one)
        offsets.push_back(offsets.back() + part(one).size());
    const auto place = [&](int one) { return received + offsets[static_cast<std::size_t>(one)]; };

    std::vector<MPI_Request> requests;
    const MPI_Comm comm = from.owner().comm();
    for_each_other(rank, spread.ranks(), [&](int other) {
        receive(place(other), part(other).size(), other, comm, requests);
    });
    for_each_other(rank, spread.ranks(),
                   [&](int other) { send(mine, own.size(), other, comm, requests); });
    copy_block(mine, own, extents, whole);
    expect_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
               "MPI_Waitall");
    for_each_other(rank, spread.ranks(),
                   [&](int other) { copy_block(place(other), part(other), extents, whole); });
}

} // namespace

void gather_blocks(const dist_tensor<double> &from, double *whole, double *scratch) {
    const distribution &spread = from.distribution();
    const index_t size = layout(from.extents()).size();
    if (!fits_counts(spread.largest_block())) {
        const tensor<double> all = from.gather_all();
        std::copy_n(all.data(), size, whole);
        return;
    }
    const index_t last = from.extents().empty() ? 1 : from.extents().back();
    const buffer allocated = scratch == nullptr ? allocate(size) : nullptr;
    gather_parts(from, {0, last}, whole, scratch == nullptr ? allocated.get() : scratch);
}

void gather_last(const dist_tensor<double> &from, index_t first, index_t count, double *whole,
                 double *scratch) {
    gather_parts(from, {first, count}, whole, scratch);
}

bool flip_move::is_possible(const distribution &spread) {
    if (spread.order() != 4 || spread.extents()[0] != spread.extents()[1] ||
        !fits_counts(spread.largest_block()))
        return false;
    for (int rank = 0; rank < spread.ranks(); ++rank)
        if (spread.rank_of_cell().at(static_cast<std::size_t>(
                std::min(rank, spread.cells() - 1))) != std::min(rank, spread.cells() - 1))
            return false;
    return spread.grid() == std::vector<int>{1, spread.ranks(), 1, 1};
}

/// The parcels of all ranks are stored in the order of ranks. The elements with b on this rank and
/// a on another one go to the rank where these a are b.
flip_move::flip_move(const dist_tensor<double> &from, double *out, double *in)
    : spread_(from.distribution()), rank_(from.owner().rank()), out_(out), in_(in) {
    const index_t v = from.extents()[0];
    const slice own = from.local_slice();
    const index_t rows = own.extents[1] * own.extents[2] * own.extents[3];
    const MPI_Comm comm = from.owner().comm();
    const auto offset = [&](int rank) { return spread_.block_of(rank).offsets[1] * rows; };
    const auto count = [&](int rank) { return spread_.block_of(rank).extents[1] * rows; };
    for_each_other(rank_, spread_.ranks(), [&](int other) {
        receive(in + offset(other), count(other), other, comm, requests_);
    });
    const auto pack = [&](int rank) {
        const index_t theirs = spread_.block_of(rank).extents[1];
        double *to = out + offset(rank);
        const double *row = from.data() + spread_.block_of(rank).offsets[1];
        for (index_t i = 0; i < rows; ++i, row += v, to += theirs)
            std::memcpy(to, row, static_cast<std::size_t>(theirs * word));
    };
    for_each_other(rank_, spread_.ranks(), [&](int other) {
        pack(other);
        send(out + offset(other), count(other), other, comm, requests_);
    });
    pack(rank_);
}

void flip_move::wait() noexcept {
    expect_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
    requests_.clear();
}

void flip_move::add_to(dist_tensor<double> &to) {
    wait();
    const slice own = to.local_slice();
    const index_t v = to.extents()[0];
    const index_t mine = own.extents[1];
    const index_t ni = own.extents[2];
    const index_t nj = own.extents[3];
    for (int rank = 0; rank < spread_.ranks(); ++rank) {
        const slice theirs = spread_.block_of(rank);
        if (theirs.empty() || own.empty())
            continue;
        const tensor_view<const double> x((rank == rank_ ? out_ : in_) +
                                              theirs.offsets[1] * mine * ni * nj,
                                          {mine, theirs.extents[1], nj, ni});
        const tensor_view<double> y(to.data() + theirs.offsets[1],
                                    {theirs.extents[1], mine, ni, nj},
                                    {1, v, v * mine, v * mine * ni});
        transpose("abij=baji", x, y, {.beta = 1.0, .threads = to.owner().threads()});
    }
}

index_t gather_bytes(const distribution &from) { return layout(from.extents()).size() * word; }

} // namespace tenfold::ccsd

// A list of work from which ranks take pieces, each rank as soon as it has finished the last one.
#pragma once

#include <array>

#include <tenfold/dist.hpp>

#include "base/parallel.hpp"

namespace tenfold::ccsd {

/// The places [0, count) of a list that all ranks have. A piece is a quarter of an equal share of
/// the rest. So few pieces are taken and the last ones are small: all ranks end together, even if
/// other programs use some of their cores.
///
/// Each rank gets its first piece without asking. The root assigns the others between its own work,
/// by two small messages each. A rank that takes a piece asks for the next one at once, so that the
/// answer is there when it is needed.
///
/// All ranks of the world construct an object with the same arguments, and each calls next() until
/// nothing is left, or give_up(). Only the calling thread calls MPI.
class taken_list {
public:
    /// The size of a piece is a multiple of `grain`, except for the last one.
    taken_list(const world &ranks, index_t count, index_t grain) noexcept;
    taken_list(const taken_list &) = delete; // MPI writes to it
    taken_list &operator=(const taken_list &) = delete;

    /// Returns this rank's next piece; empty if there is none. On the root it returns an empty
    /// range only after all ranks have been told.
    base::range next() noexcept;
    /// Answers the ranks that are waiting. The root calls it often.
    void answer() noexcept;
    /// Called when this rank has failed. The rest of the list is not assigned any more, and the
    /// other ranks end as usual.
    void give_up() noexcept;
    /// On the root: the number of places that are assigned.
    index_t taken() const noexcept { return next_; }

private:
    index_t piece() const noexcept;
    base::range take() noexcept;
    void ask() noexcept;
    void answer_one() noexcept;

    MPI_Comm comm_;
    bool answers_;
    index_t count_;
    index_t grain_;
    index_t ranks_;
    index_t next_ = 0; ///< the first place not assigned; on the root
    base::range first_;
    bool begun_ = false;
    bool ended_ = false;
    index_t asking_ = 0; ///< on the root: ranks that do not know yet that nothing is left
    bool gives_up_ = false;
    index_t question_ = 0; ///< whether the rank gives up
    std::array<index_t, 2> reply_{};
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

} // namespace tenfold::ccsd

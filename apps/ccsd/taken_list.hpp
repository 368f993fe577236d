// A list of work that ranks take pieces of, each as soon as it is done with what it has.
#pragma once

#include <array>

#include <tenfold/dist.hpp>

#include "base/parallel.hpp"

namespace tenfold::ccsd {

/// The places [0, count) of a list that all ranks know. Pieces are a quarter of an equal share of
/// what is left, so that few are asked for and the last ones are small: all ranks end together,
/// whoever else uses their cores.
///
/// Each rank has its first piece without asking. The root hands out the others between its own
/// work, by two small messages each; who takes a piece asks for the next one at once, so that the
/// answer is there when it is needed.
///
/// All ranks of the world make one with the same arguments, and each calls next() until there is
/// nothing left, or give_up(). MPI is called by the calling thread only.
class taken_list {
public:
    /// Pieces are multiples of `grain`, but for the last one.
    taken_list(const world &ranks, index_t count, index_t grain) noexcept;
    taken_list(const taken_list &) = delete; // MPI writes to it
    taken_list &operator=(const taken_list &) = delete;

    /// This rank's next piece; empty when there is none, on the root after all have been told.
    base::range next() noexcept;
    /// Answers ranks that wait, if any: the root calls it often.
    void answer() noexcept;
    /// This rank has failed: what was not taken yet is nobody's. The others end as usual.
    void give_up() noexcept;
    /// On the root: how many places are taken.
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
    index_t next_ = 0; ///< the first place that nobody has; known to the root
    base::range first_;
    bool begun_ = false;
    bool ended_ = false;
    index_t asking_ = 0; ///< on the root: ranks that have not been told that nothing is left
    bool gives_up_ = false;
    index_t question_ = 0; ///< whether the rank gives up
    std::array<index_t, 2> reply_{};
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

} // namespace tenfold::ccsd

// What little the iterations move between ranks, with nothing to plan or to agree on.
#pragma once

#include <vector>

#include <tenfold/dist.hpp>

namespace tenfold::ccsd {

/// Collective. All of `from` to `whole`, dense, on each rank. `scratch` has room for as many
/// elements as `whole`; null: it is allocated.
void gather_blocks(const dist_tensor<double> &from, double *whole, double *scratch = nullptr);

/// Collective. Likewise elements [first, first + count) of the last mode, which must not be cut;
/// `whole` and `scratch` have room for as many elements.
void gather_last(const dist_tensor<double> &from, index_t first, index_t count, double *whole,
                 double *scratch);

/// Moves x[a,b,i,j] to where x[b,a,j,i] lies, for a tensor that is cut along the second mode and no
/// other. Begun by its constructor, collectively; the ranks may compute before they complete it.
class flip_move {
public:
    /// Whether a tensor lies so that this can be done.
    static bool is_possible(const distribution &spread);

    /// `out` and `in` have as many elements as this rank's block and belong to the move until it is
    /// complete; `from` does not.
    flip_move(const dist_tensor<double> &from, double *out, double *in);
    ~flip_move() { wait(); }
    flip_move(const flip_move &) = delete;
    flip_move &operator=(const flip_move &) = delete;

    /// to[a,b,i,j] += x[b,a,j,i]; `to` lies as x did.
    void add_to(dist_tensor<double> &to);

private:
    void wait() noexcept;

    distribution spread_;
    int rank_;
    const double *out_;
    const double *in_;
    std::vector<MPI_Request> requests_;
};

/// Bytes that gather_blocks() takes beside the tensors, without scratch.
index_t gather_bytes(const distribution &from);

} // namespace tenfold::ccsd

// The few movements between ranks in the iterations, which need no plan.
#pragma once

#include <vector>

#include <tenfold/dist.hpp>

namespace tenfold::ccsd {

/// Collective. Copies all of `from` to `whole`, dense, on each rank. `scratch` has room for as many
/// elements as `whole`; null: it is allocated.
void gather_blocks(const dist_tensor<double> &from, double *whole, double *scratch = nullptr);

/// Collective. The same for elements [first, first + count) of the last mode, which must not be
/// distributed; `whole` and `scratch` have room for as many elements.
void gather_last(const dist_tensor<double> &from, index_t first, index_t count, double *whole,
                 double *scratch);

/// Moves x[a,b,i,j] to where x[b,a,j,i] is, for a tensor that is distributed along the second mode
/// only. The constructor begins the exchange, collectively; ranks may compute before they complete
/// it.
class flip_move {
public:
    /// Whether a tensor has this distribution.
    static bool is_possible(const distribution &spread);

    /// `out` and `in` have as many elements as this rank's block and must not be touched until the
    /// move is complete. `from` may be.
    flip_move(const dist_tensor<double> &from, double *out, double *in);
    ~flip_move() { wait(); }
    flip_move(const flip_move &) = delete;
    flip_move &operator=(const flip_move &) = delete;

    /// to[a,b,i,j] += x[b,a,j,i]; `to` has the distribution of x.
    void add_to(dist_tensor<double> &to);

private:
    void wait() noexcept;

    distribution spread_;
    int rank_;
    const double *out_;
    const double *in_;
    std::vector<MPI_Request> requests_;
};

/// Bytes that gather_blocks() allocates if `scratch` is null.
index_t gather_bytes(const distribution &from);

} // namespace tenfold::ccsd

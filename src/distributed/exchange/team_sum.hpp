// The sum over pk: products of the ranks that share a panel of D become pieces of it.
#pragma once

#include <vector>

#include "distributed/exchange/exchange.hpp"
#include "distributed/plan/layouts.hpp"

namespace tenfold::dist_impl {

/// A reduce-scatter, part by part of the panel: one part travels while the next is computed. Each
/// member of the team receives its share of every other's product, in shifts, and adds them to its
/// own in this order, whichever comes first.
template <class T> class team_sum {
public:
    /// `tree`: contributions are added in pairs of neighbours, then pairs of these, .., instead;
    /// the team's size is a power of 2.
    team_sum(communicator &comm, const layouts &where, bool tree);
    /// Buffers of the sizes in buffer_words; `piece` takes the sum.
    void use(T *piece, T *sent, T *received) noexcept;

    /// The part `box` of the product is computed; `panel` may change once this returns.
    void start(const slice &box, const placement<const T> &panel);
    void finish();
    void progress();

private:
    void add_in_order();
    void add_as_tree();

    communicator &comm_;
    std::vector<int> team_;
    std::vector<slice> pieces_; ///< of the team
    std::size_t place_;
    bool tree_;
    T *piece_ = nullptr;
    T *sent_ = nullptr;
    T *received_ = nullptr;
    slice own_; ///< of the part under way
    std::vector<MPI_Request> requests_;
    std::vector<int> peers_; ///< of each request
    timed_transfer transfer_{"sum over k"};
};

} // namespace tenfold::dist_impl

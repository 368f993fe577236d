// The sum over pk: the ranks that share a panel of D add up their products; each gets a piece of
// the sum.
#pragma once

#include <vector>

#include "distributed/exchange/exchange.hpp"
#include "distributed/plan/layouts.hpp"
#include "distributed/plan/placement.hpp"

namespace tenfold::dist_impl {

/// A reduce-scatter of the panel, part by part: one part travels while the next is computed. Member
/// i of the team receives its share of the products from i - 1, i - 2, .. and adds them to its own
/// in this order, whichever arrives first.
template <class T> class team_sum {
public:
    /// If `tree` is set, contributions are added in pairs of neighbours, then pairs of pairs, and
    /// so on; the team's size must be a power of 2.
    team_sum(communicator &comm, const layouts &where, bool tree);
    ~team_sum() { take_back(); }
    team_sum(const team_sum &) = delete;
    team_sum &operator=(const team_sum &) = delete;

    /// Sets buffers of the sizes in buffer_words; `sum` receives this rank's piece, and may be the
    /// panel itself.
    void use(placement<T> sum, T *sent, T *received) noexcept;

    /// Sends the part `box` of the product, which has been computed. `panel` may change after the
    /// call, unless the sum is put together there.
    void start(const slice &box, const placement<const T> &panel);
    void finish();
    void progress();
    /// Ends the messages that are left if the call failed.
    void take_back() noexcept { comm_.take_back(requests_); }

private:
    struct departure {
        slice box;
        int to;
    };
    /// Finds what travels of a part of the product.
    void look_at(const slice &box);
    /// Notes the peer of the requests that were started last.
    void note_peer(int peer);
    void add_in_order();
    void add_as_tree();

    communicator &comm_;
    std::vector<int> team_;
    std::vector<slice> pieces_; ///< the piece of each member of the team
    std::size_t place_;
    bool tree_;
    placement<T> piece_;
    T *sent_ = nullptr;
    T *received_ = nullptr;
    slice own_; ///< this rank's share of the part under way
    std::vector<departure> departures_;
    std::vector<MPI_Request> requests_;
    std::vector<int> peers_; ///< the peer of each request
    timed_transfer transfer_{"sum over k"};
};

} // namespace tenfold::dist_impl

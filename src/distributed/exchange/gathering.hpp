// Gathers the panels of A or B on one rank, one step after another: an all-gather among the ranks
// that share them.
#pragma once

#include <vector>

#include "distributed/exchange/exchange.hpp"
#include "distributed/plan/layouts.hpp"
#include "distributed/plan/nodes.hpp"
#include "distributed/plan/placement.hpp"

namespace tenfold::dist_impl {

/// The next step's part of the panel travels while the present one is used: start() the next step,
/// multiply the present one, finish(). Every member of the team sends its share to the others:
/// member i to i + 1, i + 2, .., and receives from i - 1, i - 2, .. in this order. What several
/// ranks of a node need from another node arrives at one of them, which passes it on (team_routes).
/// A part that lies in a rank's own piece is used there without a copy. Elements are only moved: T
/// is any type of their size.
template <class T> class gathering {
public:
    /// Memory of the sizes in buffer_words. `piece`, which begin() takes, is dense, and its modes
    /// are the panel's labels.
    struct memory {
        T *panel = nullptr;
        T *landing = nullptr;
        T *sent = nullptr;
    };

    gathering(communicator &comm, const layouts &where, tensor_id operand);
    ~gathering() { take_back(); }
    gathering(const gathering &) = delete;
    gathering &operator=(const gathering &) = delete;

    void use(const memory &buffers) noexcept { memory_ = buffers; }
    void begin(const T *piece) noexcept { piece_.data = piece; }

    /// Returns true if the two steps need different parts.
    bool differ(const step_index &one, const step_index &other) const noexcept;
    void start(const step_index &step);
    void finish();
    bool is_travelling() const noexcept { return !requests_.empty(); }
    /// True if others wait for what this rank has to pass on.
    bool has_to_pass_on() const noexcept { return passed_on_ < to_pass_on_.size(); }
    /// Lets messages under way advance.
    void progress();
    /// Ends those that are left if the call failed.
    void take_back() noexcept { comm_.take_back(requests_); }

    /// Returns where the part that a step multiplies lies once it has arrived. Its strides are
    /// known before.
    placement<const T> part(const step_index &step) const;

private:
    struct arrival {
        slice box;
        std::size_t owner; ///< place in the team
        int from;
        const T *data = nullptr;
        std::size_t first_request = 0, end_of_requests = 0;
    };
    struct departure {
        slice box;
        int to;
    };

    /// Returns true if this rank's piece holds the whole part, so that the panel is not written.
    bool is_own(const slice &part) const;
    /// Lists what arrives of a member's piece.
    void expect_from(std::size_t owner);
    /// Passes on what has arrived, in the order in which others expect it.
    void pass_on();
    /// Finds what travels in a step, and returns where it lands.
    placement<T> look_at(const step_index &step);
    /// Notes the peer of the requests that were started last.
    void note_peer(int peer);
    /// Packs the box of this rank's piece that all other members need, the same for each, into one
    /// contiguous run.
    const T *pack(const slice &going);

    communicator &comm_;
    const layouts &where_;
    tensor_id operand_;
    team_routes routes_;
    const std::vector<int> &team_;
    std::vector<slice> pieces_; ///< the piece of each member of the team
    std::size_t place_;
    memory memory_;
    placement<const T> piece_; ///< this rank's
    slice part_;               ///< the part that is under way
    slice own_;                ///< what of it lies in this rank's piece
    bool part_is_own_ = false;
    std::vector<arrival> arrivals_;
    std::vector<std::size_t> to_pass_on_; ///< of the arrivals
    std::size_t passed_on_ = 0;           ///< of to_pass_on_
    std::vector<departure> departures_;
    std::vector<MPI_Request> requests_;
    std::vector<int> peers_; ///< the peer of each request
    timed_transfer transfer_;
};

} // namespace tenfold::dist_impl

// The panels of A or B on one rank, step by step: all-gathered within the team that shares them.
#pragma once

#include <vector>

#include "distributed/exchange/exchange.hpp"
#include "distributed/plan/layouts.hpp"

namespace tenfold::dist_impl {

/// One step's part of the panel is there while the next one's is on its way: start() a step, work
/// on the one before, finish(). Every member of the team sends what it has of the others' parts to
/// them, in shifts: member i to i + 1, i + 2, .., and receives from i - 1, i - 2, .. A part that
/// lies in a rank's own piece is used there.
template <class T> class gathering {
public:
    /// Memory of the sizes in buffer_words; `piece` is dense, its modes the panel's labels.
    struct memory {
        T *panel = nullptr;
        T *landing = nullptr;
        T *sent = nullptr;
    };

    gathering(communicator &comm, const layouts &where, tensor_id operand);
    void use(const memory &buffers) noexcept { memory_ = buffers; }
    void begin(const T *piece) noexcept { piece_ = piece; }

    /// True if the two steps need different parts.
    bool differ(const step_index &one, const step_index &other) const noexcept;
    void start(const step_index &step);
    void finish();
    bool is_travelling() const noexcept { return !requests_.empty(); }
    /// Lets messages go on that are under way.
    void progress();

    /// Where the part lies that a step multiplies, once it is there; its strides are known before.
    placement<const T> part(const step_index &step) const;

private:
    struct arrival {
        slice box;
        const T *data;
    };

    /// True if the whole part is in this rank's piece, and the panel is left alone.
    bool is_own(const slice &part) const;
    /// What the others want of this rank's piece, all of them the same, as one run.
    const T *pack(const slice &going);

    communicator &comm_;
    const layouts &where_;
    tensor_id operand_;
    std::vector<int> team_;
    std::vector<slice> pieces_; ///< of the team
    std::size_t place_;
    memory memory_;
    const T *piece_ = nullptr;
    slice part_; ///< the one under way
    bool part_is_own_ = false;
    std::vector<arrival> arrivals_;
    std::vector<MPI_Request> requests_;
    std::vector<int> peers_; ///< of each request
    timed_transfer transfer_;
};

} // namespace tenfold::dist_impl

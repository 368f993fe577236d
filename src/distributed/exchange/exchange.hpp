// Moving boxes between ranks: every rank owns a source box and wants a target box of the same index
// space; what they have in common travels, packed, from owner to owner.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "distributed/comm/communicator.hpp"
#include "distributed/plan/placement.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Which box a rank has.
using box_of_rank = std::function<slice(int rank)>;

/// Bytes that travel at a time. All ranks must have the same ones.
struct exchange_limits {
    index_t message = exchange_window / 8; ///< of one message
    index_t window = exchange_window;      ///< of those under way in one direction; holds a message
};

/// One redistribution, prepared: constructing it computes all intersections, O(P order); running it
/// moves the data. A box is cut into messages, which all ranks cut alike, and no more of them than
/// a window holds are under way in each direction. Rank r sends to r + 1, r + 2, .. and receives
/// from r - 1, r - 2, .. in this order: the earliest message that is not yet through is then the
/// next one of both its ranks, so that a window of any size makes progress.
template <class T> class exchange {
public:
    /// Other limits than these are for tests: plans reserve memory for exchange_window.
    exchange(communicator &comm, const box_of_rank &source_of, const box_of_rank &target_of,
             const exchange_limits &limits = {});

    /// Elements of the packing buffers.
    index_t buffer_words() const noexcept { return outgoing_.words + incoming_.words; }
    /// Packs in `memory`, of buffer_words() elements, which several exchanges may share.
    void use(T *memory) noexcept;
    /// Packs in memory of its own; throws errc::out_of_memory.
    void allocate();

    /// to = from + beta to on the common elements; beta = 0 does not read `to`.
    void run(const placement<const T> &from, const placement<T> &to, T beta);

private:
    struct message {
        int peer;
        slice box;
    };
    /// The messages of one direction, in order, and the slots that hold those under way.
    struct window {
        std::vector<message> messages;
        std::vector<index_t> slots; ///< where each begins
        index_t words = 0;          ///< of all slots
        T *memory = nullptr;

        void add(int peer, const slice &box, index_t most_words);
        void lay_out(index_t most_words);
        T *slot(std::size_t i) const noexcept { return memory + slots[i]; }
    };

    communicator &comm_;
    slice stays_;
    window outgoing_, incoming_;
    std::unique_ptr<T, base::aligned_deleter> own_memory_;
};

} // namespace tenfold::dist_impl

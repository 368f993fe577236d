// Moves boxes between ranks. Every rank has a source box and a target box of the same index space;
// the intersections are packed and sent from source to target.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "base/function_ref.hpp"
#include "distributed/comm/communicator.hpp"
#include "distributed/comm/message_memory.hpp"
#include "distributed/plan/placement.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// Returns the box that a rank has.
using box_of_rank = base::function_ref<slice(int rank)>;

/// Limits in bytes; all ranks must use the same ones.
struct exchange_limits {
    index_t message = exchange_window / 8; ///< size of one message
    index_t window = exchange_window;      ///< size of all messages under way in one direction; at
                                           ///< least one message
};

/// One prepared redistribution: the constructor computes all intersections, O(P order); run() moves
/// the data, or start() and advance() do while the rank does other things. Both ends cut a box into
/// the same messages, and at most a window of messages is under way in each direction. Rank r sends
/// to r + 1, r + 2, .. and receives from r - 1, r - 2, .. in this order. The earliest message that
/// has not completed is therefore the next one of both its ranks, so a window of any size makes
/// progress.
template <class T> class exchange {
public:
    /// `source`: the distribution of the sources, if it may have copies; of several equal sources
    /// a rank reads one. Only tests pass other limits: plans reserve memory for exchange_window.
    exchange(communicator &comm, box_of_rank source_of, box_of_rank target_of,
             const distribution *source = nullptr, const exchange_limits &limits = {});

    /// Lets run(), whose source is at `from`, send what lies in one piece there without packing, if
    /// all messages do: then they need no buffers, and the source's memory is that of messages. To
    /// be called before the buffers are made.
    void send_in_place(const element_places &from);

    /// Returns the number of elements of the packing buffers.
    index_t buffer_words() const noexcept { return outgoing_.words + incoming_.words; }
    /// Packs in `memory`, which has buffer_words() elements; several exchanges may share it.
    void use(T *memory) noexcept;
    /// Allocates the packing buffers; throws errc::out_of_memory.
    void allocate();

    /// Computes to = alpha from + beta to on the common elements, with alpha other than 0; beta = 0
    /// does not read `to`. Elements that are not added (base/sum_types.hpp) are copied: then alpha
    /// is 1 and beta 0. Allocates nothing.
    void run(const placement<const T> &from, const placement<T> &to, T beta, T alpha = T(1));

    /// Starts to = from in the background (background.hpp), with messages of this tag. The arrays
    /// stay as they are until is_through().
    void start(placement<const T> from, placement<T> to, int tag);
    /// Handles messages that have come and starts the next ones. Returns whether there were any.
    bool advance();
    bool is_through() const noexcept { return open_ == 0; }
    /// The ranks at the other ends of messages that are under way.
    std::vector<int> peers() const;
    /// Ends what is left if the call failed.
    void take_back() noexcept {
        if (open_ > 0)
            comm_.take_back(requests_);
    }
    /// Bytes that this rank receives.
    index_t bytes_arriving() const noexcept;

private:
    struct message {
        int peer;
        slice box;
    };
    /// The messages of one direction, in order, and the slots for those under way.
    struct window {
        std::vector<message> messages;
        std::vector<index_t> slots; ///< offset of each slot in `memory`
        index_t words = 0;          ///< size of all slots together
        T *memory = nullptr;

        void add(int peer, const slice &box, index_t most_words);
        void lay_out(index_t most_words);
        T *slot(std::size_t i) const noexcept { return memory + slots[i]; }
    };

    /// What is moved, and how far that has come.
    struct movement {
        const placement<const T> *from = nullptr;
        const placement<T> *to = nullptr;
        T alpha = T(1), beta = T(0);
        int tag = communicator::data_tag;
        std::size_t next_receive = 0, next_send = 0; ///< of the messages
    };

    /// Starts the first messages and moves what stays.
    void begin(const movement &now);
    // The next message takes whichever slot is free.
    void receive_into(std::size_t slot);
    void send_from(std::size_t slot);
    /// The message in this slot, of those for receiving and sending, is through.
    void complete(std::size_t slot);
    /// to = alpha elements + beta to; types that are not added are only copied.
    void arrive(const slice &box, const T *elements, const extents_t &strides) const;
    int peer_of(std::size_t slot) const noexcept {
        return slot < incoming_.slots.size() ? incoming_.messages[held_[slot]].peer
                                             : outgoing_.messages[held_[slot]].peer;
    }

    /// Returns the strides of the box's elements in a slot, until the next call.
    const extents_t &strides_in_slot(const slice &box) noexcept;

    communicator &comm_;
    slice stays_;
    window outgoing_, incoming_;
    bool sends_in_place_ = false;
    movement now_;
    std::size_t open_ = 0; ///< messages under way
    // Scratch memory.
    std::vector<MPI_Request> requests_; ///< of the slots, those for receiving first
    std::vector<MPI_Request> started_;
    static constexpr std::size_t no_message = SIZE_MAX;
    std::vector<std::size_t> held_; ///< the message in each slot
    extents_t strides_;
    message_buffer<T> own_memory_;
    // In the background.
    std::optional<placement<const T>> kept_from_;
    std::optional<placement<T>> kept_to_;
};

/// A redistribution together with its buffers and the arrays between which it moves elements, so
/// that run() needs no memory.
template <class T> class prepared_exchange {
public:
    /// Throws errc::out_of_memory.
    prepared_exchange(communicator &comm, box_of_rank source_of, box_of_rank target_of,
                      placement<const T> from, placement<T> to,
                      const distribution *source = nullptr)
        : movement_(comm, source_of, target_of, source), from_(std::move(from)),
          to_(std::move(to)) {
        movement_.send_in_place(from_);
        movement_.allocate();
    }
    void run(T beta = T(0), T alpha = T(1)) { movement_.run(from_, to_, beta, alpha); }

private:
    exchange<T> movement_;
    placement<const T> from_;
    placement<T> to_;
};

} // namespace tenfold::dist_impl

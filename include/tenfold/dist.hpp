// Tensors and contractions across MPI ranks. Link tenfold::dist.
//
// All ranks of the world must call every function marked "collective", in the same order and with
// the same arguments unless it says otherwise. Each such call begins with one small all-reduce. If
// ranks passed different arguments, or if one of them failed, all ranks throw the same
// tenfold::error before anything is written; that of a rank without memory names the rank and the
// operation. Once data moves, an MPI error ends the program through the fatal handler. See
// docs/distribution.md.
//
// One thread at a time may make collective calls on a world. They throw errc::invalid_argument if
// another thread is in one, or if the world or tensor was moved from, and errc::communication after
// MPI_Finalize. They throw errc::communication, too, if a rank without which they cannot complete
// has freed the world, reached MPI_Finalize or ended; then the world can no longer be used.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include <tenfold/dist_sequence.hpp>
#include <tenfold/error.hpp>
#include <tenfold/tensor.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// The ranks that share tensors. A handle: copies refer to the same communicator. One that was
/// moved from has 0 ranks.
class world {
public:
    /// Collective over `comm`, which is duplicated. The duplicate is freed after the last handle or
    /// tensor of every rank; if MPI is finalised before, it is abandoned. Any thread level is
    /// sufficient, because only the calling thread calls MPI. With several ranks the process has
    /// one more thread and connections, unless settings::presence_seconds is 0. Throws
    /// errc::communication unless MPI is initialised, errc::invalid_argument for MPI_COMM_NULL
    /// and intercommunicators, errc::out_of_memory.
    explicit world(MPI_Comm comm);
    /// The same with the settings of a context, which is not referred to later, instead of those of
    /// the global one: threads, watchdog_seconds and presence_seconds, and the log for warnings
    /// about the world. If presence_seconds is 0 on one rank, all do without.
    world(MPI_Comm comm, const context &ctx);

    int rank() const noexcept;
    int size() const noexcept;
    /// Threads for local work on this rank: TENFOLD_NUM_THREADS or OMP_NUM_THREADS if set.
    /// Otherwise the cores that this node's ranks may use (the union of their affinity masks,
    /// within the cgroup's quota), divided by the number of those ranks; at least 1.
    int threads() const noexcept;
    /// Ranks of a node, if rank r is on node r / ranks_per_node() for all of them; 0 if not, or if
    /// all are on one node. Contractions plan with it (dist_options::ranks_per_node).
    int ranks_per_node() const noexcept;
    /// Tenfold's duplicate of the communicator.
    MPI_Comm comm() const noexcept;

    friend bool operator==(const world &, const world &) = default;

private:
    friend struct internals;
    struct state;
    std::shared_ptr<state> state_;
};

/// Called when the ranks cannot continue together, because MPI or a local step failed after data
/// began to move. It must not return; if it does, tenfold::error(errc::communication) is thrown and
/// the world can no longer be used. The default prints the message to stderr and calls MPI_Abort.
using fatal_handler = std::function<void(int rank, std::string_view message)>;
/// Replaces the handler of the whole process; an empty one restores the default. Returns the former
/// handler.
fatal_handler set_fatal_handler(fatal_handler handler);

/// Collective. Returns if no rank passes an error; otherwise all ranks throw that of the lowest
/// rank which does. A rank that cannot make the collective call which the others make, because its
/// own arguments are wrong, calls this with its error instead: then the others' call throws that
/// error, too, before anything is written, and nobody waits. Meant for bindings to other languages.
void agree(const world &where, const std::optional<error> &failure = std::nullopt);

/// Sets the size of the largest message, in bytes; larger messages are sent in pieces. The default
/// is 2^30 - 2^12, which the int counts of every MPI can hold. At least 16, and the same on all
/// ranks. Meant for tests. Returns the former limit.
byte_count set_message_limit(byte_count limit);

namespace dist_impl {
struct tensor_access;
}

/// A tensor of T, a type of <tenfold/dist_types.hpp>, spread over the ranks of a world. Move-only.
///
/// If its distribution has copies, every function that writes the tensor leaves them equal, and
/// every function that reads it takes each element from one copy: a rank from its own, others
/// evenly from all. Only writes by hand, through local() or data(), can make copies differ.
/// Therefore a call of either on a tensor that is not const counts as one, and functions that read
/// the tensor throw errc::invalid_argument on all ranks until refresh() or a call that writes every
/// element follows. After that, pointers and views from before must not be written through.
template <class T> class dist_tensor {
public:
    /// Collective. Initialised with zeros, in distribution::block(extents, world.size()).
    dist_tensor(const world &world, extents_t extents);
    /// Collective. Throws errc::extent_mismatch or errc::invalid_argument if `spread` is for other
    /// extents or another number of ranks; errc::overflow, errc::out_of_memory (on all ranks).
    dist_tensor(const world &world, extents_t extents, tenfold::distribution spread);
    /// Collective. The same, but elements are left as the memory has them, for a tensor that is
    /// written as a whole: `dist_tensor<double> A(world, {48, 36}, uninitialized)`. What reads an
    /// element that was not written is undefined; copies of it differ. Pages are untouched: the
    /// first thread that writes one decides near which cores it is allocated.
    dist_tensor(const world &world, extents_t extents, uninitialized_t);
    dist_tensor(const world &world, extents_t extents, tenfold::distribution spread,
                uninitialized_t);

    /// A moved-from tensor owns nothing and may only be assigned to or destroyed.
    dist_tensor(dist_tensor &&other) noexcept
        : world_(std::move(other.world_)), number_(other.number_),
          spread_(std::move(other.spread_)),
          local_slice_(std::exchange(other.local_slice_, slice{{}, {}, true})),
          data_(std::move(other.data_)), written_by_hand_(other.written_by_hand_) {}
    dist_tensor &operator=(dist_tensor &&other) noexcept {
        if (this == &other)
            return *this;
        world_ = std::move(other.world_);
        number_ = other.number_;
        spread_ = std::move(other.spread_);
        local_slice_ = std::exchange(other.local_slice_, slice{{}, {}, true});
        data_ = std::move(other.data_);
        written_by_hand_ = other.written_by_hand_;
        return *this;
    }

    const tenfold::world &owner() const noexcept { return world_; }
    /// The number of the collective call that made the tensor: equal on all ranks, and no other
    /// tensor of the world has it. Collective calls compare it, so that ranks that pass different
    /// tensors are told so.
    std::uint64_t number() const noexcept { return number_; }
    const extents_t &extents() const noexcept { return spread_.extents(); }
    int order() const noexcept { return spread_.order(); }
    const tenfold::distribution &distribution() const noexcept { return spread_; }

    /// This rank's part: its position in the tensor, and its elements (dense, column-major). A rank
    /// that owns nothing has extents of 0. A scalar has no extents, so a rank that does not own it
    /// has one element that is not part of the tensor; check local_slice().empty().
    const slice &local_slice() const noexcept { return local_slice_; }
    tensor_view<T> local() { return {data(), local_slice_.extents}; }
    tensor_view<const T> local() const { return {data_.get(), local_slice_.extents}; }

    /// Collective. Calls `callback` for its own block on every rank that owns one, and sends the
    /// elements to further copies:
    ///     A.fill([](const extents_t &offsets, tensor_view<double> block) { ... });
    /// If it throws on one rank, all ranks throw, and the elements are unspecified.
    void fill(const std::function<void(const extents_t &offsets, tensor_view<T> block)> &callback);
    /// Collective.
    void fill(T value);

    /// Collective. Reads a slice, which each rank chooses for itself and which may be empty, into a
    /// dense tensor.
    tensor<T> read(const slice &wanted) const;
    tensor<T> read(extents_t offsets, extents_t extents) const {
        return read(slice{std::move(offsets), std::move(extents)});
    }
    /// Collective. The same into memory of the caller's: `to` has the slice's extents, and any
    /// strides; it is not used where the slice is `none`. Throws errc::extent_mismatch,
    /// errc::null_pointer, and errc::overlap if `to` overlaps itself.
    void read_into(const slice &wanted, tensor_view<T> to) const;
    /// Collective. Writes a slice, which each rank chooses for itself and which may be empty, from
    /// `values` (any strides). Throws errc::overlap, on all ranks, if two ranks write the same
    /// element.
    void write(const slice &where, tensor_view<const std::type_identity_t<T>> values);
    void write(extents_t offsets, tensor_view<const std::type_identity_t<T>> values) {
        write(slice{std::move(offsets), values.shape().extents()}, values);
    }

    /// Collective. Returns the whole tensor on `root`, and a tensor of order 1 and extent 0
    /// elsewhere.
    tensor<T> gather(int root) const;
    /// Collective. The same into memory of `root`'s (any strides); other ranks' `to` is ignored.
    /// Throws as read_into().
    void gather_into(tensor_view<T> to, int root) const;
    /// Collective. Returns the whole tensor on every rank.
    tensor<T> gather_all() const;
    /// Collective. Sets the whole tensor from `values` on `root` (any strides); other ranks' values
    /// are ignored.
    void scatter(tensor_view<const std::type_identity_t<T>> values, int root);

    /// Collective. Makes all copies equal to the first one, after the ranks of that one wrote it by
    /// hand; what was written to others is lost. A rank receives at most its block. Does nothing
    /// if there is one copy.
    void refresh();

    /// Collective. Returns the same tensor in another distribution.
    dist_tensor redistribute(tenfold::distribution spread) const;

    /// Collective. Square root of the sum of |x|^2. Each term is computed in double; the error of
    /// their sum is at most 2^-80 of the largest term for each term. The bits are the same on every
    /// rank, for any number of ranks and threads and any distribution.
    double norm() const;

    T *data() noexcept {
        if (spread_.copies() > 1) // else threads may call it at the same time
            written_by_hand_ = true;
        return data_.get();
    }
    const T *data() const noexcept { return data_.get(); }

private:
    friend struct dist_impl::tensor_access;
    /// Has no elements yet.
    explicit dist_tensor(const tenfold::world &world)
        : world_(world), spread_(tenfold::distribution::unset()) {}
    enum class start { zeros, unset };
    /// Collective. Moves from `spread`; null: the default distribution. `operation`: the call, for
    /// messages.
    void create(const char *operation, const extents_t &extents, tenfold::distribution *spread,
                start elements = start::zeros);

    tenfold::world world_;
    std::uint64_t number_ = 0;
    tenfold::distribution spread_;
    slice local_slice_;
    std::unique_ptr<T, base::aligned_deleter> data_;
    bool written_by_hand_ = false; ///< on this rank, and copies may differ
};

/// Collective. Sum of conj(a) b, computed like norm(), and rounded once to T; of integers modulo
/// what T holds. b is redistributed to a's distribution if the two differ.
template <class T>
[[gnu::visibility("default")]] T dot(const dist_tensor<T> &a, const dist_tensor<T> &b);

/// The measured costs of a distributed contraction. "max" is the maximum over the ranks, and the
/// same on every rank.
struct dist_report {
    dist_plan plan;
    byte_count bytes_received_max; ///< payload of the contraction; equals the plan's number
    byte_count redistribution_max; ///< payload of the redistributions; equals the plan's number
    byte_count peak_bytes_max;     ///< blocks, panels, buffers and local workspace
    byte_count workspace_max;      ///< the part of it that is local workspace
    double seconds_max;            ///< from agreement to the last element
    tenfold::algorithm algorithm; ///< of this rank's local contraction; automatic if there was none
    byte_count own_bytes_received; ///< by this rank, in the contraction
    byte_count own_redistribution; ///< by this rank, in redistributions
};

/// Collective. Computes R = alpha op(A) op(B) + beta R:
///     contract("abij=abef*efij", V, T, R);
/// Expressions may have "+=" and "-=", leading scalars and all classes of labels, as in contract()
/// on one node. Tensors of several types: <tenfold/dist_mixed.hpp>. All tensors belong to one
/// world, and R is neither A nor B. beta = 0: R is not read; alpha = 0: A and B are not read. The
/// same plan on the same number of ranks gives the same bits; with options.reproducible, any number
/// of ranks does. Throws, on all ranks alike, as make_dist_plan() does, and errc::disagreement,
/// errc::overlap, errc::invalid_argument (tensors of different worlds, two tensors of one name),
/// errc::out_of_memory, all before anything is written. errc::stopped (options.control) leaves R
/// unspecified.
template <class T> [[gnu::visibility("default")]] dist_report
contract(std::string_view expression, const dist_tensor<T> &a, const dist_tensor<T> &b,
         dist_tensor<T> &r, const dist_options &options = {});
/// One input: permutations, traces, sums.
template <class T>
[[gnu::visibility("default")]] dist_report contract(std::string_view expression,
                                                    const dist_tensor<T> &a, dist_tensor<T> &r,
                                                    const dist_options &options = {});

/// One of several inputs: refers to a tensor, which may be conjugated.
template <class T> class dist_input {
public:
    dist_input(const dist_tensor<T> &tensor) : tensor_(&tensor) {}

    const dist_tensor<T> &tensor() const noexcept { return *tensor_; }
    bool conjugated() const noexcept { return conjugated_; }

    /// Returns the same input, conjugated when it is read. Has no effect on real types.
    friend dist_input conj(dist_input operand) {
        operand.conjugated_ = !operand.conjugated_;
        return operand;
    }

private:
    const dist_tensor<T> *tensor_;
    bool conjugated_ = false;
};
template <class T> dist_input<T> conj(const dist_tensor<T> &tensor) {
    return conj(dist_input<T>(tensor));
}

/// The measured costs of a sequence of contractions.
struct dist_sequence_report {
    dist_sequence plan;
    byte_count bytes_received_max; ///< by each step's busiest rank, summed over the steps
    byte_count redistribution_max; ///< likewise
    byte_count peak_bytes_max;     ///< of all tensors, panels, buffers and local workspace
    double seconds_max;            ///< from agreement to the last element
    std::vector<dist_report> steps;
};

/// Collective. Contracts any number of inputs, two at a time, in the order of make_dist_sequence():
///     contract("abij=acik*cdkl*dblj", {T, V, conj(T)}, R);
/// Otherwise as above. Intermediates are allocated and freed between the steps. If there is no
/// memory for one, all ranks throw, and R is unchanged.
template <class T> [[gnu::visibility("default")]] dist_sequence_report
contract(std::string_view expression, std::span<const dist_input<std::type_identity_t<T>>> inputs,
         dist_tensor<T> &r, const dist_options &options = {});
template <class T>
dist_sequence_report contract(std::string_view expression,
                              std::initializer_list<dist_input<std::type_identity_t<T>>> inputs,
                              dist_tensor<T> &r, const dist_options &options = {}) {
    return contract<T>(expression, std::span(inputs.begin(), inputs.size()), r, options);
}

} // namespace tenfold

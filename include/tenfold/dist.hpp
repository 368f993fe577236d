// Tensors and contractions across MPI ranks. Link tenfold::dist.
//
// Every function that is marked "collective" must be called by all ranks of the world, in the same
// order, with the same arguments unless it says otherwise. Each such call starts with one small
// all-reduce: when ranks passed different arguments, or one of them failed, all ranks throw the
// same tenfold::error before anything has been written. Once data moves, an MPI error ends the
// program through the fatal handler. See docs/distribution.md.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include <tenfold/dist_sequence.hpp>
#include <tenfold/tensor.hpp>

namespace tenfold {

namespace dist_impl {
class communicator;
}

/// The ranks that share tensors. A handle: copies refer to the same communicator.
class world {
public:
    /// Collective over `comm`, which is duplicated; the duplicate is freed with the last handle or
    /// tensor, or forgotten when MPI was finalised before. Any thread level will do: MPI is called
    /// from the calling thread only. Throws errc::communication unless MPI is initialised.
    explicit world(MPI_Comm comm);

    int rank() const noexcept;
    int size() const noexcept;
    /// Threads that local work uses on this rank: TENFOLD_NUM_THREADS or OMP_NUM_THREADS, else the
    /// cores that this node's ranks may use (the union of their affinity masks, within the cgroup's
    /// quota), divided by those ranks; at least 1.
    int threads() const noexcept;
    /// Tenfold's duplicate.
    MPI_Comm comm() const noexcept;

    dist_impl::communicator &internals() const noexcept { return *communicator_; }
    friend bool operator==(const world &, const world &) = default;

private:
    std::shared_ptr<dist_impl::communicator> communicator_;
};

/// Called when ranks can no longer continue together: MPI failed, or a local step did, after data
/// began to move. Must not return; if it does, tenfold::error(errc::communication) is thrown, and
/// the world is of no further use. Default: the message to stderr, then MPI_Abort.
using fatal_handler = std::function<void(int rank, std::string_view message)>;
/// Replaces it for the whole process; an empty one restores the default. Returns the former one.
fatal_handler set_fatal_handler(fatal_handler handler);

/// No message is longer; larger ones travel in pieces. Default 2^30 - 2^12 bytes, below what any
/// MPI's int counts hold. At least 16 bytes, the same on all ranks; for tests. Returns the former
/// limit.
byte_count set_message_limit(byte_count limit);

/// A tensor of T (an arithmetic type) spread over the ranks of a world. Move-only.
template <class T> class dist_tensor {
public:
    /// Collective. Zero-initialised, in distribution::block(extents, world.size()).
    dist_tensor(const world &world, extents_t extents);
    /// Collective. Throws errc::extent_mismatch or errc::invalid_argument when `spread` is for
    /// other extents or another number of ranks; errc::overflow, errc::out_of_memory (on all
    /// ranks).
    dist_tensor(const world &world, extents_t extents, tenfold::distribution spread);

    /// What is moved from owns nothing; it may be assigned to, and nothing else.
    dist_tensor(dist_tensor &&other) noexcept
        : world_(std::move(other.world_)), spread_(std::move(other.spread_)),
          local_slice_(std::exchange(other.local_slice_, slice{{}, {}, true})),
          data_(std::move(other.data_)) {}
    dist_tensor &operator=(dist_tensor &&other) noexcept {
        if (this == &other)
            return *this;
        world_ = std::move(other.world_);
        spread_ = std::move(other.spread_);
        local_slice_ = std::exchange(other.local_slice_, slice{{}, {}, true});
        data_ = std::move(other.data_);
        return *this;
    }

    const tenfold::world &owner() const noexcept { return world_; }
    const extents_t &extents() const noexcept { return spread_.extents(); }
    int order() const noexcept { return spread_.order(); }
    const tenfold::distribution &distribution() const noexcept { return spread_; }

    /// This rank's part: where it lies in the tensor, and its elements (dense, column-major). A
    /// rank that owns nothing gets extents 0; of a scalar, which has no extents, it gets an element
    /// that is not part of the tensor: ask local_slice().empty().
    const slice &local_slice() const noexcept { return local_slice_; }
    tensor_view<T> local() { return {data_.get(), local_slice_.extents}; }
    tensor_view<const T> local() const { return {data_.get(), local_slice_.extents}; }

    /// Collective; the callback runs on every rank that owns something, for its own block:
    ///     A.fill([](const extents_t &offsets, tensor_view<double> block) { ... });
    /// When it throws on one rank, all ranks throw.
    void fill(const std::function<void(const extents_t &offsets, tensor_view<T> block)> &callback);
    /// Collective.
    void fill(T value);

    /// Collective; each rank names a slice of its own, possibly an empty one. The result is dense.
    tensor<T> read(const slice &wanted) const;
    tensor<T> read(extents_t offsets, extents_t extents) const {
        return read(slice{std::move(offsets), std::move(extents)});
    }
    /// Collective; each rank writes a slice of its own, possibly an empty one, from `values` (any
    /// strides). Throws errc::overlap, on all ranks, when two ranks write one element.
    void write(const slice &where, tensor_view<const std::type_identity_t<T>> values);
    void write(extents_t offsets, tensor_view<const std::type_identity_t<T>> values) {
        write(slice{std::move(offsets), values.shape().extents()}, values);
    }

    /// Collective. The whole tensor on `root`; elsewhere a tensor of order 1 and extent 0.
    tensor<T> gather(int root) const;
    /// Collective. The whole tensor on every rank.
    tensor<T> gather_all() const;
    /// Collective. The whole tensor from `values` on `root` (any strides); ignored elsewhere.
    void scatter(tensor_view<const std::type_identity_t<T>> values, int root);

    /// Collective. The same tensor, spread otherwise.
    dist_tensor redistribute(tenfold::distribution spread) const;

    /// Collective. Square root of the sum of |x|^2, each term in double, their sum exact to 2^-80
    /// of the largest one for each: the same bits on every rank, any number of ranks and threads,
    /// in any distribution.
    double norm() const;

    T *data() noexcept { return data_.get(); }
    const T *data() const noexcept { return data_.get(); }

private:
    tenfold::world world_;
    tenfold::distribution spread_;
    slice local_slice_;
    std::unique_ptr<T, base::aligned_deleter> data_;
};

/// Collective. Sum of conj(a) b, like norm(). b is redistributed to a's distribution where it
/// differs.
template <class T> T dot(const dist_tensor<T> &a, const dist_tensor<T> &b);

/// What a distributed contraction did; "max" is over the ranks, the same on every rank.
struct dist_report {
    dist_plan plan;
    byte_count bytes_received_max; ///< payload of the contraction; equals the plan's number
    byte_count redistribution_max; ///< payload of the redistributions; equals the plan's number
    byte_count peak_bytes_max;     ///< blocks, panels, buffers and local workspace
    byte_count workspace_max;      ///< the local workspace in it
    double seconds_max;            ///< from agreement to the last element
    tenfold::algorithm algorithm; ///< of this rank's local contraction; automatic where it had none
    byte_count own_bytes_received; ///< of the contraction, by this rank
    byte_count own_redistribution; ///< likewise
};

/// Collective. R = alpha op(A) op(B) + beta R:
///     contract("abij=abef*efij", V, T, R);
/// "+=" and "-=", leading scalars and all classes of labels as in contract() on one node. All
/// tensors belong to one world, R is neither A nor B. beta = 0: R is not read; alpha = 0: A and B
/// are not read. The same plan on the same number of ranks gives the same bits; with
/// options.reproducible, so does any number of ranks.
/// Throws, on all ranks alike, as make_dist_plan() does, and errc::disagreement, errc::overlap,
/// errc::invalid_argument (tensors of different worlds), errc::out_of_memory; nothing has been
/// written then. errc::stopped (options.control) leaves R unspecified.
template <class T> dist_report contract(std::string_view expression, const dist_tensor<T> &a,
                                        const dist_tensor<T> &b, dist_tensor<T> &r,
                                        const dist_options &options = {});
/// One input: permutations, traces, sums.
template <class T> dist_report contract(std::string_view expression, const dist_tensor<T> &a,
                                        dist_tensor<T> &r, const dist_options &options = {});

/// An input among several: a tensor, which it refers to, or its conjugate.
template <class T> class dist_input {
public:
    dist_input(const dist_tensor<T> &tensor) : tensor_(&tensor) {}

    const dist_tensor<T> &tensor() const noexcept { return *tensor_; }
    bool conjugated() const noexcept { return conjugated_; }

    /// Conjugated where it is read (no effect on real types).
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

/// What the contractions of a sequence did together.
struct dist_sequence_report {
    dist_sequence plan;
    byte_count bytes_received_max; ///< the sum over the steps of what their busiest ranks received
    byte_count redistribution_max; ///< likewise
    byte_count peak_bytes_max;     ///< of all tensors, panels, buffers and local workspace
    double seconds_max;            ///< from agreement to the last element
    std::vector<dist_report> steps;
};

/// Collective. Any number of inputs, contracted two at a time as make_dist_sequence() plans it:
///     contract("abij=acik*cdkl*dblj", {T, V, conj(T)}, R);
/// As above in all else. Tensors between the steps are made and freed on the way; when there is no
/// memory for one, all ranks throw, and R is as it was.
template <class T>
dist_sequence_report contract(std::string_view expression,
                              std::span<const dist_input<std::type_identity_t<T>>> inputs,
                              dist_tensor<T> &r, const dist_options &options = {});
template <class T>
dist_sequence_report contract(std::string_view expression,
                              std::initializer_list<dist_input<std::type_identity_t<T>>> inputs,
                              dist_tensor<T> &r, const dist_options &options = {}) {
    return contract<T>(expression, std::span(inputs.begin(), inputs.size()), r, options);
}

} // namespace tenfold

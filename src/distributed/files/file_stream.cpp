#include "distributed/files/file_stream.hpp"

#include <memory>
#include <optional>

#include <tenfold/dist_types.hpp>

#include "base/work.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/tensor_access.hpp"

namespace tenfold::dist_impl {
namespace {

/// In each round, every rank writes or reads one block of its range.
template <class T> class rounds {
public:
    rounds(communicator &comm, const file_blocks &blocks)
        : comm_(comm), blocks_(blocks), mine_(blocks.count(), comm.rank(), comm.size()),
          count_(base::divide_up(blocks.count(), comm.size())) {}

    index_t count() const noexcept { return count_; }
    bool has_block(index_t round) const noexcept { return round < mine_.size(); }
    index_t block(index_t round) const noexcept { return mine_.begin + round; }

    /// Returns the box of the block that `rank` has in this round.
    slice box_of(index_t round, int rank) const {
        const block_range range(blocks_.count(), rank, comm_.size());
        if (round < range.size())
            return blocks_.box(range.begin + round);
        slice nothing = blocks_.box(0);
        nothing.none = true;
        return nothing;
    }
    slice box(index_t round) const { return box_of(round, comm_.rank()); }

    void allocate() {
        if (mine_.size() > 0)
            memory_.reset(static_cast<T *>(base::allocate_aligned(
                bytes(blocks_.largest() * static_cast<index_t>(sizeof(T))))));
    }
    T *elements() const noexcept { return memory_.get(); }

private:
    communicator &comm_;
    const file_blocks &blocks_;
    block_range mine_;
    index_t count_;
    std::unique_ptr<T, base::aligned_deleter> memory_;
};

/// Throws if the caller stopped the work. Called where ranks agree, so that all of them leave.
void leave_if_stopped() {
    if (base::work_part::stops())
        throw error(errc::stopped, "the caller stopped the work");
}

} // namespace

template <class T>
void send_to_file(const dist_tensor<T> &tensor, const file_blocks &blocks, const char *operation,
                  base::function_ref<void(index_t block, const T *elements, index_t count)> put) {
    communicator &comm = internals::of(tensor.owner());
    rounds<T> all(comm, blocks);
    collectively(comm, operation, [&] {
        tensor_access::check_copies(tensor, "the tensor");
        all.allocate();
    });
    for (index_t round = 0; round < all.count(); ++round) {
        const base::work_part part(1 / static_cast<double>(all.count()));
        std::optional<prepared_exchange<T>> movement;
        slice box;
        collectively(comm, operation, [&] {
            leave_if_stopped();
            box = all.box(round);
            movement.emplace(
                comm, [&](int rank) { return tensor.distribution().block_of(rank); },
                [&](int rank) { return all.box_of(round, rank); },
                placement<const T>(tensor.data(), tensor.local_slice()),
                placement<T>(all.elements(), box, blocks.strides_of(box)), &tensor.distribution());
        });
        movement->run();
        collectively(comm, operation, [&] {
            if (all.has_block(round))
                put(all.block(round), all.elements(), box.size());
        });
    }
}

template <class T>
void receive_from_file(dist_tensor<T> &tensor, const file_blocks &blocks, const char *operation,
                       base::function_ref<void(index_t block, T *elements, index_t count)> get) {
    communicator &comm = internals::of(tensor.owner());
    rounds<T> all(comm, blocks);
    collectively(comm, operation, [&] { all.allocate(); });
    for (index_t round = 0; round < all.count(); ++round) {
        const base::work_part part(1 / static_cast<double>(all.count()));
        std::optional<prepared_exchange<T>> movement;
        collectively(comm, operation, [&] {
            leave_if_stopped();
            const slice box = all.box(round);
            movement.emplace(
                comm, [&](int rank) { return all.box_of(round, rank); },
                [&](int rank) { return tensor.distribution().block_of(rank); },
                placement<const T>(all.elements(), box, blocks.strides_of(box)),
                placement<T>(tensor_access::elements(tensor), tensor.local_slice()));
            if (all.has_block(round))
                get(all.block(round), all.elements(), box.size());
        });
        movement->run();
    }
    tensor_access::copies_are_equal(tensor);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void send_to_file(const dist_tensor<T> &, const file_blocks &, const char *,          \
                               base::function_ref<void(index_t, const T *, index_t)>);             \
    template void receive_from_file(dist_tensor<T> &, const file_blocks &, const char *,           \
                                    base::function_ref<void(index_t, T *, index_t)>);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

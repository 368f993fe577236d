#include <algorithm>

#include <tenfold/dist_gather.hpp>
#include <tenfold/dist_types.hpp>
#include <tenfold/error.hpp>

#include "base/first_touch.hpp"
#include "base/scalar_of.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/exchange/copying.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/slices.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Tells every rank the slices of all.
class shared_slices {
public:
    /// Finds the memory for it; may throw.
    void prepare(communicator &comm, const slice &mine) {
        order_ = mine.extents.size();
        sent_.push_back(mine.none ? 1 : 0);
        sent_.insert(sent_.end(), mine.offsets.begin(), mine.offsets.end());
        sent_.insert(sent_.end(), mine.extents.begin(), mine.extents.end());
        received_.resize(sent_.size() * static_cast<std::size_t>(comm.size()));
        comm.prepare_control(static_cast<index_t>(received_.size() * sizeof(index_t)));
    }
    /// Collective. Allocates nothing.
    void share(communicator &comm) {
        comm.all_gather(sent_.data(), static_cast<index_t>(sent_.size() * sizeof(index_t)),
                        received_.data());
    }
    /// Returns the slices in the order of the ranks.
    std::vector<slice> all() const {
        std::vector<slice> slices;
        const auto order = static_cast<std::ptrdiff_t>(order_);
        for (auto at = received_.begin(); at != received_.end(); at += 1 + 2 * order) {
            const auto offsets = at + 1;
            const auto extents = offsets + order;
            slices.push_back(
                {extents_t(offsets, extents), extents_t(extents, extents + order), *at != 0});
        }
        return slices;
    }

private:
    std::size_t order_ = 0;
    std::vector<index_t> sent_, received_;
};

/// Throws if two ranks write one element; O(P^2 order), no communication.
void check_disjoint(const std::vector<slice> &slices) {
    for (std::size_t one = 0; one < slices.size(); ++one)
        for (std::size_t other = one + 1; other < slices.size(); ++other)
            if (intersection_size(slices[one], slices[other]) > 0)
                throw error(errc::overlap,
                            "ranks " + std::to_string(one) + " and " + std::to_string(other) +
                                " write the same elements: " + slices[one].describe() + " and " +
                                slices[other].describe());
}

/// Collective. The call, and a root that is one of the ranks.
template <class T>
void agree_on_root(const char *operation, const dist_tensor<T> &tensor, int root) {
    communicator &comm = communicator_of(tensor.owner());
    const auto describe = [&](call_description &call) {
        on_tensor(tensor)(call);
        call.add("root", root);
    };
    collectively(comm, operation, describe, [&] {
        if (root < 0 || root >= comm.size())
            throw error(errc::invalid_argument, "root " + std::to_string(root) + " of " +
                                                    std::to_string(comm.size()) + " ranks");
    });
}

/// Throws unless `to` is memory for elements of these extents.
template <class T> void check_target(const extents_t &extents, const tensor_view<T> &to) {
    if (to.shape().extents() != extents)
        throw error(errc::extent_mismatch, "a slice of extents " + list(extents) +
                                               " read into extents " + list(to.shape().extents()));
    if (to.shape().overlaps_itself())
        throw error(errc::overlap, "the array that is read into overlaps itself");
    if (!to.shape().empty() && to.data() == nullptr)
        throw error(errc::null_pointer, "the array that is read into is null");
}

/// Collective. Reads the slice that `wanted()` returns on this rank into the array that
/// `target(slice)` returns, which may be any array if the slice is `none`.
template <class T, class Wanted, class Target>
void read_slice(const dist_tensor<T> &from, const Wanted &wanted, const Target &target) {
    communicator &comm = communicator_of(from.owner());
    const traced_call traced(comm, "read");
    slice mine;
    std::optional<tensor_view<T>> to;
    shared_slices targets;
    collectively(comm, "read", on_tensor(from), [&] {
        tensor_access::check_copies(from, "the tensor");
        mine = wanted();
        if (mine.none)
            mine = nothing(from.order());
        else
            check_slice(mine, from.extents());
        to.emplace(target(mine));
        targets.prepare(comm, mine);
    });
    targets.share(comm);
    std::optional<prepared_exchange<T>> movement;
    collectively(comm, "read (buffers)", [&] {
        const std::vector<slice> all = targets.all();
        movement.emplace(
            comm, [&](int rank) { return from.distribution().block_of(rank); },
            [&](int rank) { return all[static_cast<std::size_t>(rank)]; },
            placement<const T>(from.data(), from.local_slice()),
            placement<T>(to->data(), mine, mine.none ? mine.extents : to->shape().strides()),
            &from.distribution());
    });
    movement->run();
}

/// The same into a new tensor.
template <class T, class Wanted>
tensor<T> read_slice(const dist_tensor<T> &from, const Wanted &wanted) {
    std::optional<tensor<T>> result;
    read_slice(from, wanted, [&](const slice &mine) {
        result.emplace(mine.none ? extents_t{0} : mine.extents);
        return result->view();
    });
    return std::move(*result);
}

/// Collective. Writes the slice that `where()` returns on this rank.
template <class T, class Where>
void write_slice(dist_tensor<T> &into, const Where &where, const tensor_view<const T> &values) {
    communicator &comm = communicator_of(into.owner());
    const traced_call traced(comm, "write");
    slice mine;
    shared_slices sources;
    collectively(comm, "write", on_tensor(into), [&] {
        mine = where();
        if (mine.none) {
            mine = nothing(into.order());
        } else {
            check_slice(mine, into.extents());
            if (values.shape().extents() != mine.extents)
                throw error(errc::extent_mismatch, "a slice of extents " + list(mine.extents) +
                                                       " written from extents " +
                                                       list(values.shape().extents()));
            if (!mine.empty() && values.data() == nullptr)
                throw error(errc::null_pointer, "the values to write are null");
        }
        sources.prepare(comm, mine);
    });
    sources.share(comm);
    std::optional<prepared_exchange<T>> movement;
    collectively(comm, "write (buffers)", [&] {
        const std::vector<slice> all = sources.all();
        check_disjoint(all);
        movement.emplace(
            comm, [&](int rank) { return all[static_cast<std::size_t>(rank)]; },
            [&](int rank) { return into.distribution().block_of(rank); },
            placement<const T>(values.data(), mine,
                               mine.none ? mine.extents : values.shape().strides()),
            placement<T>(tensor_access::elements(into), into.local_slice()));
    });
    movement->run();
}

/// Returns everything on the root and nothing elsewhere.
template <class T> auto all_on(int root, const dist_tensor<T> &tensor) {
    return [root, &tensor] {
        return tensor.owner().rank() == root ? everything(tensor.extents())
                                             : nothing(tensor.order());
    };
}

} // namespace

template <class T> dist_tensor<T>::dist_tensor(const tenfold::world &world, extents_t extents)
    : dist_tensor(world) {
    create("dist_tensor", extents, nullptr);
}

template <class T> dist_tensor<T>::dist_tensor(const tenfold::world &world, extents_t extents,
                                               tenfold::distribution spread)
    : dist_tensor(world) {
    create("dist_tensor", extents, &spread);
}

template <class T>
dist_tensor<T>::dist_tensor(const tenfold::world &world, extents_t extents, uninitialized_t)
    : dist_tensor(world) {
    create("dist_tensor", extents, nullptr, start::unset);
}

template <class T> dist_tensor<T>::dist_tensor(const tenfold::world &world, extents_t extents,
                                               tenfold::distribution spread, uninitialized_t)
    : dist_tensor(world) {
    create("dist_tensor", extents, &spread, start::unset);
}

template <class T> void dist_tensor<T>::create(const char *operation, const extents_t &extents,
                                               tenfold::distribution *spread, start elements) {
    communicator &comm = communicator_of(world_);
    const traced_call traced(comm, operation);
    const auto describe = [&](call_description &call) {
        call.add("type", name(data_type_of<T>))
            .add("extents", extents)
            .add("distribution", spread_)
            .add("elements", elements == start::zeros ? "zeros" : "uninitialized");
    };
    const auto choose_distribution = [&] {
        if (spread != nullptr) {
            spread_ = std::move(*spread);
            return;
        }
        try {
            spread_ = tenfold::distribution::block(extents, comm.size());
        } catch (const error &) { // extents without a distribution, which are refused below
        }
    };
    collectively(comm, operation, describe, choose_distribution, [&] {
        storage_bytes(layout(extents), data_type_of<T>); // throws if the tensor is too large
        if (spread_.extents() != extents)
            throw error(errc::extent_mismatch, "the tensor has extents " + list(extents) +
                                                   ", its distribution " + list(spread_.extents()));
        if (spread_.ranks() != comm.size())
            throw error(errc::invalid_argument,
                        "a distribution over " + std::to_string(spread_.ranks()) +
                            " ranks in a world of " + std::to_string(comm.size()));
        local_slice_ = spread_.block_of(comm.rank());
        comm.buffers().release();
        const timed allocating(comm.recorder(), activity::plan, "memory");
        const layout shape(local_slice_.extents);
        const byte_count size = storage_bytes(shape, data_type_of<T>);
        data_.reset(static_cast<T *>(base::allocate_aligned(size)));
        if (elements == start::zeros)
            base::fill_with_zeros(data_.get(), size, comm.threads());
    });
    number_ = comm.calls();
}

template <class T> void dist_tensor<T>::fill(
    const std::function<void(const extents_t &offsets, tensor_view<T> block)> &callback) {
    communicator &comm = communicator_of(world_);
    const traced_call traced(comm, "fill");
    std::optional<prepared_exchange<T>> copying;
    collectively(comm, "fill", on_tensor(*this), // before anything is written
                 [&] { prepare_copying(copying, comm, spread_, data_.get()); });
    written_by_hand_ = copying.has_value(); // in case that `callback` throws
    collectively(comm, "fill (elements)", [&] {
        const timed filling(comm.recorder(), activity::compute, "fill");
        if (!local_slice_.empty() && spread_.copy_of(comm.rank()) == 0)
            callback(local_slice_.offsets, {data_.get(), local_slice_.extents});
    });
    if (copying)
        copying->run();
    written_by_hand_ = false;
}

template <class T> void dist_tensor<T>::fill(T value) {
    const auto describe = [&](call_description &call) {
        on_tensor (*this)(call);
        call.add("value", base::scalar_of(value));
    };
    collectively(communicator_of(world_), "fill", describe, [] {});
    std::fill_n(data_.get(), local_slice_.size(), value);
    written_by_hand_ = false;
}

template <class T> void dist_tensor<T>::refresh() {
    communicator &comm = communicator_of(world_);
    const traced_call traced(comm, "refresh");
    std::optional<prepared_exchange<T>> copying;
    collectively(comm, "refresh", on_tensor(*this),
                 [&] { prepare_copying(copying, comm, spread_, data_.get()); });
    if (copying)
        copying->run();
    written_by_hand_ = false;
}

template <class T> tensor<T> dist_tensor<T>::read(const slice &wanted) const {
    return read_slice(*this, [&] { return wanted; });
}

template <class T> void dist_tensor<T>::read_into(const slice &wanted, tensor_view<T> to) const {
    read_slice(
        *this, [&] { return wanted; },
        [&](const slice &mine) {
            if (!mine.none)
                check_target(mine.extents, to);
            return to;
        });
}

template <class T>
void dist_tensor<T>::write(const slice &where, tensor_view<const std::type_identity_t<T>> values) {
    write_slice(
        *this, [&] { return where; }, values);
}

template <class T> tensor<T> dist_tensor<T>::gather(int root) const {
    agree_on_root("gather", *this, root);
    return read_slice(*this, all_on(root, *this));
}

template <class T> void dist_tensor<T>::gather_into(tensor_view<T> to, int root) const {
    agree_on_root("gather", *this, root);
    read_slice(*this, all_on(root, *this), [&](const slice &mine) {
        if (!mine.none)
            check_target(mine.extents, to);
        return to;
    });
}

template <class T> tensor<T> dist_tensor<T>::gather_all() const {
    return read_slice(*this, [&] { return everything(extents()); });
}

template <class T>
void dist_tensor<T>::scatter(tensor_view<const std::type_identity_t<T>> values, int root) {
    agree_on_root("scatter", *this, root);
    write_slice(*this, all_on(root, *this), values);
    written_by_hand_ = false;
}

template <class T> dist_tensor<T> dist_tensor<T>::redistribute(tenfold::distribution spread) const {
    communicator &comm = communicator_of(world_);
    const traced_call traced(comm, "redistribute");
    dist_tensor<T> result(world_);
    result.create("redistribute (result)", extents(), &spread);
    std::optional<prepared_exchange<T>> movement;
    collectively(comm, "redistribute", on_tensor(*this), [&] {
        tensor_access::check_copies(*this, "the tensor");
        movement.emplace(
            comm, [&](int rank) { return spread_.block_of(rank); },
            [&](int rank) { return result.spread_.block_of(rank); },
            placement<const T>(data_.get(), local_slice_),
            placement<T>(result.data_.get(), result.local_slice_), &spread_);
    });
    movement->run();
    return result;
}

template <class T> void gather_slice(const dist_tensor<T> &from, const slice &wanted,
                                     tensor_view<std::type_identity_t<T>> to) {
    communicator &comm = communicator_of(from.owner());
    const traced_call traced(comm, "gather_slice");
    const auto describe = [&](call_description &call) {
        on_tensor(from)(call);
        call.add("slice", wanted.describe());
    };
    std::optional<prepared_exchange<T>> movement;
    collectively(comm, "gather_slice", describe, [&] {
        tensor_access::check_copies(from, "the tensor");
        check_slice(wanted, from.extents());
        check_target(wanted.extents, to);
        movement.emplace(
            comm, [&](int rank) { return from.distribution().block_of(rank); },
            [&](int) { return wanted; }, placement<const T>(from.data(), from.local_slice()),
            placement<T>(to.data(), wanted, to.shape().strides()), &from.distribution());
    });
    movement->run();
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template class dist_tensor<T>;                                                                 \
    template void gather_slice(const dist_tensor<T> &, const slice &, tensor_view<T>);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold

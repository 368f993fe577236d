#include <algorithm>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "base/first_touch.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Returns an empty box of a tensor of this order.
slice nothing(int order) {
    const auto modes = static_cast<std::size_t>(order);
    return {extents_t(modes, 0), extents_t(modes, 0), true};
}

slice everything(const extents_t &extents) { return {extents_t(extents.size(), 0), extents}; }

void check_slice(const slice &wanted, const extents_t &extents) {
    if (wanted.extents.size() != extents.size() || wanted.offsets.size() != extents.size())
        throw error(errc::order_mismatch,
                    "a slice of order " + std::to_string(wanted.extents.size()) +
                        " of a tensor of order " + std::to_string(extents.size()));
    layout(extents).block(wanted.offsets, wanted.extents); // throws if the slice passes the end
}

/// Returns the slices of all ranks, on every rank.
std::vector<slice> share_slices(communicator &comm, const slice &mine) {
    const std::size_t order = mine.extents.size();
    std::vector<index_t> sent{mine.none ? 1 : 0};
    sent.insert(sent.end(), mine.offsets.begin(), mine.offsets.end());
    sent.insert(sent.end(), mine.extents.begin(), mine.extents.end());
    std::vector<index_t> received(sent.size() * static_cast<std::size_t>(comm.size()));
    comm.all_gather(sent.data(), static_cast<index_t>(sent.size() * sizeof(index_t)),
                    received.data());
    std::vector<slice> all;
    for (auto at = received.begin(); at != received.end();) {
        slice one;
        one.none = *at++ != 0;
        one.offsets.assign(at, at + static_cast<std::ptrdiff_t>(order));
        at += static_cast<std::ptrdiff_t>(order);
        one.extents.assign(at, at + static_cast<std::ptrdiff_t>(order));
        at += static_cast<std::ptrdiff_t>(order);
        all.push_back(std::move(one));
    }
    return all;
}

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
    call_description description = describe(operation, tensor);
    description.add("root", std::to_string(root));
    const int ranks = tensor.owner().size();
    collectively(internals::of(tensor.owner()), description, [&] {
        if (root < 0 || root >= ranks)
            throw error(errc::invalid_argument,
                        "root " + std::to_string(root) + " of " + std::to_string(ranks) + " ranks");
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

/// Collective. Brings the slice that each rank wants into its array, which has been checked.
template <class T>
void fetch(const dist_tensor<T> &from, const slice &wanted, const tensor_view<T> &to) {
    communicator &comm = internals::of(from.owner());
    const slice mine = wanted.none ? nothing(from.order()) : wanted;
    const std::vector<slice> targets = share_slices(comm, mine);
    std::optional<exchange<T>> movement;
    collectively(comm, call_description("read (buffers)"), [&] {
        movement.emplace(
            comm, [&](int rank) { return from.distribution().block_of(rank); },
            [&](int rank) { return targets[static_cast<std::size_t>(rank)]; });
        movement->allocate();
    });
    movement->run(placement<const T>(from.data(), from.local_slice()),
                  placement<T>(to.data(), mine, wanted.none ? mine.extents : to.shape().strides()),
                  T(0));
}

} // namespace

template <class T> dist_tensor<T>::dist_tensor(const tenfold::world &world, extents_t extents)
    : dist_tensor(world, extents, [&] {
          // The other constructor reports extents that have no distribution, on all ranks.
          try {
              return tenfold::distribution::block(extents, world.size());
          } catch (const error &) {
              return tenfold::distribution();
          }
      }()) {}

template <class T> dist_tensor<T>::dist_tensor(const tenfold::world &world, extents_t extents,
                                               tenfold::distribution spread)
    : world_(world), spread_(std::move(spread)) {
    const traced_call traced(internals::of(world), "dist_tensor");
    call_description description("dist_tensor");
    description.add("type", std::string(name(data_type_of<T>)))
        .add("extents", list(extents))
        .add("distribution", spread_);
    collectively(internals::of(world), description, [&] {
        storage_bytes(layout(extents), data_type_of<T>); // throws if the tensor is too large
        if (spread_.extents() != extents)
            throw error(errc::extent_mismatch, "the tensor has extents " + list(extents) +
                                                   ", its distribution " + list(spread_.extents()));
        if (spread_.ranks() != world.size())
            throw error(errc::invalid_argument,
                        "a distribution over " + std::to_string(spread_.ranks()) +
                            " ranks in a world of " + std::to_string(world.size()));
        local_slice_ = spread_.block_of(world.rank());
        internals::of(world).buffers().release();
        const timed allocating(internals::of(world).recorder(), activity::plan, "memory");
        const layout shape(local_slice_.extents);
        const byte_count size = storage_bytes(shape, data_type_of<T>);
        data_.reset(static_cast<T *>(base::allocate_aligned(size)));
        base::fill_with_zeros(data_.get(), size, world.threads());
    });
    number_ = internals::of(world).calls();
}

template <class T> void dist_tensor<T>::fill(
    const std::function<void(const extents_t &offsets, tensor_view<T> block)> &callback) {
    const traced_call traced(internals::of(world_), "fill");
    communicator &comm = internals::of(world_);
    agree(comm, describe("fill", *this)); // before anything is written
    collectively(comm, call_description("fill (elements)"), [&] {
        const timed filling(comm.recorder(), activity::compute, "fill");
        if (!local_slice_.empty())
            callback(local_slice_.offsets, local());
    });
}

template <class T> void dist_tensor<T>::fill(T value) {
    call_description description = describe("fill", *this);
    description.add("value", scalar(value));
    agree(internals::of(world_), description);
    std::fill_n(data_.get(), local_slice_.size(), value);
}

template <class T> tensor<T> dist_tensor<T>::read(const slice &wanted) const {
    const traced_call traced(internals::of(world_), "read");
    std::optional<tensor<T>> result;
    collectively(internals::of(world_), describe("read", *this), [&] {
        if (!wanted.none)
            check_slice(wanted, extents());
        result.emplace(wanted.none ? extents_t{0} : wanted.extents);
    });
    fetch(*this, wanted, result->view());
    return std::move(*result);
}

template <class T> void dist_tensor<T>::read_into(const slice &wanted, tensor_view<T> to) const {
    const traced_call traced(internals::of(world_), "read");
    collectively(internals::of(world_), describe("read", *this), [&] {
        if (wanted.none)
            return;
        check_slice(wanted, extents());
        check_target(wanted.extents, to);
    });
    fetch(*this, wanted, to);
}

template <class T>
void dist_tensor<T>::write(const slice &where, tensor_view<const std::type_identity_t<T>> values) {
    communicator &comm = internals::of(world_);
    const traced_call traced(comm, "write");
    collectively(comm, describe("write", *this), [&] {
        if (where.none)
            return;
        check_slice(where, extents());
        if (values.shape().extents() != where.extents)
            throw error(errc::extent_mismatch, "a slice of extents " + list(where.extents) +
                                                   " written from extents " +
                                                   list(values.shape().extents()));
        if (!where.empty() && values.data() == nullptr)
            throw error(errc::null_pointer, "the values to write are null");
    });
    const slice mine = where.none ? nothing(order()) : where;
    const std::vector<slice> sources = share_slices(comm, mine);
    std::optional<exchange<T>> movement;
    collectively(comm, call_description("write (buffers)"), [&] {
        check_disjoint(sources);
        movement.emplace(
            comm, [&](int rank) { return sources[static_cast<std::size_t>(rank)]; },
            [&](int rank) { return spread_.block_of(rank); });
        movement->allocate();
    });
    const extents_t strides = where.none ? mine.extents : values.shape().strides();
    movement->run(placement<const T>(values.data(), mine, strides),
                  placement<T>(data_.get(), local_slice_), T(0));
}

template <class T> tensor<T> dist_tensor<T>::gather(int root) const {
    agree_on_root("gather", *this, root);
    return read(world_.rank() == root ? everything(extents()) : nothing(order()));
}

template <class T> void dist_tensor<T>::gather_into(tensor_view<T> to, int root) const {
    agree_on_root("gather", *this, root);
    read_into(world_.rank() == root ? everything(extents()) : nothing(order()), to);
}

template <class T> tensor<T> dist_tensor<T>::gather_all() const {
    return read(everything(extents()));
}

template <class T>
void dist_tensor<T>::scatter(tensor_view<const std::type_identity_t<T>> values, int root) {
    agree_on_root("scatter", *this, root);
    write(world_.rank() == root ? everything(extents()) : nothing(order()), values);
}

template <class T> dist_tensor<T> dist_tensor<T>::redistribute(tenfold::distribution spread) const {
    communicator &comm = internals::of(world_);
    const traced_call traced(comm, "redistribute");
    dist_tensor<T> result(world_, extents(), std::move(spread));
    std::optional<exchange<T>> movement;
    collectively(comm, describe("redistribute", *this), [&] {
        movement.emplace(
            comm, [&](int rank) { return spread_.block_of(rank); },
            [&](int rank) { return result.spread_.block_of(rank); });
        movement->allocate();
    });
    movement->run(placement<const T>(data_.get(), local_slice_),
                  placement<T>(result.data_.get(), result.local_slice_), T(0));
    return result;
}

#define TENFOLD_INSTANTIATE(T, name) template class dist_tensor<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold

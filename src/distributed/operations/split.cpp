// Worlds of some ranks, and tensors that move between them and the world of all.
#include <optional>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/dist_split.hpp>

#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/boxes.hpp"
#include "distributed/operations/same_extents.hpp"
#include "distributed/plan/hash.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Frees a communicator.
class owned_communicator {
public:
    owned_communicator() = default;
    ~owned_communicator() {
        if (handle != MPI_COMM_NULL)
            MPI_Comm_free(&handle);
    }
    owned_communicator(const owned_communicator &) = delete;
    owned_communicator &operator=(const owned_communicator &) = delete;

    MPI_Comm handle = MPI_COMM_NULL;
};

/// Collective. Returns the world of the communicator that `make(handle)` makes, if it does on this
/// rank, with the settings of the ranks' present world.
template <class Make> std::optional<world> made_world(communicator &comm, const Make &make) {
    std::optional<context> chosen;
    collectively(comm, "split", [&] {
        settings same = context::global().settings();
        same.threads = comm.threads();
        same.watchdog_seconds = comm.watchdog();
        same.presence_seconds = comm.presence_seconds();
        chosen.emplace(same);
    });
    owned_communicator part;
    make(&part.handle);
    std::optional<world> made;
    collectively(comm, "split (worlds)", [&] {
        if (part.handle != MPI_COMM_NULL)
            made.emplace(part.handle, *chosen);
    });
    return made;
}

/// Returns the ranks of `part` by their numbers in `whole`. Throws if one is not in `whole`.
std::vector<int> ranks_in(const communicator &whole, const communicator &part) {
    std::vector<int> own(static_cast<std::size_t>(part.size()));
    for (int rank = 0; rank < part.size(); ++rank)
        own[static_cast<std::size_t>(rank)] = rank;
    std::vector<int> found(own.size());
    MPI_Group of_whole, of_part;
    whole.check(MPI_Comm_group(whole.handle(), &of_whole), "MPI_Comm_group");
    whole.check(MPI_Comm_group(part.handle(), &of_part), "MPI_Comm_group");
    whole.check(MPI_Group_translate_ranks(of_part, part.size(), own.data(), of_whole, found.data()),
                "MPI_Group_translate_ranks");
    MPI_Group_free(&of_whole);
    MPI_Group_free(&of_part);
    for (const int rank : own)
        if (found[static_cast<std::size_t>(rank)] == MPI_UNDEFINED)
            throw error(errc::invalid_argument,
                        "rank " + std::to_string(rank) + " of S's world is not in X's world");
    return found;
}

/// What ranks tell each other about the tensors of smaller worlds that they pass: which it is, by a
/// hash of the ranks of its world and its number; 0: none.
class passed_parts {
public:
    /// Throws unless S fits X. Finds the memory to tell().
    template <class T>
    void check(communicator &comm, const dist_tensor<T> *s, const dist_tensor<T> &x) {
        all_.resize(static_cast<std::size_t>(comm.size()));
        comm.prepare_control(static_cast<index_t>(sizeof mine_) * comm.size());
        if (s == nullptr)
            return;
        const communicator &part = communicator_of(s->owner());
        check_extents({*s, "S"}, {x, "X"});
        peers_ = ranks_in(comm, part);
        mine_ = hasher().add(peers_).add(s->number()).value() | 1;
    }
    void tell(communicator &comm) { comm.all_gather(&mine_, sizeof mine_, all_.data()); }
    /// Throws unless all ranks of S's world passed it.
    void check_peers() const {
        for (const int rank : peers_)
            if (const std::uint64_t its = all_[static_cast<std::size_t>(rank)]; its != mine_)
                throw error(errc::invalid_argument,
                            "rank " + std::to_string(rank) + " is in S's world, too, and passed " +
                                (its == 0 ? "no tensor" : "another tensor"));
    }

private:
    std::vector<int> peers_; ///< the ranks of S's world, by their numbers in X's world
    std::uint64_t mine_ = 0;
    std::vector<std::uint64_t> all_;
};

/// Collective. Ranks check what they pass, and learn what the others do.
template <class T> passed_parts share(communicator &comm, const char *operation,
                                      const dist_tensor<T> *s, const dist_tensor<T> &x) {
    passed_parts passed;
    collectively(comm, operation, on_tensor(x), [&] { passed.check(comm, s, x); });
    passed.tell(comm);
    return passed;
}

} // namespace

std::optional<world> split(const world &where, int group) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "split");
    return made_world(comm, [&](MPI_Comm *part) {
        comm.check(
            MPI_Comm_split(comm.handle(), group < 0 ? MPI_UNDEFINED : group, comm.rank(), part),
            "MPI_Comm_split");
    });
}

world split_by_node(const world &where) {
    communicator &comm = communicator_of(where);
    const traced_call traced(comm, "split");
    return *made_world(comm, [&](MPI_Comm *part) {
        comm.check(MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(),
                                       MPI_INFO_NULL, part),
                   "MPI_Comm_split_type");
    });
}

template <class T> void copy_to_part(const dist_tensor<T> &x, dist_tensor<T> *s) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "copy_to_part");
    const passed_parts passed = share<T>(comm, "copy_to_part", s, x);
    const auto describe = on_tensor(x);
    export_made<T>(
        x, {"copy_to_part (ranks)", "copy_to_part (boxes)", "copy_to_part (buffers)", describe},
        [&]() -> std::vector<dist_box<T>> {
            passed.check_peers();
            if (s == nullptr)
                return {};
            const slice &block = s->local_slice();
            return {{block, {tensor_access::elements(*s), block.extents}}};
        });
    if (s != nullptr)
        tensor_access::copies_are_equal(*s);
}

template <class T> void copy_from_part(const dist_tensor<T> *s, dist_tensor<T> &x) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "copy_from_part");
    const passed_parts passed = share<T>(comm, "copy_from_part", s, x);
    const auto describe = on_tensor(x);
    import_made<T>(x,
                   {"copy_from_part (ranks)", "copy_from_part (boxes)", "copy_from_part (buffers)",
                    describe, true},
                   [&]() -> std::vector<dist_box<const T>> {
                       passed.check_peers();
                       if (s == nullptr)
                           return {};
                       tensor_access::check_copies(*s, "S");
                       if (s->distribution().copy_of(s->owner().rank()) != 0)
                           return {};
                       return {{s->local_slice(), s->local()}};
                   });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy_to_part(const dist_tensor<T> &, dist_tensor<T> *);                          \
    template void copy_from_part(const dist_tensor<T> *, dist_tensor<T> &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold

// Elements by lists of positions, which every rank passes for itself.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "base/sum_types.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/comm/message_memory.hpp"
#include "distributed/exchange/parcels.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/owners.hpp"
#include "distributed/plan/copies.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Throws unless the list has `count` positions of elements of the tensor.
void check_positions(std::span<const index_t> positions, std::size_t count,
                     const extents_t &extents) {
    const std::size_t order = extents.size();
    if (positions.size() != count * order)
        throw error(errc::extent_mismatch,
                    std::to_string(count) + " values and " + std::to_string(positions.size()) +
                        " indices; a tensor of order " + std::to_string(order) + " needs " +
                        std::to_string(count * order));
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const index_t extent = extents[i % order];
        if (positions[i] < 0 || positions[i] >= extent)
            throw error(errc::invalid_argument,
                        "element " + std::to_string(i / order) + " of the list, mode " +
                            std::to_string(i % order) + ": index " + std::to_string(positions[i]) +
                            " is outside extent " + std::to_string(extent));
    }
}

/// A rank's list, sorted by the ranks that own the elements. An element that several copies have is
/// there as often as it is needed.
struct sorted_list {
    explicit sorted_list(int ranks) : sent(ranks) {}

    parcels sent;
    std::vector<index_t> places;      ///< of the elements in their owners' blocks
    std::vector<std::size_t> numbers; ///< in the list
};

/// `first` and `last`: the copies that the list is for.
sorted_list sort(const distribution &spread, std::span<const index_t> positions, std::size_t count,
                 int first, int last) {
    sorted_list sorted(spread.ranks());
    const std::size_t order = spread.extents().size();
    std::vector<place_in_copy> found;
    found.reserve(count);
    const auto rank_of = [&](const place_in_copy &one, int copy) {
        return static_cast<std::size_t>(rank_in_copy(spread, copy, one.cell));
    };
    for (std::size_t i = 0; i < count; ++i) {
        found.push_back(find_place(spread, positions.subspan(i * order, order)));
        for (int copy = first; copy < last; ++copy)
            ++sorted.sent.count[rank_of(found.back(), copy)];
    }
    sorted.sent.lay_out();
    const auto all = static_cast<std::size_t>(sorted.sent.total());
    sorted.places.resize(all);
    sorted.numbers.resize(all);
    std::vector<index_t> next = sorted.sent.begin;
    for (std::size_t i = 0; i < count; ++i)
        for (int copy = first; copy < last; ++copy) {
            const auto at = static_cast<std::size_t>(next[rank_of(found[i], copy)]++);
            sorted.places[at] = found[i].place;
            sorted.numbers[at] = i;
        }
    return sorted;
}

/// What a rank receives: places in its block, and values.
template <class T> struct arrived_list {
    explicit arrived_list(int ranks) : received(ranks) {}

    parcels received;
    std::vector<index_t> places;
    std::vector<T> values;
};

/// The state of a call: what messages are sent from and received into.
template <class T> struct list_exchange {
    std::optional<sorted_list> mine;
    std::optional<arrived_list<T>> theirs;
    std::optional<parcel_service> service;
    std::vector<T> values; ///< in the order of `mine`

    void prepare(communicator &comm, sorted_list sorted) {
        mine.emplace(std::move(sorted));
        theirs.emplace(comm.size());
        service.emplace(comm);
    }
};

/// Collective. Lets the ranks know how much they receive, and find the memory.
template <class T>
void prepare_arrival(communicator &comm, const char *operation, list_exchange<T> &held) {
    held.service->share_counts(held.mine->sent, held.theirs->received);
    collectively(comm, operation, [&] {
        const auto all = static_cast<std::size_t>(held.theirs->received.total());
        held.theirs->places.resize(all);
        held.theirs->values.resize(all);
    });
}

/// Of bf16 and f16 rounded from f32, of integers modulo what T holds.
template <class T> T added(T one, T other) noexcept {
    using arithmetic = base::sum_arithmetic<T>;
    return static_cast<T>(static_cast<arithmetic>(one) + static_cast<arithmetic>(other));
}

struct list_operation {
    const char *name;
    const char *buffers; ///< the step that finds memory
    bool adds;
};

/// Collective. Writes or adds a list of elements.
template <class T> void put_elements(dist_tensor<T> &x, std::span<const index_t> positions,
                                     std::span<const T> values, const list_operation &what) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, what.name);
    message_memory<list_exchange<T>> held(comm);
    collectively(comm, what.name, on_tensor(x), [&] {
        if (what.adds)
            tensor_access::check_copies(x, "the tensor");
        check_positions(positions, values.size(), x.extents());
        held->prepare(
            comm, sort(x.distribution(), positions, values.size(), 0, x.distribution().copies()));
        held->values.reserve(held->mine->numbers.size());
        for (const std::size_t number : held->mine->numbers)
            held->values.push_back(values[number]);
    });
    prepare_arrival(comm, what.buffers, *held);
    auto &[mine, theirs, service, sent] = *held;
    service->deliver(mine->places.data(), mine->sent, theirs->places.data(), theirs->received,
                     sizeof(index_t));
    service->deliver(sent.data(), mine->sent, theirs->values.data(), theirs->received, sizeof(T));
    T *const elements = tensor_access::elements(x);
    for (std::size_t i = 0; i < theirs->places.size(); ++i) { // in the order of ranks and lists
        T &element = elements[theirs->places[i]];
        element = what.adds ? added(element, theirs->values[i]) : theirs->values[i];
    }
}

} // namespace

template <class T> void read_elements(const dist_tensor<T> &x, std::span<const index_t> positions,
                                      std::span<std::type_identity_t<T>> values) {
    communicator &comm = communicator_of(x.owner());
    const traced_call traced(comm, "read_elements");
    message_memory<list_exchange<T>> held(comm);
    collectively(comm, "read_elements", on_tensor(x), [&] {
        tensor_access::check_copies(x, "the tensor");
        check_positions(positions, values.size(), x.extents());
        const int copy = copy_read_by(x.distribution(), comm.rank());
        held->prepare(comm, sort(x.distribution(), positions, values.size(), copy, copy + 1));
        held->values.resize(values.size());
    });
    prepare_arrival(comm, "read_elements (buffers)", *held);
    auto &[mine, theirs, service, answers] = *held;
    service->deliver(mine->places.data(), mine->sent, theirs->places.data(), theirs->received,
                     sizeof(index_t));
    for (std::size_t i = 0; i < theirs->places.size(); ++i)
        theirs->values[i] = x.data()[theirs->places[i]];
    service->deliver(theirs->values.data(), theirs->received, answers.data(), mine->sent,
                     sizeof(T));
    for (std::size_t i = 0; i < answers.size(); ++i)
        values[mine->numbers[i]] = answers[i];
}

template <class T> void write_elements(dist_tensor<T> &x, std::span<const index_t> positions,
                                       std::span<const std::type_identity_t<T>> values) {
    put_elements<T>(x, positions, values, {"write_elements", "write_elements (buffers)", false});
}

template <class T> void add_elements(dist_tensor<T> &x, std::span<const index_t> positions,
                                     std::span<const std::type_identity_t<T>> values) {
    put_elements<T>(x, positions, values, {"add_elements", "add_elements (buffers)", true});
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void read_elements(const dist_tensor<T> &, std::span<const index_t>, std::span<T>);   \
    template void write_elements(dist_tensor<T> &, std::span<const index_t>, std::span<const T>);  \
    template void add_elements(dist_tensor<T> &, std::span<const index_t>, std::span<const T>);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold

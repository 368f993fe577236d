#include "distributed/operations/boxes.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tenfold/error.hpp>

#include "distributed/comm/message_memory.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/exchange/parcels.hpp"
#include "distributed/exchange/slices.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/plan/cells.hpp"
#include "distributed/plan/copies.hpp"
#include "distributed/plan/placement.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// The elements that a box of one rank and the block of another one have in common.
struct common_part {
    slice where;
    std::size_t box = 0; ///< of the rank that holds boxes
};

/// Common parts by the rank at the other end, in the same order on both.
struct part_list {
    explicit part_list(int ranks) : parts(ranks), elements(ranks) {}

    parcels parts;
    parcels elements;
    std::vector<common_part> all;

    /// Counts the elements of each rank's parts.
    void count_elements() noexcept {
        for (std::size_t rank = 0; rank < parts.count.size(); ++rank) {
            elements.count[rank] = 0;
            for (index_t i = 0; i < parts.count[rank]; ++i)
                elements.count[rank] +=
                    all[static_cast<std::size_t>(parts.begin[rank] + i)].where.size();
        }
        elements.lay_out();
    }
};

/// A box and its view, without the type of its elements.
struct box_shape {
    const slice &where;
    const layout &shape; ///< of the view
    bool is_null;        ///< the view
    bool is_written;     ///< the view
};

/// Throws unless the box fits the tensor and its view.
void check_box(const box_shape &box, std::size_t number, const extents_t &extents) {
    const std::string name = "box " + std::to_string(number + 1);
    if (box.where.none)
        return;
    check_slice(box.where, extents, name);
    if (box.shape.extents() != box.where.extents)
        throw error(errc::extent_mismatch, name + " has extents " + list(box.where.extents) +
                                               ", its view has extents " +
                                               list(box.shape.extents()));
    if (box.is_written && box.shape.overlaps_itself())
        throw error(errc::overlap, "the view of " + name + " overlaps itself");
    if (!box.where.empty() && box.is_null)
        throw error(errc::null_pointer, "the view of " + name + " is null");
}

/// Returns the parts of this rank's boxes that the owners in some copies have.
part_list parts_of(const std::vector<slice> &boxes, const distribution &spread, int first_copy,
                   int last_copy) {
    part_list result(spread.ranks());
    const auto for_each_part = [&](const auto &use) {
        for (std::size_t number = 0; number < boxes.size(); ++number)
            if (!boxes[number].empty())
                for_each_cell(spread, boxes[number], [&](int cell, const slice &common) {
                    for (int copy = first_copy; copy < last_copy; ++copy)
                        use(static_cast<std::size_t>(rank_in_copy(spread, copy, cell)),
                            common_part{common, number});
                });
    };
    for_each_part([&](std::size_t rank, const common_part &) { ++result.parts.count[rank]; });
    result.parts.lay_out();
    result.all.resize(static_cast<std::size_t>(result.parts.total()));
    std::vector<index_t> next = result.parts.begin;
    for_each_part([&](std::size_t rank, const common_part &part) {
        result.all[static_cast<std::size_t>(next[rank]++)] = part;
    });
    result.count_elements();
    return result;
}

/// Parts travel as their offsets, then their extents.
class part_messages {
public:
    explicit part_messages(std::size_t order) : order_(order) {}

    index_t item_bytes() const noexcept {
        return static_cast<index_t>(2 * order_ * sizeof(index_t));
    }
    void write(const part_list &from) {
        words_.clear();
        words_.reserve(from.all.size() * 2 * order_);
        for (const common_part &part : from.all) {
            words_.insert(words_.end(), part.where.offsets.begin(), part.where.offsets.end());
            words_.insert(words_.end(), part.where.extents.begin(), part.where.extents.end());
        }
    }
    /// Makes room for as many parts, and for what read() returns.
    void expect(part_list &to) {
        const auto count = static_cast<std::size_t>(to.parts.total());
        words_.resize(count * 2 * order_);
        to.all.assign(count, {{extents_t(order_), extents_t(order_)}, 0});
    }
    void read(part_list &to) const noexcept {
        auto next = words_.begin();
        for (common_part &part : to.all)
            for (extents_t *numbers : {&part.where.offsets, &part.where.extents})
                for (index_t &one : *numbers)
                    one = *next++;
    }
    index_t *data() noexcept { return words_.data(); }

private:
    std::size_t order_;
    std::vector<index_t> words_;
};

/// Copies between parts, one after the other in `packed`, and the arrays that they are parts of.
template <class T, class Place, class Copy>
void for_each_packed(const part_list &list, T *packed, const Place &place, const Copy &copy) {
    for (const common_part &part : list.all) {
        const auto [elements, strides] = place(part);
        copy(part.where.extents, packed, dense_strides(part.where.extents), elements, strides);
        packed += part.where.size();
    }
}

template <class T> struct strided_elements {
    T *first;
    extents_t strides;
};

/// Where a part lies in the view of its box.
template <class T> auto in_boxes(const std::vector<dist_box<T>> &boxes) {
    return [&boxes](const common_part &part) {
        const dist_box<T> &box = boxes[part.box];
        const layout &shape = box.elements.shape();
        index_t offset = 0;
        for (std::size_t mode = 0; mode < part.where.offsets.size(); ++mode)
            offset += (part.where.offsets[mode] - box.where.offsets[mode]) * shape.strides()[mode];
        return strided_elements<T>{box.elements.data() + offset, shape.strides()};
    };
}

/// Where a part lies in a rank's block.
template <class T> auto in_block(T *elements, const slice &block) {
    return [elements, &block](const common_part &part) {
        const placement<T> all(elements, block);
        return strided_elements<T>{all.at(part.where.offsets), all.strides};
    };
}

/// What copies on its way into a packed array and out of it.
constexpr auto pack = []<class T, class U>(const extents_t &extents, T *packed,
                                           const extents_t &dense, U *elements,
                                           const extents_t &strides) {
    copy_box<T>(extents, elements, strides, packed, dense);
};
constexpr auto unpack = []<class T>(const extents_t &extents, T *packed, const extents_t &dense,
                                    T *elements, const extents_t &strides) {
    copy_box<T>(extents, packed, dense, elements, strides);
};

/// Throws if two ranks hold one element of this block, or if it must be complete and is not.
class received_elements {
public:
    received_elements(const part_list &list, const slice &block) : list_(list), block_(block) {}

    void check(bool is_complete) const {
        std::vector<bool> there(static_cast<std::size_t>(block_.size()), false);
        for (std::size_t i = 0; i < list_.all.size(); ++i)
            mark(i, there);
        if (is_complete && list_.elements.total() < block_.size())
            throw error(errc::invalid_argument,
                        "no rank has " + std::to_string(block_.size() - list_.elements.total()) +
                            " of the elements at " + block_.describe());
    }

private:
    void mark(std::size_t number, std::vector<bool> &there) const {
        const slice &part = list_.all[number].where;
        const placement<char> place(nullptr, block_); // its numbers only
        const index_t row = part.extents.empty() ? 1 : part.extents[0];
        extents_t at = part.offsets;
        for (index_t left = part.size(); left > 0; left -= row) {
            index_t first = place.shift;
            for (std::size_t mode = 0; mode < at.size(); ++mode)
                first += at[mode] * place.strides[mode];
            for (index_t i = first; i < first + row; ++i) {
                if (there[static_cast<std::size_t>(i)])
                    throw_overlap(number);
                there[static_cast<std::size_t>(i)] = true;
            }
            for (std::size_t mode = 1; mode < at.size(); ++mode) {
                if (++at[mode] < part.offsets[mode] + part.extents[mode])
                    break;
                at[mode] = part.offsets[mode];
            }
        }
    }

    [[noreturn]] void throw_overlap(std::size_t number) const {
        const slice &part = list_.all[number].where;
        for (std::size_t other = 0; other < number; ++other)
            if (intersection_size(list_.all[other].where, part) > 0)
                throw error(errc::overlap,
                            "boxes of ranks " + std::to_string(rank_of(other)) + " and " +
                                std::to_string(rank_of(number)) + " have elements in common: " +
                                list_.all[other].where.describe() + " and " + part.describe());
        throw error(errc::overlap, "boxes have elements in common: " + part.describe());
    }
    int rank_of(std::size_t number) const noexcept {
        int rank = 0;
        for (auto left = static_cast<index_t>(number);
             left >= list_.parts.count[static_cast<std::size_t>(rank)]; ++rank)
            left -= list_.parts.count[static_cast<std::size_t>(rank)];
        return rank;
    }

    const part_list &list_;
    const slice &block_;
};

/// The state of one import or export.
struct box_exchange {
    std::optional<part_list> mine, theirs;
    std::optional<part_messages> sent, received;
    std::optional<parcel_service> service;

    void prepare(communicator &comm, const std::vector<slice> &boxes, const distribution &spread,
                 int first_copy, int last_copy) {
        comm.buffers().release();
        mine.emplace(parts_of(boxes, spread, first_copy, last_copy));
        theirs.emplace(comm.size());
        sent.emplace(spread.extents().size());
        sent->write(*mine);
        received.emplace(spread.extents().size());
        service.emplace(comm);
    }
    /// Collective. Tells owners which parts of their blocks this rank's boxes have.
    void share(communicator &comm, const box_operation &what) {
        service->share_counts(mine->parts, theirs->parts);
        collectively(comm, what.headers, [&] { received->expect(*theirs); });
        service->deliver(sent->data(), mine->parts, received->data(), theirs->parts,
                         sent->item_bytes());
        received->read(*theirs);
        theirs->count_elements();
    }
};

/// Throws unless all boxes fit the tensor; returns where they are.
template <class T>
std::vector<slice> checked(const std::vector<dist_box<T>> &boxes, const extents_t &extents) {
    std::vector<slice> places;
    places.reserve(boxes.size());
    for (const auto &[where, elements] : boxes) {
        check_box({where, elements.shape(), elements.data() == nullptr, !std::is_const_v<T>},
                  places.size(), extents);
        places.push_back(where);
    }
    return places;
}

} // namespace

template <class T>
void import_made(dist_tensor<T> &to, const box_operation &what, make_boxes<const T> boxes) {
    communicator &comm = communicator_of(to.owner());
    const traced_call traced(comm, what.name);
    std::vector<dist_box<const T>> mine;
    message_memory<box_exchange> held(comm);
    message_buffer<T> sent, received;
    collectively(comm, what.name, what.describe, [&] {
        mine = boxes();
        held->prepare(comm, checked(mine, to.extents()), to.distribution(), 0,
                      to.distribution().copies());
        sent = allocate_for_messages<T>(comm, held->mine->elements.total());
    });
    held->share(comm, what);
    collectively(comm, what.buffers, [&] {
        received_elements(*held->theirs, to.local_slice()).check(what.is_complete);
        received = allocate_for_messages<T>(comm, held->theirs->elements.total());
    });
    comm.surely([&] { for_each_packed(*held->mine, sent.get(), in_boxes(mine), pack); });
    held->service->deliver(sent.get(), held->mine->elements, received.get(), held->theirs->elements,
                           sizeof(T));
    comm.surely([&] {
        for_each_packed(*held->theirs, received.get(),
                        in_block(tensor_access::elements(to), to.local_slice()), unpack);
    });
    if (what.is_complete)
        tensor_access::copies_are_equal(to);
}

template <class T>
box_report export_made(const dist_tensor<T> &from, const box_operation &what, make_boxes<T> boxes) {
    communicator &comm = communicator_of(from.owner());
    const traced_call traced(comm, what.name);
    std::vector<dist_box<T>> mine;
    message_memory<box_exchange> held(comm);
    message_buffer<T> sent, received;
    collectively(comm, what.name, what.describe, [&] {
        tensor_access::check_copies(from, "the tensor");
        const int copy = copy_read_by(from.distribution(), comm.rank());
        mine = boxes();
        held->prepare(comm, checked(mine, from.extents()), from.distribution(), copy, copy + 1);
        received = allocate_for_messages<T>(comm, held->mine->elements.total());
    });
    held->share(comm, what);
    collectively(comm, what.buffers,
                 [&] { sent = allocate_for_messages<T>(comm, held->theirs->elements.total()); });
    comm.surely([&] {
        for_each_packed(*held->theirs, sent.get(), in_block(from.data(), from.local_slice()), pack);
    });
    held->service->deliver(sent.get(), held->theirs->elements, received.get(), held->mine->elements,
                           sizeof(T));
    comm.surely([&] { for_each_packed(*held->mine, received.get(), in_boxes(mine), unpack); });
    const parcels &arrived = held->mine->elements;
    constexpr auto size = static_cast<index_t>(sizeof(T));
    return {size * (arrived.total() - arrived.count[static_cast<std::size_t>(comm.rank())]),
            size * (arrived.total() + held->theirs->elements.total())};
}

} // namespace tenfold::dist_impl

namespace tenfold {

template <class T> void import_boxes(std::span<const dist_box<const std::type_identity_t<T>>> boxes,
                                     dist_tensor<T> &to) {
    using namespace dist_impl;
    const auto describe = on_tensor(to);
    import_made<T>(to, {"import_boxes", "import_boxes (boxes)", "import_boxes (buffers)", describe},
                   [&] { return std::vector(boxes.begin(), boxes.end()); });
}

template <class T> void export_boxes(const dist_tensor<T> &from,
                                     std::span<const dist_box<std::type_identity_t<T>>> boxes) {
    using namespace dist_impl;
    const auto describe = on_tensor(from);
    export_made<T>(from,
                   {"export_boxes", "export_boxes (boxes)", "export_boxes (buffers)", describe},
                   [&] { return std::vector(boxes.begin(), boxes.end()); });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void dist_impl::import_made(dist_tensor<T> &, const dist_impl::box_operation &,       \
                                         dist_impl::make_boxes<const T>);                          \
    template dist_impl::box_report dist_impl::export_made(                                         \
        const dist_tensor<T> &, const dist_impl::box_operation &, dist_impl::make_boxes<T>);       \
    template void import_boxes(std::span<const dist_box<const T>>, dist_tensor<T> &);              \
    template void export_boxes(const dist_tensor<T> &, std::span<const dist_box<T>>);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold

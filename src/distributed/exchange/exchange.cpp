#include "distributed/exchange/exchange.hpp"

#include <algorithm>
#include <utility>

#include <tenfold/dist_types.hpp>

#include "base/checked.hpp"
#include "base/sum_types.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/plan/copies.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

/// Cuts a box across its last modes into boxes of at most `most` elements.
template <class Use> void cut_box(const slice &box, index_t most, const Use &use) {
    if (box.size() <= most) {
        use(box);
        return;
    }
    std::size_t mode = box.extents.size() - 1;
    while (box.extents[mode] == 1)
        --mode;
    const index_t slab = box.size() / box.extents[mode];
    const index_t thickness = std::max<index_t>(1, most / slab);
    for (index_t begin = 0; begin < box.extents[mode]; begin += thickness) {
        slice part = box;
        part.offsets[mode] += begin;
        part.extents[mode] = std::min(thickness, box.extents[mode] - begin);
        cut_box(part, most, use);
    }
}

/// Whether the elements of a box follow each other without gaps.
bool is_contiguous(const extents_t &extents, const extents_t &strides) noexcept {
    index_t run = 1;
    for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        if (extents[mode] == 1)
            continue;
        if (strides[mode] != run)
            return false;
        run *= extents[mode];
    }
    return true;
}

} // namespace

template <class T> void exchange<T>::window::add(int peer, const slice &box, index_t most_words) {
    if (box.empty())
        return;
    cut_box(box, most_words, [&](const slice &part) { messages.push_back({peer, part}); });
}

template <class T> void exchange<T>::window::lay_out(index_t most_words) {
    index_t total = 0;
    index_t longest = 0;
    for (const message &m : messages) {
        slots.push_back(total);
        total += m.box.size();
        longest = std::max(longest, m.box.size());
    }
    words = total;
    if (total <= most_words)
        return;
    slots.clear(); // slots are reused, so each must be able to hold any message
    for (words = 0; words + longest <= most_words; words += longest)
        slots.push_back(words);
}

template <class T>
exchange<T>::exchange(communicator &comm, box_of_rank source_of, box_of_rank target_of,
                      const distribution *spread, const exchange_limits &limits)
    : comm_(comm) {
    constexpr auto size = static_cast<index_t>(sizeof(T));
    const index_t most_words =
        std::max<index_t>(1, std::min(limits.message, message_limit()) / size);
    const slice source = source_of(comm.rank());
    const slice target = target_of(comm.rank());
    stays_ = intersect(source, target);
    const auto reads = [&](int reader, int rank) {
        return spread == nullptr || reads_from(*spread, reader, rank);
    };
    for (int shift = 1; shift < comm.size(); ++shift) {
        const int to = (comm.rank() + shift) % comm.size();
        const int from = (comm.rank() + comm.size() - shift) % comm.size();
        if (!source.empty() && reads(to, comm.rank()))
            outgoing_.add(to, intersect(source, target_of(to)), most_words);
        if (!target.empty() && reads(comm.rank(), from))
            incoming_.add(from, intersect(source_of(from), target), most_words);
    }
    outgoing_.lay_out(limits.window / size);
    incoming_.lay_out(limits.window / size);
    requests_.resize(incoming_.slots.size() + outgoing_.slots.size(), MPI_REQUEST_NULL);
    held_.resize(requests_.size(), no_message);
    started_.reserve(1); // no message is longer than MPI sends at once
    strides_.resize(source.extents.size());
}

template <class T> void exchange<T>::send_in_place(const element_places &from) {
    sends_in_place_ =
        std::all_of(outgoing_.messages.begin(), outgoing_.messages.end(),
                    [&](const message &m) { return is_contiguous(m.box.extents, from.strides); });
    if (!sends_in_place_)
        return;
    outgoing_.slots.assign(outgoing_.messages.size(), 0); // all messages may be under way
    outgoing_.words = 0;
    requests_.resize(incoming_.slots.size() + outgoing_.slots.size(), MPI_REQUEST_NULL);
    held_.resize(requests_.size(), no_message);
}

template <class T> const extents_t &exchange<T>::strides_in_slot(const slice &box) noexcept {
    index_t stride = 1;
    for (std::size_t mode = 0; mode < strides_.size(); ++mode) {
        strides_[mode] = stride;
        stride *= box.extents[mode];
    }
    return strides_;
}

template <class T> void exchange<T>::use(T *memory) noexcept {
    outgoing_.memory = memory;
    incoming_.memory = memory + outgoing_.words;
}

template <class T> void exchange<T>::allocate() {
    comm_.buffers().release();
    own_memory_ = allocate_for_messages<T>(comm_, buffer_words());
    use(own_memory_.get());
}

template <class T> void exchange<T>::receive_into(std::size_t slot) {
    const message &m = incoming_.messages[now_.next_receive];
    comm_.start_receive(incoming_.slot(slot), m.box.size() * static_cast<index_t>(sizeof(T)),
                        m.peer, started_, now_.tag);
    requests_[slot] = started_.back();
    started_.clear();
    held_[slot] = now_.next_receive++;
    ++open_;
}

template <class T> void exchange<T>::send_from(std::size_t slot) {
    const message &m = outgoing_.messages[now_.next_send];
    const T *sent = now_.from->at(m.box.offsets);
    if (!sends_in_place_) {
        const timed traced(comm_.recorder(), activity::pack, "pack");
        copy_box(m.box.extents, sent, now_.from->strides, outgoing_.slot(slot),
                 strides_in_slot(m.box), comm_.threads());
        sent = outgoing_.slot(slot);
    }
    comm_.start_send(sent, m.box.size() * static_cast<index_t>(sizeof(T)), m.peer, started_,
                     now_.tag);
    requests_[incoming_.slots.size() + slot] = started_.back();
    started_.clear();
    held_[incoming_.slots.size() + slot] = now_.next_send++;
    ++open_;
}

template <class T>
void exchange<T>::arrive(const slice &box, const T *elements, const extents_t &strides) const {
    T *const target = now_.to->at(box.offsets);
    if constexpr (base::is_sum_type<T>)
        if (now_.alpha != T(1) || now_.beta != T(0))
            return combine_box(box.extents, now_.alpha, elements, strides, now_.beta, target,
                               now_.to->strides, comm_.threads());
    copy_box(box.extents, elements, strides, target, now_.to->strides, comm_.threads());
}

template <class T> void exchange<T>::complete(std::size_t slot) {
    const std::size_t held = std::exchange(held_[slot], no_message);
    --open_;
    if (slot < incoming_.slots.size()) {
        {
            const message &m = incoming_.messages[held];
            const timed traced(comm_.recorder(), activity::pack, "unpack");
            arrive(m.box, incoming_.slot(slot), strides_in_slot(m.box));
        }
        if (now_.next_receive < incoming_.messages.size())
            receive_into(slot);
    } else if (now_.next_send < outgoing_.messages.size()) {
        send_from(slot - incoming_.slots.size());
    }
}

template <class T> void exchange<T>::begin(const movement &now) {
    now_ = now;
    open_ = 0;
    std::fill(requests_.begin(), requests_.end(), MPI_REQUEST_NULL);
    std::fill(held_.begin(), held_.end(), no_message);
    for (std::size_t slot = 0; slot < incoming_.slots.size(); ++slot)
        receive_into(slot);
    for (std::size_t slot = 0; slot < outgoing_.slots.size(); ++slot)
        send_from(slot);
    if (!stays_.empty()) {
        const timed traced(comm_.recorder(), activity::pack, "copy what stays");
        arrive(stays_, now_.from->at(stays_.offsets), now_.from->strides);
    }
}

template <class T>
void exchange<T>::run(const placement<const T> &from, const placement<T> &to, T beta, T alpha) {
    comm_.enter_phase("redistribution");
    timed_transfer transfer("redistribution");
    if (!requests_.empty())
        transfer.begin(comm_.recorder());
    begin({.from = &from, .to = &to, .alpha = alpha, .beta = beta});
    const auto peer = [&](std::size_t slot) { return peer_of(slot); };
    for (int done = 0; (done = comm_.wait_any(requests_, peer)) >= 0;)
        complete(static_cast<std::size_t>(done));
    transfer.end(comm_.recorder());
    comm_.enter_phase("");
}

template <class T> void exchange<T>::start(placement<const T> from, placement<T> to, int tag) {
    kept_from_.emplace(std::move(from));
    kept_to_.emplace(std::move(to));
    begin({.from = &*kept_from_, .to = &*kept_to_, .tag = tag});
}

template <class T> bool exchange<T>::advance() {
    if (is_through() || !comm_.test_some(requests_))
        return false;
    for (std::size_t slot = 0; slot < held_.size(); ++slot)
        if (held_[slot] != no_message && requests_[slot] == MPI_REQUEST_NULL)
            complete(slot);
    return true;
}

template <class T> std::vector<int> exchange<T>::peers() const {
    std::vector<int> found;
    for (std::size_t slot = 0; slot < held_.size(); ++slot)
        if (held_[slot] != no_message)
            found.push_back(peer_of(slot));
    return found;
}

template <class T> index_t exchange<T>::bytes_arriving() const noexcept {
    index_t words = 0;
    for (const message &m : incoming_.messages)
        words += m.box.size();
    return words * static_cast<index_t>(sizeof(T));
}

#define TENFOLD_INSTANTIATE(T, name) template class exchange<T>;
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

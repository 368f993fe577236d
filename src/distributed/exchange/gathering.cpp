#include "distributed/exchange/gathering.hpp"

#include <algorithm>
#include <utility>

#include "distributed/exchange/copy_box.hpp"
#include "distributed/plan/rank_steps.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

template <class T>
gathering<T>::gathering(communicator &comm, const layouts &where, tensor_id operand)
    : comm_(comm), where_(where), operand_(operand), routes_(where, operand, comm.rank()),
      team_(routes_.team()),
      place_(static_cast<std::size_t>(where.place_in_team(operand, comm.rank()))),
      piece_(nullptr, where.piece_of(operand, comm.rank())),
      transfer_(operand == A ? "panel of A" : "panel of B") {
    for (const int member : team_)
        pieces_.push_back(where.piece_of(operand, member));
}

template <class T>
bool gathering<T>::differ(const step_index &one, const step_index &other) const noexcept {
    const std::size_t own = operand_ == A ? 1 : 2; // m or n
    return one[0] != other[0] || one[own] != other[own] || one[3] != other[3];
}

template <class T> bool gathering<T>::is_own(const slice &part) const {
    return lies_in_piece(where_, operand_, pieces_[place_], part);
}

template <class T> placement<const T> gathering<T>::part(const step_index &step) const {
    slice box = where_.panel_of(operand_, comm_.rank(), step);
    if (is_own(box))
        return piece_;
    return {memory_.panel, box};
}

template <class T> void gathering<T>::expect_from(std::size_t owner) {
    slice coming = intersect(pieces_[owner], part_);
    if (part_is_own_ || coming.empty())
        return;
    bool is_to_pass_on = false;
    routes_.for_each_to_pass_on(owner, place_, [&](std::size_t) { is_to_pass_on = true; });
    if (is_to_pass_on)
        to_pass_on_.push_back(arrivals_.size());
    arrivals_.push_back({std::move(coming), owner, team_[routes_.sender(owner, place_)]});
}

/// Messages between two ranks match in their order: first the sender's own piece, then those that
/// it passes on, by their owners' places.
template <class T> placement<T> gathering<T>::look_at(const step_index &step) {
    part_ = where_.panel_of(operand_, comm_.rank(), step);
    part_is_own_ = is_own(part_);
    own_ = intersect(pieces_[place_], part_);
    arrivals_.clear();
    to_pass_on_.clear();
    passed_on_ = 0;
    departures_.clear();
    for (std::size_t shift = 1; shift < team_.size(); ++shift) {
        const std::size_t from = (place_ + team_.size() - shift) % team_.size();
        const std::size_t to = (place_ + shift) % team_.size();
        if (routes_.sender(from, place_) == from)
            expect_from(from);
        if (routes_.sender(place_, to) != place_)
            continue;
        slice going = intersect(pieces_[place_], where_.panel_of(operand_, team_[to], step));
        if (!going.empty())
            departures_.push_back({std::move(going), team_[to]});
    }
    for (std::size_t owner = 0; owner < team_.size(); ++owner)
        if (owner != place_ && routes_.sender(owner, place_) != owner)
            expect_from(owner);
    std::sort(to_pass_on_.begin(), to_pass_on_.end(), [&](std::size_t one, std::size_t other) {
        return arrivals_[one].owner < arrivals_[other].owner;
    });
    return {memory_.landing, part_};
}

template <class T> void gathering<T>::note_peer(int peer) {
    comm_.surely([&] { peers_.resize(requests_.size(), peer); });
}

template <class T> void gathering<T>::start(const step_index &step) {
    if (team_.size() == 1)
        return;
    constexpr auto element = static_cast<index_t>(sizeof(T));
    const placement<T> next = comm_.surely([&] { return look_at(step); });
    T *landing = memory_.landing;
    const bool in_place = where_.arrives_in_place(operand_);
    for (arrival &coming : arrivals_) {
        if (in_place)
            landing = next.at(coming.box.offsets);
        transfer_.begin(comm_.recorder());
        coming.first_request = requests_.size();
        comm_.start_receive(landing, coming.box.size() * element, coming.from, requests_);
        note_peer(coming.from);
        coming.end_of_requests = requests_.size();
        coming.data = landing;
        landing += coming.box.size();
    }
    const bool joins = in_place && !part_is_own_ && !own_.empty();
    if (joins) {
        const timed traced(comm_.recorder(), activity::pack, "pack");
        copy_box(own_.extents, piece_.at(own_.offsets), piece_.strides, next.at(own_.offsets),
                 next.strides, comm_.threads());
    }
    const T *sent = nullptr;
    for (const departure &going : departures_) {
        transfer_.begin(comm_.recorder());
        if (sent == nullptr)
            sent = joins ? next.at(going.box.offsets) : pack(going.box);
        comm_.start_send(sent, going.box.size() * element, going.to, requests_);
        note_peer(going.to);
    }
}

template <class T> const T *gathering<T>::pack(const slice &going) {
    const T *from = piece_.at(going.offsets);
    if (where_.sends_in_place(operand_))
        return from;
    const timed traced(comm_.recorder(), activity::pack, "pack");
    const extents_t packed = comm_.surely([&] { return dense_strides(going.extents); });
    copy_box(going.extents, from, piece_.strides, memory_.sent, packed, comm_.threads());
    return memory_.sent;
}

template <class T> void gathering<T>::pass_on() {
    for (; has_to_pass_on(); ++passed_on_) {
        const arrival &one = arrivals_[to_pass_on_[passed_on_]];
        for (std::size_t i = one.first_request; i < one.end_of_requests; ++i)
            if (requests_[i] != MPI_REQUEST_NULL)
                return;
        routes_.for_each_to_pass_on(one.owner, place_, [&](std::size_t to) {
            comm_.start_send(one.data, one.box.size() * static_cast<index_t>(sizeof(T)), team_[to],
                             requests_);
            note_peer(team_[to]);
        });
    }
}

template <class T> void gathering<T>::progress() {
    comm_.progress(requests_);
    pass_on();
    if (comm_.recorder() != nullptr && comm_.are_through(requests_) && !has_to_pass_on())
        transfer_.end(comm_.recorder());
}

template <class T> void gathering<T>::finish() {
    if (team_.size() == 1)
        return;
    do
        pass_on();
    while (comm_.wait_any(requests_, [&](std::size_t i) { return peers_[i]; }) >= 0);
    transfer_.end(comm_.recorder());
    requests_.clear();
    peers_.clear();
    if (part_is_own_)
        return;
    if (where_.arrives_in_place(operand_)) {
        std::swap(memory_.panel, memory_.landing);
        return;
    }
    const timed traced(comm_.recorder(), activity::pack, "unpack");
    const auto panel = comm_.surely([&] { return placement<T>(memory_.panel, part_); });
    const auto put = [&](const T *from, const extents_t &strides, const slice &box) {
        copy_box(box.extents, from, strides, panel.at(box.offsets), panel.strides, comm_.threads());
    };
    if (!own_.empty())
        put(piece_.at(own_.offsets), piece_.strides, own_);
    for (const arrival &one : arrivals_)
        put(one.data, comm_.surely([&] { return dense_strides(one.box.extents); }), one.box);
}

// One of each size (run/input_path.hpp).
template class gathering<std::uint8_t>;
template class gathering<f16>;
template class gathering<float>;
template class gathering<double>;
template class gathering<c64>;

} // namespace tenfold::dist_impl

#include "distributed/exchange/team_sum.hpp"

#include "base/sum_types.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

template <class T> team_sum<T>::team_sum(communicator &comm, const layouts &where, bool tree)
    : comm_(comm), team_(where.team_of(D, comm.rank())),
      place_(static_cast<std::size_t>(where.place_in_team(D, comm.rank()))), tree_(tree),
      piece_(nullptr, where.piece_of(D, comm.rank())) {
    for (const int member : team_)
        pieces_.push_back(where.piece_of(D, member));
}

template <class T> void team_sum<T>::use(placement<T> sum, T *sent, T *received) noexcept {
    piece_ = std::move(sum);
    sent_ = sent;
    received_ = received;
}

template <class T> void team_sum<T>::look_at(const slice &box) {
    own_ = intersect(pieces_[place_], box);
    departures_.clear();
    for (std::size_t shift = 1; shift < team_.size(); ++shift) {
        const std::size_t to = (place_ + shift) % team_.size();
        slice going = intersect(pieces_[to], box);
        if (!going.empty())
            departures_.push_back({std::move(going), team_[to]});
    }
}

template <class T> void team_sum<T>::note_peer(int peer) {
    comm_.surely([&] { peers_.resize(requests_.size(), peer); });
}

template <class T> void team_sum<T>::start(const slice &box, const placement<const T> &panel) {
    finish();
    constexpr auto element = static_cast<index_t>(sizeof(T));
    comm_.surely([&] { look_at(box); });
    transfer_.begin(comm_.recorder());
    if (!own_.empty()) {
        for (std::size_t shift = 1; shift < team_.size(); ++shift) {
            const int from = team_[(place_ + team_.size() - shift) % team_.size()];
            comm_.start_receive(received_ + static_cast<index_t>(shift - 1) * own_.size(),
                                own_.size() * element, from, requests_);
            note_peer(from);
        }
        if (panel.data != piece_.data) {
            const timed traced(comm_.recorder(), activity::pack, "keep own part");
            copy_box(own_.extents, panel.at(own_.offsets), panel.strides, piece_.at(own_.offsets),
                     piece_.strides, comm_.threads());
        }
    }
    T *packed = sent_;
    for (const departure &going : departures_) {
        {
            const timed traced(comm_.recorder(), activity::pack, "pack");
            const auto strides = comm_.surely([&] { return dense_strides(going.box.extents); });
            copy_box(going.box.extents, panel.at(going.box.offsets), panel.strides, packed, strides,
                     comm_.threads());
        }
        comm_.start_send(packed, going.box.size() * element, going.to, requests_);
        note_peer(going.to);
        packed += going.box.size();
    }
}

template <class T> void team_sum<T>::progress() {
    comm_.progress(requests_);
    if (comm_.recorder() != nullptr && comm_.are_through(requests_))
        transfer_.end(comm_.recorder());
}

template <class T> void team_sum<T>::finish() {
    if (requests_.empty()) {
        transfer_.end(comm_.recorder());
        return;
    }
    while (comm_.wait_any(requests_, [&](std::size_t i) { return peers_[i]; }) >= 0) {
    }
    transfer_.end(comm_.recorder());
    requests_.clear();
    peers_.clear();
    if (own_.empty())
        return;
    const timed traced(comm_.recorder(), activity::compute, "add");
    if (tree_)
        add_as_tree();
    else
        add_in_order();
}

template <class T> void team_sum<T>::add_in_order() {
    const extents_t dense = comm_.surely([&] { return dense_strides(own_.extents); });
    for (std::size_t shift = 1; shift < team_.size(); ++shift)
        update_box(
            own_.extents,
            static_cast<const T *>(received_ + static_cast<index_t>(shift - 1) * own_.size()),
            dense, T(1), piece_.at(own_.offsets), piece_.strides, comm_.threads());
}

template <class T> void team_sum<T>::add_as_tree() {
    const extents_t dense = comm_.surely([&] { return dense_strides(own_.extents); });
    struct term {
        T *data;
        const extents_t *strides;
    };
    std::vector<term> terms;
    comm_.surely([&] { terms.reserve(team_.size()); });
    for (std::size_t member = 0; member < team_.size(); ++member) {
        const std::size_t shift = (place_ + team_.size() - member) % team_.size();
        if (shift == 0)
            terms.push_back({piece_.at(own_.offsets), &piece_.strides});
        else
            terms.push_back({received_ + static_cast<index_t>(shift - 1) * own_.size(), &dense});
    }
    const auto add = [&](T beta, const term &from, const term &to) {
        update_box(own_.extents, static_cast<const T *>(from.data), *from.strides, beta, to.data,
                   *to.strides, comm_.threads());
    };
    for (std::size_t distance = 1; distance < terms.size(); distance *= 2)
        for (std::size_t i = 0; i < terms.size(); i += 2 * distance)
            add(T(1), terms[i + distance], terms[i]);
    if (place_ != 0)
        add(T(0), terms[0], terms[place_]);
}

#define TENFOLD_INSTANTIATE(T, name) template class team_sum<T>;
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

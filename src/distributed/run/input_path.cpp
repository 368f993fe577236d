#include "distributed/run/input_path.hpp"

namespace tenfold::dist_impl {

void input_path::set_up(const void *block, bool takes_part) {
    given_ = block;
    if (!plan_.in_place(operand_))
        arrival_.emplace(
            size_of(plan_.types.stored[operand_]), comm_,
            [this](int rank) {
                return region_of(plan_.given[operand_], plan_.problem->operands[operand_], rank);
            },
            [this](int rank) { return plan_.pieces[operand_].block_of(rank); },
            &plan_.given[operand_]);
    if (takes_part)
        panels_.emplace(size_of(plan_.types.panel[operand_]), comm_, plan_.where, operand_);
}

void input_path::use(const memory &buffers) {
    buffers_ = buffers;
    panels_.with([&]<class T>(gathering<T> &panels, T) {
        panels.use({static_cast<T *>(buffers.panel), static_cast<T *>(buffers.landing),
                    static_cast<T *>(buffers.sent)});
    });
}

void input_path::use_for_exchange(void *memory) {
    arrival_.with([&]<class T>(exchange<T> &arrival, T) { arrival.use(static_cast<T *>(memory)); });
}

template <class Use> void input_path::with_arrival(const Use &use) {
    arrival_.with([&]<class T>(exchange<T> &arrival, T) {
        auto from = comm_.surely([&] {
            return placement<const T>(static_cast<const T *>(given_),
                                      plan_.given[operand_].block_of(comm_.rank()),
                                      plan_.problem->operands[operand_]);
        });
        auto to = comm_.surely([&] {
            return placement<T>(static_cast<T *>(buffers_.piece),
                                plan_.pieces[operand_].block_of(comm_.rank()));
        });
        use(arrival, std::move(from), std::move(to));
    });
}

void input_path::redistribute() {
    with_arrival([]<class T>(exchange<T> &arrival, const placement<const T> &from,
                             const placement<T> &to) { arrival.run(from, to, T(0)); });
    end_redistribution();
}

void input_path::start_redistribution(int tag) {
    with_arrival([tag]<class T>(exchange<T> &arrival, placement<const T> from, placement<T> to) {
        arrival.start(std::move(from), std::move(to), tag);
    });
}

bool input_path::advance_redistribution() {
    bool any = false;
    arrival_.with([&](auto &arrival, auto) { any = arrival.advance(); });
    return any;
}

bool input_path::has_arrived() {
    bool is_through = true;
    arrival_.with([&](auto &arrival, auto) { is_through = arrival.is_through(); });
    return is_through;
}

void input_path::end_redistribution() {
    piece_ = is_redistributed() ? buffers_.piece : given_;
    begin(piece_);
}

std::vector<int> input_path::peers() {
    std::vector<int> found;
    arrival_.with([&](auto &arrival, auto) { found = arrival.peers(); });
    return found;
}

index_t input_path::bytes_arriving() {
    index_t bytes = 0;
    arrival_.with([&](auto &arrival, auto) { bytes = arrival.bytes_arriving(); });
    return bytes;
}

void input_path::begin(const void *data) {
    panels_.with(
        [&]<class T>(gathering<T> &panels, T) { panels.begin(static_cast<const T *>(data)); });
}

void input_path::start(const step_index &step) {
    panels_.with([&](auto &panels, auto) {
        panels.start(step);
        is_under_way_ = true;
    });
}

void input_path::finish() {
    if (is_under_way_)
        panels_.with([](auto &panels, auto) { panels.finish(); });
    is_under_way_ = false;
}

void input_path::start_next(const step_index &now, const step_index &next) {
    panels_.with([&](auto &panels, auto) {
        is_under_way_ = panels.differ(now, next);
        if (is_under_way_)
            panels.start(next);
    });
}

void input_path::progress() {
    panels_.with([](auto &panels, auto) { panels.progress(); });
}

bool input_path::is_travelling() {
    bool travels = false;
    panels_.with([&](auto &panels, auto) { travels = panels.is_travelling(); });
    return travels;
}

bool input_path::has_to_pass_on() {
    bool has = false;
    panels_.with([&](auto &panels, auto) { has = panels.has_to_pass_on(); });
    return has;
}

void input_path::take_back() {
    arrival_.with([](auto &arrival, auto) { arrival.take_back(); });
    panels_.with([](auto &panels, auto) { panels.take_back(); });
}

untyped_placement input_path::part(const step_index &step) {
    untyped_placement where;
    panels_.with([&]<class T>(gathering<T> &panels, T) {
        placement<const T> its = panels.part(step);
        where.shift = its.shift;
        where.strides = std::move(its.strides);
        where.data = its.data;
        where.element = sizeof(T);
    });
    return where;
}

} // namespace tenfold::dist_impl

// The memory of a contraction on one rank, of the sizes that the plan has for it.
#include <algorithm>
#include <span>

#include "base/sum_types.hpp"
#include "base/workspace.hpp"
#include "distributed/run/panels.hpp"

namespace tenfold::dist_impl {

/// Makes one allocation for all buffers and cuts it up: pieces, what products need, the result.
/// Inputs are redistributed behind their pieces, and the result before itself.
template <class T> void panel_contraction<T>::take_memory() {
    const buffer_words sizes = buffers_of(
        plan_, plan_.where, {plan_.in_place(A), plan_.in_place(B), d_in_place_}, comm_.rank());
    const index_t workspace = local_ ? local_->workspace_size() : 0;
    const index_t to_round = plan_.words_to_round(plan_.given[D].block_of(comm_.rank()).size());

    input_path::memory a, b;
    struct part {
        void **pointer;
        index_t words;
    };
    void *panel_d = nullptr;
    void *piece_d = nullptr;
    void *partial = nullptr;
    void *wide_d = nullptr;
    void *sum_out = nullptr;
    void *sum_in = nullptr;
    const bool elsewhere = sizes.is_summed_elsewhere();
    const part pieces[] = {{&a.piece, sizes.a.piece}, {&b.piece, sizes.b.piece}};
    const part products[] = {
        {&a.summed, sizes.a.summed},   {&b.summed, sizes.b.summed},
        {&a.panel, sizes.a.panel},     {&a.landing, sizes.a.landing},
        {&a.sent, sizes.a.sent},       {&b.panel, sizes.b.panel},
        {&b.landing, sizes.b.landing}, {&b.sent, sizes.b.sent},
        {&partial, sizes.partial},     {&sum_out, sizes.sum_out},
        {&sum_in, sizes.sum_in},       {&panel_d, elsewhere ? sizes.panel_d : 0}};
    const part result[] = {{elsewhere ? &piece_d : &panel_d, sizes.result()}};
    const part last[] = {{&wide_d, to_round}};
    const auto bytes_of = [&](std::span<const part> parts) {
        index_t sum = 0;
        for (const part &one : parts)
            sum += base::aligned_bytes(one.words * plan_.words.bytes);
        return sum;
    };
    const auto lay_out = [&](base::arena rest, std::span<const part> parts) {
        for (const part &one : parts)
            *one.pointer = rest.template take<std::byte>(one.words * plan_.words.bytes);
        return rest;
    };
    const auto window = [&](index_t words) {
        return base::aligned_bytes(words * plan_.words.bytes);
    };
    const index_t held = bytes_of(pieces) + bytes_of(products);
    const index_t in = window(sizes.exchange_in);
    const index_t out = window(sizes.exchange_out);
    const index_t multiplying = held + base::aligned_bytes(workspace);
    const index_t before_result =
        std::max({multiplying, bytes_of(pieces) + in - bytes_of(result), out});
    memory_bytes_ = before_result + bytes_of(result) + bytes_of(last);
    if (plan_.options.memory_per_rank) // hold no more than the plan says
        comm_.buffers().release();
    memory_ = comm_.buffers().take(memory_bytes_);

    const std::span<std::byte> all(memory_.get(), static_cast<std::size_t>(memory_bytes_));
    base::arena rest = lay_out(base::arena(all), pieces);
    void *const behind_pieces = rest.rest().data();
    rest = lay_out(rest, products);
    workspace_ = rest.rest().first(static_cast<std::size_t>(base::aligned_bytes(workspace)));
    rest = lay_out(base::arena(all.subspan(static_cast<std::size_t>(before_result))), result);
    lay_out(rest, last);
    panel_d_ = static_cast<T *>(panel_d);
    piece_d_ = static_cast<T *>(piece_d);
    partial_ = static_cast<T *>(partial);
    if (plan_.types.rounds_d())
        d_ = static_cast<T *>(wide_d);
    a_.use(a);
    b_.use(b);
    for_each_input([&](input_path &path) { path.use_for_exchange(behind_pieces); });
    if (departure_)
        departure_->use(static_cast<T *>(static_cast<void *>(all.data())));
    if (sum_)
        sum_->use(summed_d(), static_cast<T *>(sum_out), static_cast<T *>(sum_in));
}

#define TENFOLD_INSTANTIATE(T, name) template void panel_contraction<T>::take_memory();
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

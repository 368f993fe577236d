#include "distributed/run/panels.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/scalars.hpp"
#include "base/work.hpp"
#include "base/workspace.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {
template <class T>
panel_contraction<T>::panel_contraction(const world &where, const plan_state &plan,
                                        const scale_factors &factors, const context *ctx,
                                        const T *a, const T *b, T *d)
    : comm_(internals::of(where)), plan_(plan), d_(d),
      takes_part_(plan.where.takes_part(where.rank())), d_in_place_(plan.in_place(D)),
      alpha_(base::scalar_cast<T>(factors.alpha)), beta_(base::scalar_cast<T>(factors.beta)),
      steps_(plan, where.rank()) {
    a_.given = a;
    b_.given = b;
    if (!plan_.multiplies()) // A and B are not read, and nothing travels
        return;
    set_up_input(A, a_);
    if (!plan.problem->unary)
        set_up_input(B, b_);
    if (!d_in_place_)
        departure_.emplace(
            comm_, [this](int rank) { return plan_.pieces[D].block_of(rank); },
            [this](int rank) {
                return region_of(plan_.given[D], plan_.problem->operands[D], rank);
            });
    if (takes_part_) {
        contract_options options = local_options(plan);
        if (options.tuning != tuning::estimate) // tuning may choose other ways than planning did
            options.workspace_limit = plan.summary.workspace;
        if (options.threads == 0)
            options.threads = where.threads();
        options.ctx = ctx;
        local_.emplace(plan, comm_.rank(), options);
        if (sums())
            sum_.emplace(comm_, plan.where, plan.reproducible());
    }
    take_memory();
    shares_ = shares();
}

template <class T> auto panel_contraction<T>::shares() const -> work_shares {
    const auto moving = [&](tensor_id operand, bool moves) {
        const auto words = static_cast<double>(plan_.pieces[operand].block_of(comm_.rank()).size());
        return moves ? plan_.price.receiving(words * sizeof(T), 0) : 0.0;
    };
    const double a = moving(A, a_.arrival.has_value());
    const double b = moving(B, b_.arrival.has_value());
    const double d = moving(D, departure_.has_value());
    const double products = plan_.price.multiplying(
        data_type_of<T>, plan_.summary.flops_per_rank / flops_per_multiply_add(data_type_of<T>));
    const double all = std::max(1e-12, a + b + products + d);
    return {a / all, b / all, products / all, d / all};
}

template <class T> panel_contraction<T>::~panel_contraction() {
    if (memory_ != nullptr && !plan_.options.memory_per_rank)
        comm_.buffers().keep(std::move(memory_), memory_bytes_);
}

template <class T> void panel_contraction<T>::set_up_input(tensor_id operand, input_path &path) {
    const operand_labels &labels = plan_.problem->operands[operand];
    if (!plan_.in_place(operand))
        path.arrival.emplace(
            comm_, [&, operand](int rank) { return region_of(plan_.given[operand], labels, rank); },
            [this, operand](int rank) { return plan_.pieces[operand].block_of(rank); },
            &plan_.given[operand]);
    if (takes_part_)
        path.panels.emplace(comm_, plan_.where, operand);
}

/// Makes one allocation for all buffers and cuts it up in the order of buffer_words.
template <class T> void panel_contraction<T>::take_memory() {
    buffer_words sizes = buffers_of(
        plan_, plan_.where, {plan_.in_place(A), plan_.in_place(B), d_in_place_}, comm_.rank());
    if (plan_.given[A].copies() == 1 && plan_.given[B].copies() == 1)
        sizes.exchange = 0; // the exchanges know exactly
    for (auto *movement : {&a_.arrival, &b_.arrival, &departure_})
        if (*movement)
            sizes.exchange = std::max(sizes.exchange, (*movement)->buffer_words());
    const index_t workspace = local_ ? local_->workspace_size() : 0;

    constexpr auto element = static_cast<index_t>(sizeof(T));
    using part = std::pair<T **, index_t>;
    T *sum_out = nullptr;
    T *sum_in = nullptr;
    T *exchange_memory = nullptr;
    const part lasting[] = {{&a_.piece, sizes.a.piece}, {&a_.summed, sizes.a.summed},
                            {&b_.piece, sizes.b.piece}, {&b_.summed, sizes.b.summed},
                            {&panel_d_, sizes.panel_d}, {&piece_d_, sizes.piece_d},
                            {&partial_, sizes.partial}};
    const part gathering[] = {{&a_.buffers.panel, sizes.a.panel},
                              {&a_.buffers.landing, sizes.a.landing},
                              {&a_.buffers.sent, sizes.a.sent},
                              {&b_.buffers.panel, sizes.b.panel},
                              {&b_.buffers.landing, sizes.b.landing},
                              {&b_.buffers.sent, sizes.b.sent},
                              {&sum_out, sizes.sum_out},
                              {&sum_in, sizes.sum_in}};
    const part exchanging[] = {{&exchange_memory, sizes.exchange}};
    const auto bytes_of = [](std::span<const part> parts) {
        index_t sum = 0;
        for (const auto &[pointer, words] : parts)
            sum += base::aligned_bytes(words * element);
        return sum;
    };
    const auto lay_out = [](base::arena rest, std::span<const part> parts) {
        for (const auto &[pointer, words] : parts)
            *pointer = rest.template take<T>(words);
        return rest;
    };
    const index_t shared = std::max(bytes_of(gathering), bytes_of(exchanging));
    memory_bytes_ = bytes_of(lasting) + shared + base::aligned_bytes(workspace);
    if (plan_.options.memory_per_rank) // hold no more than the plan says
        comm_.buffers().release();
    memory_ = comm_.buffers().take(memory_bytes_);

    const base::arena rest =
        lay_out(base::arena({memory_.get(), static_cast<std::size_t>(memory_bytes_)}), lasting);
    lay_out(rest, gathering);
    lay_out(rest, exchanging);
    workspace_ = rest.rest().subspan(static_cast<std::size_t>(shared));
    for (auto *movement : {&a_.arrival, &b_.arrival, &departure_})
        if (*movement)
            (*movement)->use(exchange_memory);
    for (input_path *path : {&a_, &b_})
        if (path->panels)
            path->panels->use(path->buffers);
    if (sum_)
        sum_->use(piece_d_, sum_out, sum_in);
}

template <class T> algorithm panel_contraction<T>::local_algorithm() const noexcept {
    return local_ ? local_->algorithm() : algorithm::automatic;
}

template <class T> panel_contraction_counts panel_contraction<T>::run() {
    panel_contraction_counts counts;
    if (!plan_.multiplies()) {
        scale_d();
        return counts;
    }
    const std::uint64_t start = comm_.bytes_received();
    if (stops())
        return counts;
    redistribute(A, a_);
    if (!plan_.problem->unary) {
        if (stops())
            return counts;
        redistribute(B, b_);
    }
    const std::uint64_t arrived = comm_.bytes_received();
    if (takes_part_) {
        const base::work_part part(shares_.products);
        sum_isolated(local_->sum_a, a_);
        if (!plan_.problem->unary)
            sum_isolated(local_->sum_b, b_);
        multiply();
    } else {
        watch_others_multiply();
    }
    const std::uint64_t multiplied = comm_.bytes_received();
    if (stops())
        return counts;
    deliver();
    counts.received = multiplied - arrived;
    counts.redistributed = arrived - start + comm_.bytes_received() - multiplied;
    return counts;
}

template <class T> placement<T> panel_contraction<T>::user_d() const {
    return {d_, plan_.given[D].block_of(comm_.rank()), plan_.problem->operands[D]};
}

template <class T> void panel_contraction<T>::scale_d() const {
    const placement<T> d = comm_.surely([&] { return user_d(); });
    const slice region = comm_.surely(
        [&] { return region_of(plan_.given[D], plan_.problem->operands[D], comm_.rank()); });
    const timed traced(comm_.recorder(), activity::compute, "scale D");
    if (!region.empty())
        scale_box(region.extents, beta_, d.at(region.offsets), d.strides);
}

template <class T> void panel_contraction<T>::redistribute(tensor_id operand, input_path &path) {
    const T *data = path.given;
    if (path.arrival) {
        const base::work_part part(operand == A ? shares_.arrival_a : shares_.arrival_b);
        const auto from = comm_.surely([&] {
            return placement<const T>(path.given, plan_.given[operand].block_of(comm_.rank()),
                                      plan_.problem->operands[operand]);
        });
        const auto to = comm_.surely(
            [&] { return placement<T>(path.piece, plan_.pieces[operand].block_of(comm_.rank())); });
        path.arrival->run(from, to, T(0));
        data = path.piece;
    }
    if (path.panels)
        path.panels->begin(data);
    path.piece_data = data;
}

template <class T>
void panel_contraction<T>::sum_isolated(const sum_over_labels &sum, input_path &path) {
    if (!sum.plan && !sum.reproducible)
        return;
    const timed traced(comm_.recorder(), activity::compute, "sum over isolated labels");
    const base::work_part untold(0);
    if (sum.reproducible) {
        check(sum.reproducible->run(path.piece_data, path.summed, workspace_),
              "sum over isolated labels");
    } else {
        check(dist_impl::multiply({.plan = *sum.plan,
                                   .alpha = scalar(1),
                                   .a = path.piece_data,
                                   .b = nullptr,
                                   .beta = scalar(0),
                                   .d = path.summed,
                                   .workspace = workspace_}),
              "sum over isolated labels");
    }
    path.panels->begin(path.summed);
}

template <class T> void panel_contraction<T>::progress() {
    for (input_path *path : {&a_, &b_})
        if (path->panels)
            path->panels->progress();
    if (sum_)
        sum_->progress();
}

/// Returns true if the caller of any rank stopped the work. Collective if the call is watched, on
/// which all ranks agreed: all of them skip the same steps and the same messages.
template <class T> bool panel_contraction<T>::stops() const {
    if (!base::work_part::is_watched())
        return false;
    const std::array<std::uint64_t, 1> mine{base::work_part::stops() ? 1U : 0U};
    std::array<std::uint64_t, 1> any{};
    comm_.maximum(mine, any);
    if (any[0] != 0)
        base::work_part::stop();
    return any[0] != 0;
}

/// Lets a rank without products take part in stops() before each step.
template <class T> void panel_contraction<T>::watch_others_multiply() {
    step_index step{};
    for (bool more = true; more && !stops(); more = advance(step, plan_.where.step_counts())) {
    }
}

/// While one step is multiplied, the panels of the next step and complete parts of D travel.
template <class T> void panel_contraction<T>::multiply() {
    const step_index &counts = plan_.where.step_counts();
    const auto inputs = [&](const auto &use) {
        for (input_path *path : {&a_, &b_})
            if (path->panels)
                use(*path);
    };
    const index_t steps = counts[0] * counts[1] * counts[2] * counts[3];
    step_index step{};
    inputs([&](input_path &path) {
        path.panels->start(step);
        path.is_under_way = true;
    });
    index_t number = 0;
    for (bool more = true; more;) {
        comm_.enter_step(++number, steps);
        step_index next = step;
        more = advance(next, counts);
        bool messages = false;
        inputs([&](input_path &path) {
            if (path.is_under_way)
                path.panels->finish();
            path.is_under_way = false;
        });
        if (stops()) // no panel travels at this point
            break;
        inputs([&](input_path &path) {
            path.is_under_way = more && path.panels->differ(step, next);
            if (path.is_under_way)
                path.panels->start(next);
            messages = messages || path.panels->is_travelling();
        });
        const base::work_part part(1 / static_cast<double>(steps));
        if (local_->leaves)
            add_leaves(step);
        else
            multiply_step(step, messages);
        step = next;
    }
    if (sum_)
        sum_->finish();
    comm_.enter_step(0, 0);
}

/// Computes D = result + beta D and moves the result to where D's elements are.
template <class T> void panel_contraction<T>::deliver() {
    const bool reduced = sums();
    const T *result = reduced ? piece_d_ : panel_d_;
    const slice own = comm_.surely([&] { return plan_.pieces[D].block_of(comm_.rank()); });
    const auto piece = comm_.surely([&] { return placement<const T>(result, own); });
    if (local_ && local_->leaves && reduced && !own.empty()) // else done where the sum was complete
        scale_box(own.extents, alpha_, piece_d_, piece.strides);
    const base::work_part part(shares_.departure);
    if (departure_)
        departure_->run(piece, comm_.surely([&] { return user_d(); }), beta_);
    else if (reduced && !own.empty()) {
        const timed traced(comm_.recorder(), activity::compute, "update D");
        update_box(own.extents, result, piece.strides, beta_, d_, piece.strides);
    }
}

/// Ends the program. These failures occur during execution, after all ranks agreed that plan and
/// memory are there, so the other ranks cannot learn of them.
template <class T> void panel_contraction<T>::check(status result, const char *step) const {
    if (!result.ok())
        comm_.fail(std::string(step) + ": " + result.message());
}

#define TENFOLD_INSTANTIATE(T, name) template class panel_contraction<T>;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

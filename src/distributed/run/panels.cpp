#include "distributed/run/panels.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/scalars.hpp"
#include "base/sum_types.hpp"
#include "base/work.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/plan/costs.hpp"
#include "distributed/plan/slice.hpp"

namespace tenfold::dist_impl {

template <class T>
panel_contraction<T>::panel_contraction(const world &where, const plan_state &plan,
                                        const scale_factors &factors, const context *ctx,
                                        const blocks_of_rank &blocks)
    : comm_(internals::of(where)), plan_(plan), given_d_(blocks.d),
      d_(plan.types.rounds_d() ? nullptr : static_cast<T *>(blocks.d)),
      takes_part_(plan.where.takes_part(where.rank())), d_in_place_(plan.in_place(D)),
      alpha_(base::scalar_cast<T>(factors.alpha)), given_beta_(base::scalar_cast<T>(factors.beta)),
      beta_(plan.types.rounds_d() ? T(0) : given_beta_), steps_(plan, where.rank()),
      a_(comm_, plan, A), b_(comm_, plan, B) {
    if (!plan_.multiplies()) // A and B are not read, and nothing travels
        return;
    a_.set_up(blocks.a, takes_part_);
    if (!plan.problem->unary)
        b_.set_up(blocks.b, takes_part_);
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
        const index_t words =
            plan_.pieces[operand].block_of(comm_.rank()).size() * plan_.words.moved[operand];
        return moves ? receiving_seconds(plan_, static_cast<double>(words), 0) : 0.0;
    };
    const double a = moving(A, a_.is_redistributed());
    const double b = moving(B, b_.is_redistributed());
    const double d = moving(D, departure_.has_value());
    const double products = plan_.price.multiplying(
        data_type_of<T>, plan_.summary.flops_per_rank / flops_per_multiply_add(data_type_of<T>));
    const double all = std::max(1e-12, a + b + products + d);
    return {a / all, b / all, products / all, d / all};
}

template <class T> void panel_contraction<T>::take_back() noexcept {
    for_each_input([](input_path &path) { path.take_back(); });
    if (sum_)
        sum_->take_back();
}

template <class T> panel_contraction<T>::~panel_contraction() {
    take_back();
    if (comm_.has_messages_left())
        static_cast<void>(memory_.release());
    else if (memory_ != nullptr && !plan_.options.memory_per_rank)
        comm_.buffers().keep(std::move(memory_), memory_bytes_);
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
    if (background_tag_) {
        for_each_input([&](input_path &path) {
            counts.redistributed += static_cast<std::uint64_t>(path.bytes_arriving());
        });
    } else {
        redistribute(a_, shares_.arrival_a);
        if (!plan_.problem->unary) {
            if (stops())
                return counts;
            redistribute(b_, shares_.arrival_b);
        }
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
    counts.redistributed += arrived - start + comm_.bytes_received() - multiplied;
    return counts;
}

template <class T> void panel_contraction<T>::start_arrivals(int tag) {
    background_tag_ = tag;
    if (!plan_.multiplies())
        return;
    arriving_ = &a_;
    a_.start_redistribution(tag);
    advance_arrivals();
}

/// A and B share the packing buffers, and so arrive one after the other.
template <class T> bool panel_contraction<T>::advance_arrivals() {
    bool any = false;
    while (arriving_ != nullptr) {
        any = arriving_->advance_redistribution() || any;
        if (!arriving_->has_arrived())
            break;
        arriving_->end_redistribution();
        arriving_ = arriving_ == &a_ && !plan_.problem->unary ? &b_ : nullptr;
        if (arriving_ != nullptr)
            arriving_->start_redistribution(*background_tag_);
        any = true;
    }
    return any;
}

template <class T> std::vector<int> panel_contraction<T>::peers() const {
    return arriving_ != nullptr ? arriving_->peers() : std::vector<int>();
}

template <class T> placement<T> panel_contraction<T>::user_d() const {
    return {d_, plan_.given[D].block_of(comm_.rank()), plan_.problem->operands[D]};
}

/// Where this rank's piece of the result is once all is summed.
template <class T> placement<T> panel_contraction<T>::summed_d() const {
    if (piece_d_ == nullptr && takes_part_)
        return {panel_d_, plan_.where.panel_of(D, comm_.rank())};
    return {piece_d_ != nullptr ? piece_d_ : panel_d_, plan_.pieces[D].block_of(comm_.rank())};
}

template <class T> void panel_contraction<T>::scale_d() const {
    const timed traced(comm_.recorder(), activity::compute, "scale D");
    if (plan_.types.rounds_d())
        return round_d();
    const placement<T> d = comm_.surely([&] { return user_d(); });
    const slice region = comm_.surely(
        [&] { return region_of(plan_.given[D], plan_.problem->operands[D], comm_.rank()); });
    if (!region.empty())
        scale_box(region.extents, beta_, d.at(region.offsets), d.strides, comm_.threads());
}

/// Computes D = sums + beta D and rounds it to D's type; without sums where nothing is multiplied.
template <class T> void panel_contraction<T>::round_d() const {
    const auto places = comm_.surely([&] {
        return element_places(plan_.given[D].block_of(comm_.rank()), plan_.problem->operands[D]);
    });
    const slice region = comm_.surely(
        [&] { return region_of(plan_.given[D], plan_.problem->operands[D], comm_.rank()); });
    if (region.empty())
        return;
    const index_t first = places.offset_of(region.offsets);
    const data_type type = plan_.types.stored[D];
    round_box<T>({region.extents, places.strides, d_ == nullptr ? nullptr : d_ + first,
                  static_cast<std::byte *>(given_d_) + first * size_of(type), type},
                 given_beta_);
}

template <class T> void panel_contraction<T>::redistribute(input_path &path, double share) {
    const base::work_part part(path.is_redistributed() ? share : 0);
    path.redistribute();
}

template <class T>
void panel_contraction<T>::sum_isolated(const sum_over_labels &sum, input_path &path) {
    if (!sum.plan && !sum.reproducible)
        return;
    const timed traced(comm_.recorder(), activity::compute, "sum over isolated labels");
    const base::work_part untold(0);
    if (sum.reproducible) {
        check(sum.reproducible->run(path.piece(), static_cast<leaf_type<T> *>(path.summed()),
                                    workspace_),
              "sum over isolated labels");
    } else {
        check(dist_impl::multiply({.plan = *sum.plan,
                                   .alpha = scalar(1),
                                   .a = path.piece(),
                                   .b = nullptr,
                                   .beta = scalar(0),
                                   .d = path.summed(),
                                   .workspace = workspace_}),
              "sum over isolated labels");
    }
    path.take_sum();
}

template <class T> void panel_contraction<T>::progress() {
    for_each_input([](input_path &path) { path.progress(); });
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
    const index_t steps = counts[0] * counts[1] * counts[2] * counts[3];
    step_index step{};
    for_each_input([&](input_path &path) { path.start(step); });
    index_t number = 0;
    for (bool more = true; more;) {
        comm_.enter_step(++number, steps);
        step_index next = step;
        more = advance(next, counts);
        bool messages = false;
        for_each_input([](input_path &path) { path.finish(); });
        if (stops()) // no panel travels at this point
            break;
        for_each_input([&](input_path &path) {
            if (more)
                path.start_next(step, next);
            messages = path.is_travelling() || messages;
        });
        const base::work_part part(1 / static_cast<double>(steps));
        bool is_done = false;
        if constexpr (!element_traits<T>::is_integer) // which have no leaves
            if (local_->leaves) {
                add_leaves(step);
                is_done = true;
            }
        if (!is_done)
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
    const slice own = comm_.surely([&] { return plan_.pieces[D].block_of(comm_.rank()); });
    const placement<T> sum = comm_.surely([&] { return summed_d(); });
    const auto piece =
        comm_.surely([&] { return placement<const T>(sum.data, sum.shift, sum.strides); });
    if (local_ && local_->leaves && reduced && !own.empty()) // else done where the sum was complete
        scale_box(own.extents, alpha_, sum.at(own.offsets), sum.strides, comm_.threads());
    const base::work_part part(shares_.departure);
    if (departure_)
        departure_->run(piece, comm_.surely([&] { return user_d(); }), beta_);
    else if (reduced && !own.empty()) {
        const timed traced(comm_.recorder(), activity::compute, "update D");
        const extents_t in_d = comm_.surely([&] { return dense_strides(own.extents); });
        update_box(own.extents, piece.at(own.offsets), piece.strides, beta_, d_, in_d,
                   comm_.threads());
    }
    if (plan_.types.rounds_d()) {
        const timed traced(comm_.recorder(), activity::compute, "round D");
        round_d();
    }
}

/// Ends the program. These failures occur during execution, after all ranks agreed that plan and
/// memory are there, so the other ranks cannot learn of them.
template <class T> void panel_contraction<T>::check(status result, const char *step) const {
    if (!result.ok())
        comm_.fail(std::string(step) + ": " + result.message());
}

#define TENFOLD_INSTANTIATE(T, name) template class panel_contraction<T>;
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

#include "dist/panels.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

#include "base/workspace.hpp"
#include "dist/copy_box.hpp"
#include "dist_plan/slice.hpp"

namespace tenfold::dist_impl {
namespace {

template <class T> T narrow(scalar value) {
    if constexpr (is_complex(data_type_of<T>))
        return T(value);
    else
        return static_cast<T>(value.real());
}

contraction_spec make_spec(const plan_state &plan, std::vector<std::vector<int>> inputs,
                           std::vector<int> output) {
    contraction_spec spec;
    spec.inputs = std::move(inputs);
    spec.output = std::move(output);
    for (const plan_label &label : plan.problem->labels)
        spec.label_names.push_back(label.name);
    spec.text = plan.spec.text;
    return spec;
}

} // namespace

template <class T>
panel_contraction<T>::panel_contraction(const world &where, const plan_state &plan,
                                        const context *ctx, const T *a, const T *b, T *d)
    : comm_(where.internals()), plan_(plan), d_(d),
      takes_part_(plan.where.takes_part(where.rank())), d_in_place_(plan.in_place(operand_d)),
      alpha_(narrow<T>(plan.alpha)), beta_(narrow<T>(plan.beta)) {
    const dist_options &options = plan.options;
    const context &used = ctx != nullptr ? *ctx : context::global();
    if (used.settings().reproducible && where.size() > 1)
        throw error(errc::unsupported, "reproducible results across rank counts are not available; "
                                       "results are the same for the same number of ranks");
    local_options_.algorithm = options.algorithm;
    local_options_.tuning = options.tuning;
    local_options_.workspace_limit = options.workspace_limit;
    local_options_.backend = options.backend;
    local_options_.threads = where.threads();
    local_options_.ctx = ctx;

    a_.given = a;
    b_.given = b;
    if (plan_.alpha == scalar(0)) // A and B are not read, and nothing travels
        return;
    set_up_input(operand_a, a_);
    if (!plan.problem->unary)
        set_up_input(operand_b, b_);
    if (!d_in_place_)
        departure_.emplace(
            comm_, [this](int rank) { return plan_.pieces[operand_d].block_of(rank); },
            [this](int rank) {
                return region_of(plan_.given[operand_d], plan_.problem->operands[operand_d], rank);
            });
    if (takes_part_)
        set_up_product();
    take_memory();
}

template <class T> void panel_contraction<T>::set_up_input(operand_id operand, input_path &path) {
    const operand_labels &labels = plan_.problem->operands[operand];
    if (!plan_.in_place(operand))
        path.arrival.emplace(
            comm_, [&, operand](int rank) { return region_of(plan_.given[operand], labels, rank); },
            [this, operand](int rank) { return plan_.pieces[operand].block_of(rank); });
    const std::vector<int> &panel = plan_.where.panel_labels(operand);
    if (!takes_part_ || panel.size() == labels.distinct.size())
        return;
    const slice whole = plan_.pieces[operand].block_of(comm_.rank());
    if (whole.none)
        return;
    const input given(data_type_of<T>, nullptr, layout(whole.extents));
    const output summed(data_type_of<T>, nullptr,
                        layout(plan_.where.piece_of(operand, comm_.rank()).extents));
    path.sum = make_plan(make_spec(plan_, {labels.distinct}, panel), {&given, 1}, summed, summed,
                         local_options_);
}

template <class T> void panel_contraction<T>::set_up_product() {
    std::vector<input> inputs;
    std::vector<std::vector<int>> labels;
    const auto add = [&](operand_id operand, bool conjugate) {
        labels.push_back(plan_.where.panel_labels(operand));
        const slice panel = plan_.where.panel_of(operand, comm_.rank());
        const input one(data_type_of<T>, nullptr, layout(panel.extents));
        inputs.push_back(conjugate ? conj(one) : one);
    };
    add(operand_a, plan_.options.conj_a);
    if (!plan_.problem->unary)
        add(operand_b, plan_.options.conj_b);
    const output d(data_type_of<T>, nullptr,
                   layout(plan_.where.panel_of(operand_d, comm_.rank()).extents));
    product_ = make_plan(make_spec(plan_, labels, plan_.where.panel_labels(operand_d)), inputs, d,
                         d, local_options_);
}

/// One allocation for everything, cut up in the order of buffer_words.
template <class T> void panel_contraction<T>::take_memory() {
    buffer_words sizes = buffers_of(
        plan_, plan_.where, {plan_.in_place(operand_a), plan_.in_place(operand_b), d_in_place_},
        comm_.rank());
    sizes.exchange = 0; // the exchanges know exactly
    for (auto *movement : {&a_.arrival, &b_.arrival, &departure_})
        if (*movement)
            sizes.exchange = std::max(sizes.exchange, (*movement)->buffer_words());
    index_t workspace = 0;
    for (const auto *plan : {&a_.sum, &b_.sum, &product_})
        if (*plan)
            workspace = std::max(workspace, (*plan)->workspace_size().value);

    constexpr auto element = static_cast<index_t>(sizeof(T));
    T *exchange_memory = nullptr;
    const std::pair<T **, index_t> pieces[] = {
        {&a_.piece, sizes.a.piece},        {&a_.summed, sizes.a.summed},
        {&a_.gathered, sizes.a.panel},     {&b_.piece, sizes.b.piece},
        {&b_.summed, sizes.b.summed},      {&b_.gathered, sizes.b.panel},
        {&panel_d_, sizes.panel_d},        {&piece_d_, sizes.piece_d},
        {&travel_out_, sizes.travel},      {&travel_in_, sizes.travel},
        {&exchange_memory, sizes.exchange}};
    memory_bytes_ = base::aligned_bytes(workspace);
    for (const auto &[pointer, words] : pieces)
        memory_bytes_ += base::aligned_bytes(words * element);
    memory_.reset(static_cast<std::byte *>(base::allocate_aligned(bytes(memory_bytes_))));

    base::arena rest({memory_.get(), static_cast<std::size_t>(memory_bytes_)});
    for (const auto &[pointer, words] : pieces)
        *pointer = rest.template take<T>(words);
    workspace_ = rest.rest();
    for (auto *movement : {&a_.arrival, &b_.arrival, &departure_})
        if (*movement)
            (*movement)->use(exchange_memory);
}

template <class T> index_t panel_contraction<T>::buffer_bytes() const noexcept {
    return memory_bytes_;
}

template <class T> algorithm panel_contraction<T>::local_algorithm() const noexcept {
    return product_ ? product_->summary().algorithm : algorithm::automatic;
}

template <class T> panel_contraction_counts panel_contraction<T>::run() {
    panel_contraction_counts counts;
    if (plan_.alpha == scalar(0)) {
        scale_d();
        return counts;
    }
    const std::uint64_t start = comm_.bytes_received();
    redistribute(operand_a, a_);
    if (!plan_.problem->unary)
        redistribute(operand_b, b_);
    const std::uint64_t arrived = comm_.bytes_received();
    if (takes_part_) {
        gather(operand_a, a_);
        if (!plan_.problem->unary)
            gather(operand_b, b_);
        multiply();
        if (plan_.where.grid().k > 1)
            reduce();
    }
    const std::uint64_t multiplied = comm_.bytes_received();
    deliver();
    counts.received = multiplied - arrived;
    counts.redistributed = arrived - start + comm_.bytes_received() - multiplied;
    return counts;
}

template <class T> placement<T> panel_contraction<T>::user_d() const {
    return {d_, plan_.given[operand_d].block_of(comm_.rank()), plan_.problem->operands[operand_d]};
}

template <class T> void panel_contraction<T>::scale_d() const {
    const placement<T> d = user_d();
    const slice region =
        region_of(plan_.given[operand_d], plan_.problem->operands[operand_d], comm_.rank());
    if (!region.empty())
        scale_box(region.extents, beta_, d.at(region.offsets), d.strides);
}

template <class T> void panel_contraction<T>::redistribute(operand_id operand, input_path &path) {
    path.panel = path.given;
    if (!path.arrival)
        return;
    path.arrival->run(placement<const T>(path.given, plan_.given[operand].block_of(comm_.rank()),
                                         plan_.problem->operands[operand]),
                      placement<T>(path.piece, plan_.pieces[operand].block_of(comm_.rank())), T(0));
    path.panel = path.piece;
}

/// Every member of the team sends its piece to every other, in shifts: member i to i + 1 while it
/// receives from i - 1, then to i + 2, ..
template <class T> void panel_contraction<T>::gather(operand_id operand, input_path &path) {
    if (path.sum) {
        check(path.sum->execute(scalar(1), path.panel, nullptr, scalar(0), path.summed, path.summed,
                                workspace_),
              "sum over isolated labels");
        path.panel = path.summed;
    }
    const std::vector<int> team = plan_.where.team_of(operand, comm_.rank());
    if (team.size() == 1)
        return;
    const auto size = static_cast<int>(team.size());
    const int place = plan_.where.place_in_team(operand, comm_.rank());
    const slice own = plan_.where.piece_of(operand, comm_.rank());
    const placement<T> panel(path.gathered, plan_.where.panel_of(operand, comm_.rank()));
    const auto put = [&](const T *piece, const slice &box) {
        if (!box.empty())
            copy_box(box.extents, piece, dense_strides(box.extents), panel.at(box.offsets),
                     panel.strides);
    };
    put(path.panel, own);
    constexpr auto element = static_cast<index_t>(sizeof(T));
    for (int shift = 1; shift < size; ++shift) {
        const int to = team[static_cast<std::size_t>((place + shift) % size)];
        const int from = team[static_cast<std::size_t>((place + size - shift) % size)];
        const slice coming = plan_.where.piece_of(operand, from);
        comm_.send_and_receive(path.panel, own.size() * element, to, travel_in_,
                               coming.size() * element, from);
        put(travel_in_, coming);
    }
    path.panel = path.gathered;
}

template <class T> void panel_contraction<T>::multiply() {
    const bool straight_to_d = d_in_place_ && plan_.where.grid().k == 1;
    T *d = straight_to_d ? d_ : panel_d_;
    const T beta = straight_to_d ? beta_ : T(0);
    check(product_->execute(scalar(alpha_), a_.panel, b_.panel, scalar(beta), d, d, workspace_),
          "local contraction");
}

/// Reduce-scatter: each member of the team receives its piece of every other's product, in shifts,
/// and adds them up in this fixed order.
template <class T> void panel_contraction<T>::reduce() {
    const std::vector<int> team = plan_.where.team_of(operand_d, comm_.rank());
    const auto size = static_cast<int>(team.size());
    const int place = plan_.where.place_in_team(operand_d, comm_.rank());
    const slice own = plan_.where.piece_of(operand_d, comm_.rank());
    const placement<T> panel(panel_d_, plan_.where.panel_of(operand_d, comm_.rank()));
    const auto pack = [&](const slice &box, T *piece) {
        if (!box.empty())
            copy_box(box.extents, static_cast<const T *>(panel.at(box.offsets)), panel.strides,
                     piece, dense_strides(box.extents));
    };
    pack(own, piece_d_);
    constexpr auto element = static_cast<index_t>(sizeof(T));
    for (int shift = 1; shift < size; ++shift) {
        const int to = team[static_cast<std::size_t>((place + shift) % size)];
        const int from = team[static_cast<std::size_t>((place + size - shift) % size)];
        const slice going = plan_.where.piece_of(operand_d, to);
        pack(going, travel_out_);
        comm_.send_and_receive(travel_out_, going.size() * element, to, travel_in_,
                               own.size() * element, from);
        for (index_t i = 0; i < own.size(); ++i)
            piece_d_[i] += travel_in_[i];
    }
}

/// D = result + beta D, wherever D's elements are.
template <class T> void panel_contraction<T>::deliver() {
    const bool reduced = plan_.where.grid().k > 1;
    const T *result = reduced ? piece_d_ : panel_d_;
    const slice own = plan_.pieces[operand_d].block_of(comm_.rank());
    const placement<const T> piece(result, own);
    if (departure_)
        departure_->run(piece, user_d(), beta_);
    else if (reduced && !own.empty())
        update_box(own.extents, result, piece.strides, beta_, d_, piece.strides);
}

/// Statuses are of execution: the plan was made, the memory is there, so that a failure here is
/// not one that other ranks could have heard of.
template <class T> void panel_contraction<T>::check(status result, const char *step) const {
    if (!result.ok())
        comm_.fail(std::string(step) + ": " + result.message());
}

template class panel_contraction<float>;
template class panel_contraction<double>;
template class panel_contraction<c32>;
template class panel_contraction<c64>;

} // namespace tenfold::dist_impl

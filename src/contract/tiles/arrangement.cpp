#include "contract/tiles/arrangement.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <span>

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::contraction_problem;
using einsum_impl::D;
using einsum_impl::extent_of;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

/// Pads a stride of `elements` to an odd number of cache lines once it is some lines long. Columns
/// that are a power of two apart would share a cache set.
index_t spread(index_t elements, index_t element_size) {
    constexpr index_t line = 64;
    const index_t long_stride = 16 * line / element_size;
    if (elements < long_stride)
        return elements;
    const index_t per_line = line / element_size;
    const index_t lines = (elements + per_line - 1) / per_line;
    return (lines | 1) * per_line;
}

/// Elements of the run of modes from `first` on that is contiguous both before and after the move.
index_t run_from(std::size_t first, tensor_id tensor, const relocation &move) {
    index_t run = 1;
    const index_t before = std::abs(move.modes[first].stride[tensor]);
    const index_t after = move.new_stride[first];
    for (std::size_t i = first; i < move.modes.size(); ++i) {
        const problem_mode &mode = move.modes[i];
        if (mode.extent == 1)
            continue;
        if (std::abs(mode.stride[tensor]) != before * run || move.new_stride[i] != after * run)
            break;
        run *= mode.extent;
    }
    return run;
}

/// Elements that D is written with in a row, if registers transpose its fastest mode and the one
/// that is fastest before the move back.
index_t written_run(const relocation &move) {
    const problem_mode &across = move.modes.front();
    index_t run = 1;
    for (auto next = move.modes.begin(); next != move.modes.end();) {
        next = std::find_if(move.modes.begin(), move.modes.end(), [&](const problem_mode &mode) {
            return mode.extent > 1 && mode.label != across.label && std::abs(mode.stride[D]) == run;
        });
        if (next != move.modes.end())
            run *= next->extent;
    }
    return run;
}

/// A tensor to be moved.
struct relocated {
    tensor_id tensor;
    index_t element_size; ///< after the move
    bool drops_zeros;     ///< modes of stride 0 keep it
};

/// Moves one tensor: gives the modes of `parts`, in this order, new strides. They are dense within
/// a part, so that its modes can still be fused.
void relocate(std::initializer_list<std::span<problem_mode>> parts, const relocated &what,
              relocation &result) {
    const auto [tensor, element_size, drops_zeros] = what;
    result.modes.clear();
    result.new_stride.clear();
    result.summed.clear();
    result.elements = 1;
    index_t fastest_before = INT64_MAX;
    std::size_t fastest_mode = 0;
    for (const std::span<problem_mode> part : parts) {
        if (!part.empty())
            result.elements = spread(result.elements, element_size);
        for (problem_mode &mode : part) {
            const index_t step = std::abs(mode.stride[tensor]);
            if (drops_zeros && step == 0)
                continue;
            if (step < fastest_before) {
                fastest_before = step;
                fastest_mode = result.modes.size();
            }
            result.modes.push_back(mode);
            result.new_stride.push_back(result.elements);
            mode.stride[tensor] = result.elements;
            result.elements *= mode.extent;
        }
    }
    result.near = {};
    if (result.modes.empty())
        return;
    result.near.stay = fastest_mode == 0;
    result.near.step = fastest_before;
    result.near.run = std::min(run_from(0, tensor, result), run_from(fastest_mode, tensor, result));
    if (tensor == D && !result.near.stay)
        result.near.written = written_run(result);
}

/// The group orders worth trying for a tensor. `modes` is the number of modes in its group that can
/// be split.
std::span<const group_order> group_orders(bool moved, std::size_t modes) {
    static constexpr std::array all{group_order::plain, group_order::reversed, group_order::split};
    return std::span(all).first(!moved ? 1 : modes < 2 ? 2 : 3);
}

/// Whether both groups have the same modes in the same order.
bool alike(const mode_group &one, const mode_group &other) {
    return std::equal(
        one.begin(), one.end(), other.begin(), other.end(),
        [](const problem_mode &x, const problem_mode &y) { return x.label == y.label; });
}

/// The number of a tensor's free modes that precede the summed ones.
std::size_t modes_ahead(group_order order, tensor_id tensor, std::size_t free_modes) {
    if (order == group_order::split)
        return std::min<std::size_t>(1, free_modes);
    return (order != group_order::reversed) == (tensor == A) ? free_modes : 0;
}

/// Whether adjacent elements of a tensor belong to different products, in the order of D's.
bool interleaves(const mode_group &batch_of_d, tensor_id tensor) {
    return !batch_of_d.empty() && batch_of_d.front().stride[tensor] == 1;
}

} // namespace

bool sums_while_moving(data_type type) noexcept { return is_arithmetic(type); }

bool is_elementwise(const contraction_problem &problem) noexcept {
    return !problem.unary && problem.m.empty() && problem.n.empty() && problem.k.empty() &&
           problem.isolated_a.empty() && problem.isolated_b.empty();
}

double batch_elements(const contraction_problem &problem, std::size_t tensor) noexcept {
    double elements = 1;
    for (const problem_mode &mode : problem.batch)
        elements *= mode.stride[tensor] != 0 ? static_cast<double>(mode.extent) : 1;
    return elements;
}

double moved_elements(const contraction_problem &problem, tensor_id tensor) noexcept {
    double elements = batch_elements(problem, tensor); // a copy may omit the other modes
    if (tensor != D)
        elements *= real(extent_of(problem.k)) *
                    real(extent_of(tensor == A ? problem.isolated_a : problem.isolated_b));
    if (tensor != B)
        elements *= real(extent_of(problem.m));
    if (tensor != A)
        elements *= real(extent_of(problem.n));
    return elements;
}

std::optional<contraction_problem> as_elementwise(const contraction_problem &problem) {
    contraction_problem all = problem;
    for (mode_group *group : {&all.m, &all.n}) {
        all.batch.insert(all.batch.end(), group->begin(), group->end());
        group->clear();
    }
    if (!is_elementwise(all))
        return std::nullopt;
    einsum_impl::sort_by_stride(all.batch, D);
    constexpr std::array tensors{A, B, D, einsum_impl::C};
    all.batch = einsum_impl::fuse(std::move(all.batch), tensors);
    return all;
}

arranger::arranger(const contraction_problem &problem)
    : isolated_a_(problem.isolated_a), isolated_b_(problem.isolated_b), type_(problem.type),
      computed_(problem.computed), conjugate_a_(problem.conjugate[A]),
      conjugate_b_(problem.conjugate[B]), unary_(problem.unary),
      as_stored_(problem.multiplies_as_stored()), elementwise_(is_elementwise(problem)) {
    const auto sort = [](const mode_group &group, std::initializer_list<tensor_id> carriers,
                         orders &into) {
        for (const tensor_id tensor : carriers) {
            into[tensor] = group;
            if (group.size() > 1)
                einsum_impl::sort_by_stride(into[tensor], tensor);
        }
    };
    sort(problem.batch, {D, A, B}, batch_);
    sort(problem.m, {D, A}, m_);
    sort(problem.n, {D, B}, n_);
    sort(problem.k, {A, B}, k_);
}

std::vector<arrangement> arranger::choices() const {
    const auto distinct = [](const orders &group, std::initializer_list<tensor_id> carriers) {
        std::vector<tensor_id> result;
        for (const tensor_id one : carriers)
            if (std::none_of(result.begin(), result.end(),
                             [&](tensor_id other) { return alike(group[one], group[other]); }))
                result.push_back(one);
        return result;
    };
    const std::vector<tensor_id> m_orders = distinct(m_, {D, A});
    const std::vector<tensor_id> n_orders = distinct(n_, {D, B});
    const std::vector<tensor_id> k_orders = distinct(k_, {A, B});
    const std::vector<tensor_id> batch_orders = distinct(batch_, {D, A, B});
    // Several orders are offered only for groups of a moved tensor.
    const auto offered = [](const std::vector<tensor_id> &all, bool moved) {
        return std::span(all).first(moved ? all.size() : 1);
    };
    const auto orders_of = [this](bool moved, std::size_t modes) { // one group has one order
        return group_orders(moved && !elementwise_, modes);
    };
    std::vector<arrangement> all;
    const auto add_all = [&](bool converts) {
        const auto must_move = [&](tensor_id tensor, const mode_group &isolated) {
            return (converts && type_[tensor] != computed_) ||
                   (sums_on_the_way(tensor, converts) && !isolated.empty());
        };
        const bool must_move_a = must_move(A, isolated_a_);
        const bool must_move_b = !unary_ && must_move(B, isolated_b_);
        const bool must_move_d = type_[D] != computed_;
        for (int moves = 1; moves < 8; ++moves) {
            arrangement choice;
            choice.move = {(moves & 1) != 0, (moves & 2) != 0, (moves & 4) != 0};
            choice.converts = converts;
            choice.elementwise = elementwise_;
            const auto [a, b, d] = choice.move;
            if ((must_move_a && !a) || (must_move_b && !b) || (must_move_d && !d) || (unary_ && b))
                continue;
            for (const tensor_id m : offered(m_orders, a || d))
                for (const tensor_id n : offered(n_orders, b || d))
                    for (const tensor_id k : offered(k_orders, a || b))
                        for (const tensor_id l : batch_orders)
                            for (const group_order of_a : orders_of(a, m_[D].size()))
                                for (const group_order of_b : orders_of(b, n_[D].size()))
                                    for (const group_order of_d : orders_of(d, 1)) {
                                        choice.order = {of_a, of_b, of_d};
                                        choice.order_m = m;
                                        choice.order_n = n;
                                        choice.order_k = k;
                                        choice.order_batch = l;
                                        all.push_back(choice);
                                    }
            // Products that sum nothing have vector loops.
            if (k_[A].empty() || d || !interleaves(batch_[D], D) ||
                !(a || interleaves(batch_[D], A)) || !(b || interleaves(batch_[D], B)))
                continue;
            choice.order = {a ? group_order::interleaved : group_order::plain,
                            b ? group_order::interleaved : group_order::plain, group_order::plain};
            choice.order_batch = D;
            for (const tensor_id m : offered(m_orders, a))
                for (const tensor_id n : offered(n_orders, b))
                    for (const tensor_id k : offered(k_orders, a || b)) {
                        choice.order_m = m;
                        choice.order_n = n;
                        choice.order_k = k;
                        all.push_back(choice);
                    }
        }
    };
    if (as_stored_)
        add_all(false);
    if (type_[A] != computed_ || (!unary_ && type_[B] != computed_))
        add_all(true);
    return all;
}

/// Operands that are converted keep their isolated labels, because sums are formed in the wider
/// type.
bool arranger::sums_on_the_way(tensor_id tensor, bool converts) const noexcept {
    return sums_while_moving(type_[tensor]) && (!converts || type_[tensor] == computed_);
}

void arranger::arrange(const arrangement &choice, arranged_problem &result) const {
    matrix_problem &matrices = result.matrices;
    mode_group &batch = matrices.batch = batch_[choice.order_batch];
    mode_group &m = matrices.m = m_[choice.order_m];
    mode_group &n = matrices.n = n_[choice.order_n];
    mode_group &k = matrices.k = k_[choice.order_k];
    mode_group isolated_a = isolated_a_;
    mode_group isolated_b = isolated_b_;
    matrices.type = computed_;
    matrices.inputs = choice.converts ? computed_ : type_[A];
    result.in_vector_loops = choice.elementwise && matrices.inputs == matrices.type;
    const auto move_input = [&](tensor_id tensor, std::span<problem_mode> free,
                                mode_group &isolated) {
        const std::size_t ahead = modes_ahead(choice.order[tensor], tensor, free.size());
        const bool sums = sums_on_the_way(tensor, choice.converts);
        const std::span<problem_mode> kept = sums ? std::span<problem_mode>() : isolated;
        relocation &move = result.moves[tensor];
        const relocated what{tensor, size_of(matrices.inputs), choice.elementwise};
        const std::span<problem_mode> all = batch; // empty in tiles of one product
        const std::size_t lanes = choice.order[tensor] == group_order::interleaved
                                      ? std::min<std::size_t>(1, all.size())
                                      : 0;
        relocate(
            {all.first(lanes), free.first(ahead), k, free.subspan(ahead), kept, all.subspan(lanes)},
            what, move);
        if (sums)
            move.summed.swap(isolated);
    };
    if (choice.move[A])
        move_input(A, m, isolated_a);
    if (choice.move[B])
        move_input(B, n, isolated_b);
    if (choice.move[D]) {
        const bool reversed = choice.order[D] == group_order::reversed;
        relocate({reversed ? n : m, reversed ? m : n, batch},
                 {D, size_of(computed_), choice.elementwise}, result.moves[D]);
    }
    matrices.conjugate_a = conjugate_a_;
    matrices.conjugate_b = conjugate_b_;
    matrices.whole = {};
    for (const mode_group *isolated : {&isolated_a, &isolated_b})
        k.insert(k.end(), isolated->begin(), isolated->end());
    matrices = fused(std::move(matrices));
}

} // namespace tenfold::contract_impl

#include "contract/tiles/moves.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/checked.hpp"
#include "base/internals.hpp"
#include "base/scalars.hpp"
#include "base/traffic.hpp"
#include "contract/products/gemm_nest.hpp"
#include "contract/products/vector_loops.hpp"
#include "transpose/plan/choices.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::C;
using einsum_impl::D;
using einsum_impl::mode_group;
using einsum_impl::problem_mode;
using einsum_impl::tensor_id;

extents_t strides_of(const mode_group &modes, tensor_id tensor) {
    extents_t strides;
    for (const problem_mode &mode : modes)
        strides.push_back(mode.stride[tensor]);
    return strides;
}

/// One side of a copy.
struct copied {
    data_type type;
    layout shape;
    bool conjugate = false;
};

/// Who reads a copy next. Some transpositions write outputs of half least_past_caches() past the
/// caches, but a product would read such a copy from memory.
enum class next_reader { product, caller };

/// Plans a copy between a tensor and workspace: mode k is mode k on both sides. Parts of tensors
/// are not tuned.
transpose_plan plan_copy(const copied &from, const copied &to, const plan_environment &environment,
                         const std::optional<part_of_tensor> &part, next_reader next) {
    std::vector<int> identity(static_cast<std::size_t>(from.shape.order()));
    std::iota(identity.begin(), identity.end(), 0);
    transpose_options options;
    options.threads = environment.threads;
    options.ctx = environment.ctx;
    if (next == next_reader::product &&
        to.shape.size() * size_of(to.type) <
            base::least_past_caches(base::machine_of(*environment.ctx)))
        options.bypass_caches = false;
    if (!part)
        return transpose_plan(identity, from.type, from.shape, to.type, to.shape, from.conjugate,
                              options);
    transpose_impl::schedule_options choices;
    choices.stream_threshold = transpose_impl::streams_if(part->bypass_caches);
    choices.part_of = part->bytes;
    using state = internals::state_of<transpose_plan>;
    const transpose_impl::transposed_tensors what{identity, from.type, from.shape,
                                                  to.type,  to.shape,  from.conjugate};
    return internals::from<transpose_plan>(std::make_shared<const state>(what, options, choices));
}

/// The sum as a product with the constant 1.
matrix_problem problem_of_sum(const relocation &move, tensor_id tensor, data_type type,
                              double whole) {
    matrix_problem problem;
    problem.type = problem.inputs = type;
    problem.whole.a = whole;
    for (std::size_t k = 0; k < move.modes.size(); ++k)
        problem.m.push_back({move.modes[k].extent,
                             {move.modes[k].stride[tensor], 0, move.new_stride[k], 0},
                             move.modes[k].label});
    for (const problem_mode &mode : move.summed)
        problem.k.push_back({mode.extent, {mode.stride[tensor], 0, 0, 0}, mode.label});
    return fused(std::move(problem));
}

/// How a move that sums runs.
struct sum_choice {
    bool products; ///< otherwise vector loops
    double seconds;
};

sum_choice choose_sum(const matrix_problem &problem, const cost_model &model,
                      const plan_environment &environment) {
    const double loops = price_vector_loops(problem, model, environment);
    const nest_price products = price_nest(problem, model, environment);
    if (products.seconds >= loops || products.workspace > environment.workspace_limit)
        return {false, loops};
    return {true, products.seconds};
}

candidate_ptr plan_sum(const relocation &move, tensor_id tensor, data_type type,
                       const cost_model &model, const plan_environment &environment) {
    const matrix_problem problem = problem_of_sum(move, tensor, type, 0);
    return choose_sum(problem, model, environment).products
               ? make_gemm_loop(problem, best_nest(problem, model, environment), environment)
               : make_vector_loops(problem, model, environment);
}

} // namespace

index_t workspace_for(index_t elements, data_type type) {
    constexpr const char *what = "workspace of a transposed tensor";
    const index_t exact = base::checked_multiply(elements, size_of(type), what);
    return base::aligned_bytes(base::checked_add(exact, base::workspace_alignment, what) -
                               base::workspace_alignment);
}

double seconds_of_sum(const relocation &move, tensor_id tensor, data_type type, double whole,
                      const cost_model &model, const plan_environment &environment) {
    return choose_sum(problem_of_sum(move, tensor, type, whole), model, environment).seconds;
}

input_move::input_move(const moved_operand &what, const cost_model &model,
                       const plan_environment &environment, std::optional<part_of_tensor> part)
    : bytes_(workspace_for(what.move.elements, what.to)), type_(what.to) {
    const relocation &move = what.move;
    const extents_t extents = extents_of(move.modes);
    if (move.summed.empty())
        permute_ = plan_copy({what.from, layout(extents, strides_of(move.modes, what.tensor))},
                             {what.to, layout(extents, move.new_stride)}, environment, part,
                             next_reader::product);
    else
        sum_ = plan_sum(move, what.tensor, what.from, model, environment);
}

std::size_t input_move::footprint() const noexcept {
    return sum_ == nullptr ? internals::of(*permute_).footprint() : sum_->footprint();
}

void input_move::run(const void *from, std::byte *to, std::byte *scratch) const noexcept {
    if (sum_ != nullptr)
        sum_->execute({1.0, from, base::one_of(type_), 0.0, to}, to, scratch);
    else // Pointers and overlap were checked for the whole contraction: this cannot fail.
        static_cast<void>(permute_->execute(1.0, from, 0.0, to));
}

transpose_plan plan_move_back(const moved_output &what, const plan_environment &environment,
                              std::optional<part_of_tensor> part) {
    const auto &[move, problem] = what;
    const extents_t extents = extents_of(move.modes);
    return plan_copy({problem.computed, layout(extents, move.new_stride)},
                     {problem.type[D], layout(extents, strides_of(move.modes, D))}, environment,
                     part, next_reader::caller);
}

transpose_plan plan_move_of_c(const moved_output &what, const plan_environment &environment) {
    const auto &[move, problem] = what;
    const extents_t extents = extents_of(move.modes);
    // The product adds to it next.
    constexpr part_of_tensor part{.bypass_caches = false, .bytes = 0};
    return plan_copy(
        {problem.type[C], layout(extents, strides_of(move.modes, C)), problem.conjugate[C]},
        {problem.computed, layout(extents, move.new_stride)}, environment, part,
        next_reader::product);
}

bool move_alike(const relocation &one, const relocation &other, tensor_id tensor) noexcept {
    const auto alike = [tensor](const problem_mode &x, const problem_mode &y) {
        return x.extent == y.extent && x.stride[tensor] == y.stride[tensor];
    };
    return one.elements == other.elements && one.new_stride == other.new_stride &&
           std::equal(one.modes.begin(), one.modes.end(), other.modes.begin(), other.modes.end(),
                      alike) &&
           std::equal(one.summed.begin(), one.summed.end(), other.summed.begin(),
                      other.summed.end(), alike);
}

std::string converted(data_type from, data_type to) {
    return from == to ? "" : " in " + std::string(name(to));
}

std::string name_of(const relocation &move) {
    return move.modes.empty() ? "a scalar" : einsum_impl::labels_of(move.modes);
}

} // namespace tenfold::contract_impl

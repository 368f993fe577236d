#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include <tenfold/dist_mixed_plan.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "distributed/plan/bounds.hpp"
#include "distributed/plan/contraction_planner.hpp"
#include "distributed/plan/copies.hpp"
#include "distributed/plan/costs.hpp"
#include "distributed/plan/grid_search.hpp"
#include "distributed/plan/hash.hpp"
#include "distributed/plan/local_plans.hpp"
#include "distributed/plan/nodes.hpp"
#include "distributed/plan/plan_state.hpp"
#include "distributed/plan/rank_survey.hpp"
#include "distributed/plan/steps.hpp"
#include "einsum/problem/checks.hpp"
#include "reproducible/finish.hpp"

namespace tenfold {
namespace dist_impl {

bool plan_state::multiplies() const noexcept {
    return factors.multiplies &&
           std::none_of(problem->labels.begin(), problem->labels.end(), [](const auto &label) {
               return label.extent == 0 && label.group != label_class::batch &&
                      label.group != label_class::m && label.group != label_class::n;
           });
}

bool plan_state::in_place(tensor_id operand, const distribution &wanted) const {
    const operand_labels &labels = problem->operands[operand];
    return labels.modes == labels.distinct && same_blocks(given[operand], wanted);
}

namespace {

/// Returns the words of A and B that one step needs on the rank with the largest block.
index_t step_panel_words(const plan_state &plan) {
    index_t words = 0;
    for (const tensor_id operand : {A, B}) {
        index_t part = operand == B && plan.problem->unary ? 0 : 1;
        for (const index_t extent :
             plan.where.largest_step(operand, static_cast<int>(plan.where.grid().size()) - 1))
            part = base::saturated_multiply(part, extent);
        words =
            base::saturated_add(words, base::saturated_multiply(part, plan.words.product[operand]));
    }
    return words;
}

/// Returns the limit for local workspace: what memory_per_rank leaves beside everything else.
std::optional<byte_count> workspace_limit_of(const plan_state &plan) {
    const auto &[memory, given] =
        std::tie(plan.options.memory_per_rank, plan.options.workspace_limit);
    if (!memory)
        return given;
    const byte_count left = bytes(memory->value - peak_bytes(plan, plan.where));
    return given ? std::min(*given, left) : left;
}

/// Returns what ranks hold of the inputs beyond one copy of each: words per rank in the mean.
double words_in_further_copies(const plan_state &plan) {
    double words = 0;
    for (const tensor_id operand : {A, B}) {
        if (operand == B && plan.problem->unary)
            break;
        double copy = plan.given[operand].copies() - 1;
        for (const int label : plan.problem->panel_labels(operand))
            copy *=
                static_cast<double>(plan.problem->labels[static_cast<std::size_t>(label)].extent);
        words += copy;
    }
    return words / plan.ranks;
}

/// Returns 1 where both are 0.
double ratio(byte_count received, byte_count bound) noexcept {
    return bound.value > 0 ? static_cast<double>(received.value) / static_cast<double>(bound.value)
           : received.value == 0 ? 1.0
                                 : std::numeric_limits<double>::infinity();
}

void fill_costs(plan_state &plan, given_operands &operands) {
    dist_plan_summary &s = plan.summary;
    s.ranks = plan.ranks;
    s.grid = plan.where.grid();
    s.batch = plan.problem->size_of(label_class::batch);
    s.m = plan.problem->size_of(label_class::m);
    s.n = plan.problem->size_of(label_class::n);
    s.k = plan.problem->size_of(label_class::k);
    const double per_multiply_add = flops_per_multiply_add(plan.type);
    s.flops = per_multiply_add * static_cast<double>(s.batch) * static_cast<double>(s.m) *
              static_cast<double>(s.n) * static_cast<double>(s.k);

    const index_t word = plan.words.bytes;
    const of_operands &moved = plan.words.moved;
    index_t received = 0;
    index_t redistributed = 0;
    index_t copied = 0;
    s.flops_per_rank = 0;
    std::vector<std::array<index_t, 3>> pieces; // elements, by kind of rank
    const auto visit = [&](const visited_rank &one) {
        if (one.kind == pieces.size()) { // the first of its kind
            received = std::max(received, plan.where.words_received(one.rank, plan.words.product));
            s.flops_per_rank =
                std::max(s.flops_per_rank, per_multiply_add * plan.where.multiply_adds(one.rank));
            pieces.emplace_back();
            for (const tensor_id operand : all_but_c)
                if (operand != B || !plan.problem->unary)
                    pieces.back()[operand] = plan.where.whole_piece_of(operand, one.rank).size();
        }
        const std::array<index_t, 3> &piece = pieces[one.kind];
        const index_t to_d = (one.given[D] - one.shared[D]) * moved[D];
        redistributed = std::max(redistributed, (piece[A] - one.shared[A]) * moved[A] +
                                                    (piece[B] - one.shared[B]) * moved[B] + to_d);
        if (plan.given[D].copy_of(one.rank) > 0)
            copied = std::max(copied, to_d);
    };
    if (plan.multiplies())
        rank_survey(plan, plan.where).for_each(visit);
    s.bytes_received = bytes(received * word);
    s.redistribution = bytes(redistributed * word);
    s.keeping_copies_equal = bytes(copied * word);
    s.ranks_per_node = plan.where.choice().ranks_per_node;
    if (plan.multiplies())
        s.between_nodes = bytes(base::saturated_multiply(
            word, words_between_nodes(plan.where, plan.problem->unary, plan.words.product)));
    s.total_received = bytes(base::saturated_add(s.bytes_received.value, s.redistribution.value));
    plan.seconds = plan.price.multiplying(plan.type, s.flops_per_rank / per_multiply_add) +
                   panel_seconds(plan, plan.where.choice().teams(), static_cast<double>(received)) +
                   between_nodes_seconds(plan, plan.where.choice()) +
                   redistribution_seconds(plan, redistributions(plan, operands),
                                          plan.where.choice(), redistributed);
}

void fill_memory(plan_state &plan, const context *ctx) {
    dist_plan_summary &s = plan.summary;
    const index_t element = plan.words.bytes; // bounds hold for elements of the smallest type
    const peak_memory peak = peak_of(plan, ctx);
    s.workspace = bytes(peak.workspace);
    s.peak = bytes(peak.bytes);
    const step_index &steps = plan.where.step_counts();
    s.steps = {steps[0], steps[1], steps[2], steps[3]};
    s.leaves = plan.reproducible() ? plan.leaves.count() : 0;
    s.panels = bytes(base::saturated_multiply(step_panel_words(plan), element));

    std::optional<double> memory;
    if (plan.options.memory_per_rank)
        memory =
            static_cast<double>(plan.options.memory_per_rank->value) / static_cast<double>(element);
    // With a single input, the best layout needs no communication.
    const double held = words_in_further_copies(plan);
    const communication_bound bound =
        plan.problem->unary
            ? communication_bound{}
            : lower_bound(s.batch, s.m, s.n, s.k, plan.ranks, memory).less_held(held);
    s.bound = bytes(std::llround(bound.words * static_cast<double>(element)));
    s.bound_is_memory_dependent = bound.memory_dependent;
    const auto bytes_of = [element](double words) {
        return bytes(std::llround(words * static_cast<double>(element)));
    };
    s.memory_independent_bound = bytes_of(bound.independent_words);
    if (!plan.problem->unary) // without a limit, use what the plan takes
        s.memory_dependent_bound =
            bytes_of(lower_bound(s.batch, s.m, s.n, s.k, plan.ranks,
                                 static_cast<double>(plan.options.memory_per_rank
                                                         ? plan.options.memory_per_rank->value
                                                         : s.peak.value) /
                                     static_cast<double>(element))
                         .less_held(held)
                         .dependent_words);
    s.ratio_to_bound = ratio(s.bytes_received, s.bound);
    s.total_ratio_to_bound = ratio(s.total_received, s.bound);
}

std::uint64_t hash_of(const plan_state &plan) {
    hasher hash;
    hash.add(plan.spec.to_string()).add(plan.type).add(plan.ranks);
    for (const data_type type : plan.types.stored)
        hash.add(type);
    const dist_options &o = plan.options;
    const factor_kinds &factors = plan.factors;
    hash.add(factors.multiplies).add(factors.keeps_a).add(factors.adds).add(factors.keeps_d);
    plan.price.add_to(hash);
    hash.add(o.conj_a).add(o.conj_b).add(o.diagonal_output).add(o.algorithm).add(o.tuning);
    hash.add(plan.reproducible());
    if (o.ranks_per_node > 0)
        hash.add(o.ranks_per_node);
    hash.add(o.backend ? 1 + static_cast<int>(*o.backend) : 0);
    hash.add(o.workspace_limit ? o.workspace_limit->value : index_t{-1});
    hash.add(o.memory_per_rank ? o.memory_per_rank->value : index_t{-1});
    const layout_choice &choice = plan.where.choice();
    hash.add(choice.steps).add(choice.sum_mode).add(choice.sum_parts);
    const processor_grid &grid = choice.grid;
    hash.add(grid.batch).add(grid.m).add(grid.n).add(grid.k);
    for (std::size_t operand = 0; operand < 3; ++operand)
        hash.add(plan.given[operand].hash()).add(plan.pieces[operand].hash());
    return hash.value();
}

} // namespace
} // namespace dist_impl

const dist_plan_summary &dist_plan::summary() const noexcept { return state_->summary; }

const distribution &dist_plan::layout_of(int which) const {
    const int count = state_->problem->unary ? 2 : 3;
    if (which < 0 || which >= count)
        throw error(errc::invalid_argument,
                    "operand " + std::to_string(which) + " of " + std::to_string(count));
    return state_->pieces[state_->operand_at(which)];
}

std::uint64_t dist_plan::hash() const noexcept { return state_->hash; }

namespace {

void check_choices(dist_impl::operand_types types, const dist_options &options) {
    for (const data_type type : types)
        if (!is_integer(type))
            base::check_enumerator(type, "the element type");
    base::check_threads(options.threads);
    if (options.ranks_per_node < 0)
        throw error(errc::invalid_argument, "ranks_per_node is " +
                                                std::to_string(options.ranks_per_node) +
                                                "; it is 0 or more");
    base::check_enumerator(options.algorithm, "algorithm");
    base::check_enumerator(options.tuning, "tuning");
    if (options.backend)
        base::check_enumerator(*options.backend, "backend");
    if (options.workspace_limit)
        base::check_workspace_limit(*options.workspace_limit);
}

} // namespace

dist_plan make_dist_plan(const contraction_spec &spec, data_type type,
                         std::span<const distribution> operands, const dist_options &options) {
    return make_dist_plan(spec, std::vector(operands.size(), type), operands, options);
}

dist_plan make_dist_plan(const contraction_spec &spec, std::span<const data_type> types,
                         std::span<const distribution> operands, const dist_options &options) {
    return dist_impl::plan_at(dist_impl::prices::of(options), spec, types, operands, options);
}

namespace {

using state_of_plan = internals::state_of<dist_plan>;

/// A plan of which all is known that does not depend on where operands lie.
state_of_plan plan_without_layouts(const dist_impl::prices &price, const contraction_spec &spec,
                                   dist_impl::operand_types types,
                                   std::span<const distribution> operands,
                                   const dist_options &options) {
    using namespace dist_impl;
    check_choices(types, options);
    std::vector<extents_t> extents;
    for (const distribution &operand : operands) {
        extents.push_back(operand.extents());
        if (operand.ranks() != operands.front().ranks())
            throw error(errc::invalid_argument,
                        "operands are spread over " + std::to_string(operands.front().ranks()) +
                            " and " + std::to_string(operand.ranks()) + " ranks");
    }

    state_of_plan plan{};
    plan.problem = std::make_shared<const labelled_problem>(
        label_problem(spec, types, extents, options.diagonal_output));
    check_shared_names(spec, types, operands);
    const data_type type = einsum_impl::type_of_sums(spec, types[0], types.back(), false);
    plan.spec = spec;
    plan.type = type;
    plan.types = tensor_types(*plan.problem, types, type);
    plan.words = plan.types.words();
    plan.ranks = operands.front().ranks();
    plan.options = options;
    if (const auto &step = options.step;
        step && std::min({step->batch, step->m, step->n, step->k}) < 1)
        throw error(errc::invalid_argument, "steps of no positions; 1 is the least");
    plan.options.ctx = nullptr; // a plan may outlive its context
    plan.options.control = nullptr;
    plan.options.epilogue = nullptr;
    plan.options.alpha = 1.0; // one plan serves other factors, too
    plan.options.beta = std::nullopt;
    if (options.ranks_per_node >= plan.ranks) // one node
        plan.options.ranks_per_node = 0;
    if (is_integer(type)) // sums are exact in any order
        plan.options.reproducible = false;
    plan.factors = factor_kinds::of(
        scale_factors_of(spec, einsum_impl::type_of_sums(types.back(), false), options),
        plan.reproducible());
    plan.price = price;
    if (plan.reproducible()) {
        reproducible_impl::check_choices(options.algorithm,
                                         options.backend.value_or(backend::native));
        plan.leaves = reproducible_impl::leaf_grid(*plan.problem);
    }
    return plan;
}

} // namespace

namespace dist_impl {

contraction_planner::contraction_planner(const prices &price, const contraction_spec &spec,
                                         operand_types types,
                                         std::span<const distribution> operands,
                                         const dist_options &options)
    : known_(plan_without_layouts(price, spec, types, operands, options)),
      cuts_(*known_.problem, known_.reproducible() ? &known_.leaves : nullptr, known_.ranks),
      ctx_(options.ctx) {}

std::shared_ptr<state_of_plan>
contraction_planner::begin(std::span<const distribution> operands) const {
    auto plan = std::make_shared<state_of_plan>(known_);
    plan->given[A] = operands.front();
    plan->given[D] = operands.back();
    plan->given[B] = plan->problem->unary ? distribution({}, {}, plan->ranks) : operands[1];
    return plan;
}

std::vector<priced_grid> contraction_planner::grids(std::span<const distribution> operands) const {
    const std::shared_ptr<const state_of_plan> plan = begin(operands);
    std::vector<priced_grid> grids = grid_bounds(*plan, cuts_).unsorted();
    if (!plan->multiplies())
        for (priced_grid &one : grids)
            one = {one.grid, 0, 0, 0};
    return grids;
}

dist_plan contraction_planner::plan(std::span<const distribution> operands,
                                    const std::optional<processor_grid> &grid,
                                    plan_detail detail) const {
    const std::shared_ptr<state_of_plan> plan = begin(operands);
    plan->options.grid = grid;
    plan->where = choose_layouts(*plan, cuts_, tables_);
    for (const tensor_id operand : all_but_c)
        plan->pieces[operand] = plan->where.pieces(operand, plan->ranks);
    fill_costs(*plan, tables_.operands);
    if (detail == plan_detail::all) {
        plan->workspace_limit = workspace_limit_of(*plan);
        fill_memory(*plan, ctx_);
        plan->hash = hash_of(*plan);
    }
    return internals::from<dist_plan>(plan);
}

dist_plan plan_at(const prices &price, const contraction_spec &spec, operand_types types,
                  std::span<const distribution> operands, const dist_options &options) {
    return contraction_planner(price, spec, types, operands, options)
        .plan(operands, options.grid, plan_detail::all);
}

} // namespace dist_impl

dist_plan make_dist_plan(const contraction_spec &spec, data_type type,
                         std::span<const extents_t> extents, int ranks,
                         const dist_options &options) {
    std::vector<distribution> operands;
    for (const extents_t &one : extents)
        operands.push_back(distribution::block(one, ranks));
    if (operands.empty())
        throw error(errc::invalid_argument, "a contraction without tensors");
    return make_dist_plan(spec, type, operands, options);
}

} // namespace tenfold

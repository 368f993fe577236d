#include "distributed/plan/local_plans.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "base/context_of.hpp"
#include "base/scalars.hpp"
#include "base/sum_types.hpp"
#include "contract/front/plan_state.hpp"
#include "distributed/plan/buffers.hpp"
#include "distributed/plan/leaf_boxes.hpp"
#include "reproducible/finish.hpp"

namespace tenfold::dist_impl {
namespace {

using reproducible_impl::tile_budget;

/// Everything that a rank's local plans depend on.
using local_kind = std::array<std::size_t, 4>;

local_kind local_kind_of(const plan_state &plan, const visited_rank &rank) {
    const layouts &where = plan.where;
    const auto place = [&](tensor_id operand) { // steps in turns
        return where.steps_cut_pieces(operand)
                   ? static_cast<std::size_t>(where.place_in_team(operand, rank.rank))
                   : 0;
    };
    // Leaves depend on the position along k.
    const int along_k = plan.reproducible() ? where.position_of(rank.rank)[3] : 0;
    return {rank.kind, place(A), plan.problem->unary ? 0 : place(B),
            static_cast<std::size_t>(along_k)};
}

index_t workspace_of(const plan_state &plan, int rank, const contract_options &options) {
    return base::with_sum_type(plan.type, [&]<class T>(T) {
        return local_plans<T>(plan, rank, options, local_plans<T>::purpose::dry_run)
            .workspace_size();
    });
}

} // namespace

contract_options local_options(const plan_state &plan) {
    const dist_options &options = plan.options;
    contract_options local;
    local.algorithm = plan.reproducible() ? algorithm::automatic : options.algorithm;
    local.tuning = options.tuning;
    local.backend = options.backend;
    local.reproducible = false; // leaves are; else every method gives the same bits
    local.threads = options.threads;
    local.workspace_limit = plan.workspace_limit;
    return local;
}

template <class T> local_plans<T>::local_plans(const plan_state &plan, int rank,
                                               const contract_options &options, purpose why)
    : plan_(plan), rank_(rank), steps_(plan, rank, why == purpose::dry_run), options_(options) {
    plan_sum(A, sum_a);
    if (!plan.problem->unary)
        plan_sum(B, sum_b);
    if (plan.reproducible() && !rounds_once())
        plan_leaves();
    else
        plan_products();
}

template <class T> void local_plans<T>::plan_sum(tensor_id operand, sum_over_labels &sum) {
    const operand_labels &labels = plan_.problem->operands[operand];
    const std::vector<int> &panel = plan_.where.panel_labels(operand);
    const slice whole = plan_.where.whole_piece_of(operand, rank_);
    if (panel.size() == labels.distinct.size() || whole.none)
        return;
    if (plan_.reproducible()) {
        for (tile_budget tiles;; tiles = tiles.halved()) {
            sum.reproducible.emplace(*plan_.problem, operand, plan_.types.stored[operand],
                                     whole.extents, layout(whole.extents).strides(),
                                     options_.threads, base::context_of(options_), tiles);
            if (sum.reproducible->workspace_size() <= limit() || !tiles.can_shrink())
                break;
        }
        return needs(sum.reproducible->workspace_size());
    }
    const input given(plan_.types.stored[operand], nullptr, layout(whole.extents));
    const output summed(data_type_of<T>, nullptr,
                        layout(plan_.where.piece_of(operand, rank_).extents));
    sum.plan = make_plan(make_spec(plan_, {labels.distinct}, panel), {&given, 1}, summed, summed,
                         options_);
    needs(sum.plan->workspace_size().value);
}

template <class T> bool local_plans<T>::rounds_once() const {
    using number = leaf_type<T>;
    if (!plan_.problem->unary || !plan_.problem->group(label_class::k).empty())
        return false;
    const bool is_straight = plan_.in_place(D) && !steps_.sums() && !plan_.types.rounds_d();
    const factor_kinds &factors = plan_.factors;
    const number another(2); // stands for all factors that are neither 0 nor 1
    const number beta = !is_straight || !factors.adds ? number(0)
                        : factors.keeps_d             ? number(1)
                                                      : another;
    return reproducible_impl::rounds_once(factors.keeps_a ? number(1) : another, beta);
}

template <class T> void local_plans<T>::plan_products() {
    products.emplace(plan_, options_);
    const bool several = plan_.where.step_counts() != step_index{1, 1, 1, 1};
    steps_.for_each_step([&](const step_index &step) {
        const element_places a = steps_.part(A, step);
        const element_places b = steps_.part(B, step);
        const element_places d = steps_.product(step);
        const auto prepare = [&](const product_boxes &boxes, bool) {
            products->prepare(boxes, {a.strides, b.strides, d.strides});
        };
        steps_.for_each_product(step, false, prepare);
        if (several)
            steps_.for_each_product(step, true, prepare);
    });
    needs(products->workspace_size());
}

/// Plans with the largest tiles that fit the workspace.
template <class T> void local_plans<T>::plan_leaves() {
    what.emplace(*plan_.problem, reproducible_impl::product_kind{.conj_a = plan_.options.conj_a,
                                                                 .conj_b = plan_.options.conj_b,
                                                                 .type_a = plan_.types.panel[A],
                                                                 .type_b = plan_.types.panel[B]});
    for (tile_budget budget;; budget = budget.halved()) {
        leaves.emplace(*what, options_.threads, base::context_of(options_), budget);
        steps_.for_each_step([&](const step_index &step) {
            steps_.for_each_sum(step, [&](const product_boxes &boxes) {
                const auto summand = [&](tensor_id operand) {
                    return summand_of(*what, plan_.where, operand, steps_.part(operand, step),
                                      plan_.types.panel[operand]);
                };
                leaves->prepare(label_box_of(*what, plan_.where, boxes), summand(A), summand(B));
            });
        });
        if (leaves->workspace_size() <= limit())
            return needs(leaves->workspace_size());
        if (!budget.can_shrink())
            throw contract_impl::workspace_refusal("a reproducible contraction",
                                                   bytes(leaves->workspace_size()), bytes(limit()));
    }
}

#define TENFOLD_INSTANTIATE(T, name) template class local_plans<T>;
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

peak_memory peak_of(const plan_state &plan, const context *ctx) {
    contract_options options = local_options(plan);
    options.tuning = tuning::estimate; // a dry run measures nothing
    options.ctx = ctx;
    if (options.threads == 0)
        options.threads = base::context_or_global(ctx).threads();
    const bool multiplies = plan.multiplies(); // else D is scaled where it lies
    std::map<local_kind, index_t> known;
    peak_memory peak{0, 0};
    const memory_of memory(plan, plan.where);
    memory.for_each(plan.where, [&](const visited_rank &one, const rank_memory &bytes) {
        index_t workspace = 0;
        if (multiplies && plan.where.takes_part(one.rank)) {
            const auto [found, is_new] = known.try_emplace(local_kind_of(plan, one), 0);
            if (is_new)
                found->second = workspace_of(plan, one.rank, options);
            workspace = found->second;
        }
        peak.workspace = std::max(peak.workspace, workspace);
        peak.bytes = std::max(peak.bytes, bytes.peak(workspace));
    });
    return peak;
}

} // namespace tenfold::dist_impl

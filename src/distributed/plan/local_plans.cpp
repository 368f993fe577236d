#include "distributed/plan/local_plans.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

#include "base/checked.hpp"
#include "distributed/plan/buffers.hpp"

namespace tenfold::dist_impl {
namespace {

/// The budget if nothing limits the workspace.
constexpr tile_budget usual_tiles{index_t{1} << 20, index_t{1} << 20};

/// Returns everything that a rank's local plans depend on.
std::vector<index_t> shape_of(const plan_state &plan, int rank) {
    const layouts &where = plan.where;
    std::vector<index_t> shape;
    const auto add = [&](const slice &box) {
        shape.insert(shape.end(), box.extents.begin(), box.extents.end());
        shape.push_back(box.none ? 1 : 0);
    };
    for (const operand_id operand : {operand_a, operand_b, operand_d}) {
        if (operand == operand_b && plan.problem->unary)
            continue;
        add(where.panel_of(operand, rank));
        add(where.whole_piece_of(operand, rank));
        if (operand != operand_d && where.steps_cut_pieces(operand)) // steps in turns depend on the
                                                                     // place
            shape.push_back(where.place_in_team(operand, rank));
    }
    if (plan.reproducible()) // leaves depend on the position along k
        shape.push_back(where.position_of(rank)[3]);
    return shape;
}

template <class T>
index_t workspace_of(const plan_state &plan, int rank, const contract_options &options) {
    return local_plans<T>(plan, rank, options, local_plans<T>::purpose::dry_run).workspace_size();
}

index_t workspace_of(const plan_state &plan, int rank, const contract_options &options) {
    switch (plan.type) {
    case data_type::f32:
        return workspace_of<float>(plan, rank, options);
    case data_type::c32:
        return workspace_of<c32>(plan, rank, options);
    case data_type::c64:
        return workspace_of<c64>(plan, rank, options);
    default: // all four types are handled above
        return workspace_of<double>(plan, rank, options);
    }
}

} // namespace

contract_options local_options(const plan_state &plan) {
    const dist_options &options = plan.options;
    contract_options local;
    local.algorithm = options.algorithm;
    local.tuning = options.tuning;
    local.backend = options.backend;
    local.threads = options.threads;
    local.workspace_limit = plan.workspace_limit;
    return local;
}

template <class T> local_plans<T>::local_plans(const plan_state &plan, int rank,
                                               const contract_options &options, purpose why)
    : plan_(plan), rank_(rank), steps_(plan, rank, why == purpose::dry_run), options_(options) {
    plan_sum(operand_a, sum_a);
    if (!plan.problem->unary)
        plan_sum(operand_b, sum_b);
    if (plan.reproducible() && !rounds_once())
        plan_leaves();
    else
        plan_products();
}

template <class T> void local_plans<T>::plan_sum(operand_id operand, sum_over_labels &sum) {
    const operand_labels &labels = plan_.problem->operands[operand];
    const std::vector<int> &panel = plan_.where.panel_labels(operand);
    const slice whole = plan_.where.whole_piece_of(operand, rank_);
    if (panel.size() == labels.distinct.size() || whole.none)
        return;
    if (plan_.reproducible()) {
        tile_budget tiles = usual_tiles;
        do {
            sum.reproducible.emplace(plan_, operand, whole, options_.threads, context_of(), tiles);
            tiles = tiles.halved();
        } while (sum.reproducible->workspace_size() > limit() && tiles.copies > 0);
        return needs(sum.reproducible->workspace_size());
    }
    const input given(data_type_of<T>, nullptr, layout(whole.extents));
    const output summed(data_type_of<T>, nullptr,
                        layout(plan_.where.piece_of(operand, rank_).extents));
    sum.plan = make_plan(make_spec(plan_, {labels.distinct}, panel), {&given, 1}, summed, summed,
                         options_);
    needs(sum.plan->workspace_size().value);
}

template <class T> bool local_plans<T>::rounds_once() const {
    if (!plan_.problem->unary || !plan_.problem->group(label_class::k).empty())
        return false;
    const T alpha = narrow<T>(plan_.alpha);
    const T beta = narrow<T>(plan_.beta);
    // alpha a rounds a real number once; so does beta d + alpha a if neither product rounds.
    const bool copies = alpha == T(1);
    const bool scales = copies || !is_complex(data_type_of<T>);
    const bool is_straight = plan_.in_place(operand_d) && !steps_.sums();
    return is_straight && beta != T(0) ? copies && beta == T(1) : scales;
}

template <class T> void local_plans<T>::plan_products() {
    products.emplace(plan_, options_);
    const bool several = plan_.where.step_counts() != step_index{1, 1, 1, 1};
    steps_.for_each_step([&](const step_index &step) {
        const placement<const T> a = steps_.part<T>(operand_a, step);
        const placement<const T> b = steps_.part<T>(operand_b, step);
        const placement<T> d = steps_.product<T>(step);
        const auto prepare = [&](const product_boxes &boxes, bool) {
            products->prepare(boxes, a, b, d);
        };
        steps_.for_each_product(step, false, prepare);
        if (several)
            steps_.for_each_product(step, true, prepare);
    });
    needs(products->workspace_size());
}

/// Plans with the largest tiles that fit the workspace.
template <class T> void local_plans<T>::plan_leaves() {
    for (tile_budget budget = usual_tiles;; budget = budget.halved()) {
        leaves.emplace(plan_, options_.threads, context_of(), budget);
        steps_.for_each_step([&](const step_index &step) {
            steps_.for_each_sum(step, [&](const product_boxes &boxes) {
                leaves->prepare(boxes, steps_.part<T>(operand_a, step),
                                steps_.part<T>(operand_b, step));
            });
        });
        if (leaves->workspace_size() <= limit())
            return needs(leaves->workspace_size());
        if (budget.sums < 2)
            throw error(errc::workspace_too_small, "a reproducible contraction needs at least " +
                                                       std::to_string(leaves->workspace_size()) +
                                                       " bytes of workspace, but the limit is " +
                                                       std::to_string(limit()));
    }
}

template class local_plans<float>;
template class local_plans<double>;
template class local_plans<c32>;
template class local_plans<c64>;

peak_memory peak_of(const plan_state &plan, const context *ctx) {
    contract_options options = local_options(plan);
    options.tuning = tuning::estimate; // a dry run measures nothing
    options.ctx = ctx;
    if (options.threads == 0)
        options.threads = (ctx != nullptr ? *ctx : context::global()).threads();
    const bool multiplies = plan.alpha != scalar(0); // otherwise D is scaled in place
    std::map<std::vector<index_t>, index_t> known;
    peak_memory peak{0, 0};
    const memory_of memory(plan, plan.where);
    for (int rank = 0; rank < plan.ranks; ++rank) {
        index_t workspace = 0;
        if (multiplies && plan.where.takes_part(rank)) {
            const auto [found, is_new] = known.try_emplace(shape_of(plan, rank), 0);
            if (is_new)
                found->second = workspace_of(plan, rank, options);
            workspace = found->second;
        }
        peak.workspace = std::max(peak.workspace, workspace);
        peak.bytes =
            std::max(peak.bytes, base::saturated_add(memory.of_rank(plan.where, rank), workspace));
    }
    return peak;
}

} // namespace tenfold::dist_impl

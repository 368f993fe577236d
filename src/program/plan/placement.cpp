// Where tensors of a program lie.
#include "base/checked.hpp"
#include "program/plan/plan_state.hpp"

namespace tenfold::program_impl {
namespace {

/// The memory that copies may take if nobody says: a quarter more than without.
byte_count usual_memory(const plan_state &plan) {
    index_t total = 0;
    for (const auto &[name, life] : plan.lifetimes) {
        const distribution spread = distribution::block(plan.all.extents.at(name), plan.ranks);
        total = base::saturated_add(
            total,
            base::saturated_multiply(spread.largest_block(), static_cast<index_t>(sizeof(double))));
    }
    return bytes(base::saturated_add(total, total / 4));
}

/// The two tensors of pairs that a line makes or reads lie as the first one of them does.
void lay_matrices_alike(const plan_state &plan, layout_map &layouts) {
    std::map<std::string, std::string> like; // by the tensor that follows
    const auto leader = [&](std::string name) {
        for (auto at = like.find(name); at != like.end(); at = like.find(name))
            name = at->second;
        return name;
    };
    for (const step &one : plan.all.steps)
        if (const auto *const packing = std::get_if<packing_step>(&one.what);
            packing != nullptr && packing->makes_matrices()) {
            const std::string first = leader(packing->packed[0]);
            const std::string second = leader(packing->packed[1]);
            if (first != second)
                like.emplace(second, first);
        }
    for (const auto &[name, other] : like)
        layouts.at(name) = layouts.at(leader(name));
}

} // namespace

distribution layout_of_scalars(int ranks) { return distribution::replicated({}, ranks, ranks); }

layout_map choose_layouts(const plan_state &plan) {
    std::vector<shared_expression> expressions;
    for (const step &one : plan.all.steps)
        if (const auto *const product = std::get_if<contraction_step>(&one.what))
            expressions.emplace_back(product->expression, plan.all.lines[one.line].times);
    layout_map found;
    if (plan.ranks > 1 && !expressions.empty()) {
        copies_allowed copies = plan.options.copies;
        if (copies.any && !copies.memory_per_rank)
            copies.memory_per_rank = usual_memory(plan);
        found = plan_layouts(expressions, plan.all.extents, data_type::f64, plan.ranks,
                             plan.options.contraction, copies)
                    .of;
    }
    layout_map layouts;
    for (const auto &[name, life] : plan.lifetimes) {
        const extents_t &extents = plan.all.extents.at(name);
        const auto known = found.find(name);
        if (plan.all.vectors.count(name) > 0)
            layouts.emplace(name, distribution::replicated(extents, plan.ranks, plan.ranks));
        else if (known != found.end())
            layouts.emplace(name, known->second);
        else
            layouts.emplace(name, distribution::block(extents, plan.ranks));
    }
    lay_matrices_alike(plan, layouts);
    return layouts;
}

} // namespace tenfold::program_impl

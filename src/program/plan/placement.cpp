// Where tensors of a program lie.
#include "base/checked.hpp"
#include "distributed/plan/box_traffic.hpp"
#include "distributed/plan/slice.hpp"
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

void check_given_layouts(const plan_state &plan) {
    for (const auto &[name, spread] : plan.options.layouts) {
        const std::string what = "layouts: '" + name + "' ";
        const auto known = plan.all.extents.find(name);
        if (known == plan.all.extents.end() || known->second.empty())
            throw error(errc::invalid_argument, what + "is no tensor of the program");
        if (spread.extents() != known->second)
            throw error(errc::extent_mismatch,
                        what + "has " + spread.describe() + ", expected extents " +
                            dist_impl::list(known->second),
                        {.first = {.name = name}});
        if (spread.ranks() != plan.ranks)
            throw error(errc::invalid_argument, what + "lies on " + std::to_string(spread.ranks()) +
                                                    " ranks; the plan is for " +
                                                    std::to_string(plan.ranks));
        if (plan.all.vectors.count(name) > 0 && !dist_impl::is_everywhere(spread))
            throw error(errc::invalid_argument,
                        what + "is a divisor, of which every rank needs all: expected one cell "
                               "and as many copies as ranks");
    }
    const layout_map &given = plan.options.layouts;
    for (const step &one : plan.all.steps) {
        const auto *const packing = std::get_if<packing_step>(&one.what);
        if (packing == nullptr || !packing->makes_matrices() ||
            given.count(packing->packed[1]) == 0)
            continue;
        const auto first = given.find(packing->packed[0]);
        if (first == given.end() || !(first->second == given.at(packing->packed[1])))
            throw error(errc::invalid_argument, "layouts: '" + packing->packed[1] +
                                                    "' is packed beside '" + packing->packed[0] +
                                                    "': expected the same for both");
    }
}

layout_map choose_layouts(const plan_state &plan) {
    const layout_map &given = plan.options.layouts;
    std::vector<shared_expression> expressions;
    bool are_given = true;
    for (const step &one : plan.all.steps)
        if (const auto *const product = std::get_if<contraction_step>(&one.what)) {
            expressions.emplace_back(product->expression, plan.all.lines[one.line].times);
            for (const std::string &name : tensors_of(one, plan.all))
                are_given = are_given && given.count(name) > 0;
        }
    layout_map found;
    if (plan.ranks > 1 && !are_given) {
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
        if (const auto told = given.find(name); told != given.end())
            layouts.emplace(name, told->second);
        else if (plan.all.vectors.count(name) > 0)
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

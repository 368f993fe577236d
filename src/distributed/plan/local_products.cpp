#include "distributed/plan/local_products.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <tenfold/context.hpp>

#include "base/context_of.hpp"
#include "base/plan_cache.hpp"
#include "contract/front/plan_state.hpp"
#include "distributed/plan/slice.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::dist_impl {
namespace {

/// Returns everything that a local plan depends on except the context, which owns the cache.
/// Distributed contractions repeat, and their local plans take up to 0.4 ms.
base::plan_key key_of(const plan_state &plan, const contract_options &options,
                      const std::vector<std::vector<int>> &labels,
                      const std::vector<index_t> &shape) {
    base::plan_key key;
    key.add("a rank's product"); // contract() has a number in this place of its keys
    const auto add = [&key](auto value) { key.add(static_cast<std::uint64_t>(value)); };
    const auto add_all = [&](const auto &numbers) {
        add(numbers.size());
        for (const auto number : numbers)
            add(number);
    };
    add(labels.size());
    for (const std::vector<int> &operand : labels)
        add_all(operand);
    add_all(shape);
    for (const bool yes : {plan.options.conj_a, plan.options.conj_b})
        add(yes);
    for (const data_type type : plan.types.panel)
        add(type);
    add(options.algorithm);
    add(options.tuning);
    add(options.threads);
    add(options.backend ? 1 + static_cast<int>(*options.backend) : 0);
    add(options.workspace_limit ? options.workspace_limit->value : index_t{-1});
    if (!base::context_of(options).settings().wisdom.empty())
        add(tuning_impl::wisdom_learned());
    return key;
}

} // namespace

contraction_spec make_spec(const plan_state &plan, std::vector<std::vector<int>> inputs,
                           std::vector<int> output) {
    contraction_spec spec;
    spec.inputs = std::move(inputs);
    spec.output = std::move(output);
    for (const problem_label &label : plan.problem->labels)
        spec.label_names.push_back(label.name);
    spec.text = plan.spec.text;
    return spec;
}

product_boxes product_boxes::cut(const layouts &where, int label, index_t i, index_t parts) const {
    product_boxes result = *this;
    slice *boxes[] = {&result.a, &result.b, &result.d};
    for (const tensor_id operand : all_but_c) {
        const std::vector<int> &labels = where.panel_labels(operand);
        const auto found = std::find(labels.begin(), labels.end(), label);
        if (found == labels.end())
            continue;
        const auto mode = static_cast<std::size_t>(found - labels.begin());
        slice &box = *boxes[operand];
        const index_t extent = box.extents[mode];
        const index_t begin = dist_impl::cut(extent, i, parts);
        box.offsets[mode] += begin;
        box.extents[mode] = dist_impl::cut(extent, i + 1, parts) - begin;
    }
    return result;
}

local_products::local_products(const plan_state &plan, contract_options options)
    : plan_(plan), options_(std::move(options)) {}

auto local_products::shape_of(const product_boxes &boxes, const operand_strides &strides) -> shape {
    shape result;
    for (const extents_t *part :
         {&boxes.a.extents, &strides.a, &boxes.b.extents, &strides.b, &boxes.d.extents, &strides.d})
        result.insert(result.end(), part->begin(), part->end());
    return result;
}

void local_products::prepare(const product_boxes &boxes, const operand_strides &its) {
    shape key = shape_of(boxes, its);
    if (plans_.count(key) != 0)
        return;
    std::vector<input> inputs;
    std::vector<std::vector<int>> labels;
    const auto add = [&](tensor_id operand, const slice &box, const extents_t &strides,
                         bool conjugate) {
        labels.push_back(plan_.where.panel_labels(operand));
        const input one(plan_.types.panel[operand], nullptr, layout(box.extents, strides));
        inputs.push_back(conjugate ? conj(one) : one);
    };
    add(A, boxes.a, its.a, plan_.options.conj_a);
    if (!plan_.problem->unary)
        add(B, boxes.b, its.b, plan_.options.conj_b);
    const output out(plan_.type, nullptr, layout(boxes.d.extents, its.d));
    const std::vector<int> &result = plan_.where.panel_labels(D);
    std::vector<std::vector<int>> all = labels;
    all.push_back(result);
    const context &ctx = base::context_of(options_);
    const base::plan_key kept = key_of(plan_, options_, all, key);
    std::optional<contraction_plan> made;
    if (const auto *known = base::plans_of(ctx).find<contraction_plan>(kept))
        made = *known;
    if (!made) {
        made = make_plan(make_spec(plan_, labels, result), inputs, out, out, options_);
        base::plans_of(ctx).keep(kept, std::make_shared<const contraction_plan>(*made),
                                 contract_impl::footprint(*made));
    }
    const contraction_plan &plan = *made;
    if (plans_.empty())
        algorithm_ = plan.summary().algorithm;
    workspace_size_ = std::max(workspace_size_, plan.workspace_size().value);
    plans_.emplace(std::move(key), plan);
}

const contraction_plan &local_products::plan_of(const product_boxes &boxes,
                                                const operand_strides &strides) const {
    return plans_.at(shape_of(boxes, strides));
}

} // namespace tenfold::dist_impl

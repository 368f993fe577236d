// Distributions for tensors that several contractions share.
#include <map>
#include <string>
#include <vector>

#include <tenfold/dist_layouts.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

struct tenfold_planned_layouts {
    tenfold::planned_layouts own;
};

namespace {

std::vector<tenfold::shared_expression> expressions_of(const tenfold_shared_contractions &given) {
    require_count(given.expression_count, given.expressions, "expressions");
    std::vector<tenfold::shared_expression> expressions;
    for (std::int32_t i = 0; i < given.expression_count; ++i) {
        require(given.expressions[i], ("expression " + std::to_string(i)).c_str());
        expressions.emplace_back(given.expressions[i], given.times != nullptr ? given.times[i] : 1);
    }
    return expressions;
}

std::map<std::string, tenfold::extents_t> tensors_of(const tenfold_shared_contractions &given) {
    require_count(given.tensor_count, given.tensors, "tensors");
    std::map<std::string, tenfold::extents_t> tensors;
    for (std::int32_t i = 0; i < given.tensor_count; ++i) {
        const tenfold_named_extents &one = given.tensors[i];
        const std::string number = "tensor " + std::to_string(i);
        require(one.name, (number + ": name").c_str());
        const auto [at, is_new] = tensors.emplace(
            one.name, extents_of(one.order, one.extents, (number + ": extents").c_str()));
        if (!is_new)
            refuse("two tensors have the name '" + at->first + "'");
    }
    return tensors;
}

tenfold::copies_allowed copies_of(const tenfold_shared_contractions &given) {
    return {.any = given.copies != 0, .memory_per_rank = memory_limit_of(given.memory_per_rank)};
}

} // namespace

tenfold_error tenfold_plan_layouts(const tenfold_shared_contractions *contractions,
                                   const tenfold_dist_options *options,
                                   tenfold_planned_layouts **layouts) {
    return guarded([&] {
        require(layouts, "layouts");
        *layouts = nullptr;
        require(contractions, "contractions");
        const tenfold_shared_contractions given = taken(contractions, "contractions");
        const tenfold_dist_options own = taken(options, "options");
        refuse_conjugated(own);
        const taken_control none(nullptr);
        *layouts = new tenfold_planned_layouts{tenfold::plan_layouts(
            expressions_of(given), tensors_of(given), arithmetic_type_of(given.type), given.ranks,
            dist_options_of(own, none), copies_of(given))};
    });
}

void tenfold_planned_layouts_destroy(tenfold_planned_layouts *layouts) { delete layouts; }

tenfold_error tenfold_planned_layouts_of(const tenfold_planned_layouts *layouts, const char *name,
                                         tenfold_distribution **distribution) {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        require(layouts, "layouts");
        require(name, "name");
        const auto found = layouts->own.of.find(name);
        if (found == layouts->own.of.end())
            refuse("no tensor has the name '" + std::string(name) + "'");
        *distribution = new tenfold_distribution{found->second};
    });
}

tenfold_error tenfold_planned_layouts_summarise(const tenfold_planned_layouts *layouts,
                                                tenfold_layouts_summary *summary) {
    return guarded([&] {
        require(layouts, "layouts");
        const tenfold::planned_layouts &own = layouts->own;
        give({.size = 0,
              .seconds = own.seconds,
              .default_seconds = own.default_seconds,
              .bytes_received = own.received.value,
              .default_bytes_received = own.default_received.value,
              .memory = own.memory.value,
              .default_memory = own.default_memory.value},
             summary, "summary");
    });
}

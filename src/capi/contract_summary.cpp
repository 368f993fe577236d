// What a contraction plan says of itself.
#include "capi/errors.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

namespace {

/// One of a list that the plan keeps.
template <class T>
const T &one_of(const std::vector<T> &list, std::int32_t index, const char *what) {
    if (index < 0 || static_cast<std::size_t>(index) >= list.size())
        refuse("there is no " + std::string(what) + " " + std::to_string(index) +
               "; the plan has " + std::to_string(list.size()));
    return list[static_cast<std::size_t>(index)];
}

void give_candidate(const tenfold::candidate_summary &one, tenfold_candidate *to) {
    give({.size = 0,
          .algorithm = static_cast<tenfold_algorithm>(one.algorithm),
          .possible = one.possible ? 1 : 0,
          .seconds = one.seconds,
          .workspace_bytes = one.workspace.value,
          .description = one.description.c_str()},
         to, "candidate");
}

} // namespace

tenfold_error tenfold_contraction_workspace_size(const tenfold_contraction_plan *plan,
                                                 int64_t *bytes) {
    return guarded([&] {
        require(plan, "plan");
        require(bytes, "bytes");
        *bytes = plan->plan.workspace_size().value;
    });
}

tenfold_error tenfold_contraction_explain(const tenfold_contraction_plan *plan, const char **text) {
    return guarded([&] {
        require(plan, "plan");
        require(text, "text");
        *text = plan->explanation.get([&] { return plan->plan.explain(); }).c_str();
    });
}

tenfold_error tenfold_contraction_json(const tenfold_contraction_plan *plan, const char **text) {
    return guarded([&] {
        require(plan, "plan");
        require(text, "text");
        *text = plan->json.get([&] { return tenfold::to_json(plan->plan.summary()); }).c_str();
    });
}

tenfold_error tenfold_contraction_path(const tenfold_contraction_plan *plan, tenfold_path *path) {
    return guarded([&] {
        require(plan, "plan");
        require(path, "path");
        const path_arrays &own = plan->path.get([&] {
            path_arrays made;
            for (const std::vector<int> &step : plan->plan.path()) {
                made.positions.insert(made.positions.end(), step.begin(), step.end());
                made.counts.push_back(static_cast<std::int32_t>(step.size()));
            }
            return made;
        });
        *path = {own.positions.data(), own.counts.data(),
                 static_cast<std::int32_t>(own.counts.size())};
    });
}

tenfold_error tenfold_contraction_summarise(const tenfold_contraction_plan *plan,
                                            tenfold_contraction_summary *summary) {
    return guarded([&] {
        require(plan, "plan");
        const tenfold::plan_summary &own = plan->plan.summary();
        give({.size = 0,
              .algorithm = static_cast<tenfold_algorithm>(own.algorithm),
              .threads = own.threads,
              .m = own.m,
              .n = own.n,
              .k = own.k,
              .batch = own.batch,
              .flops = own.flops,
              .bytes = own.bytes,
              .seconds = own.seconds,
              .flops_at_once = own.flops_at_once,
              .workspace_bytes = own.workspace.value,
              .largest_intermediate_bytes = own.largest_intermediate.value,
              .candidate_count = static_cast<std::int32_t>(own.candidates.size()),
              .step_count = static_cast<std::int32_t>(own.steps.size()),
              .is_limited = own.without_limit ? 1 : 0},
             summary, "summary");
    });
}

tenfold_error tenfold_contraction_candidate(const tenfold_contraction_plan *plan, int32_t index,
                                            tenfold_candidate *candidate) {
    return guarded([&] {
        require(plan, "plan");
        give_candidate(one_of(plan->plan.summary().candidates, index, "candidate"), candidate);
    });
}

tenfold_error tenfold_contraction_without_limit(const tenfold_contraction_plan *plan,
                                                tenfold_candidate *candidate) {
    return guarded([&] {
        require(plan, "plan");
        const auto &choice = plan->plan.summary().without_limit;
        if (!choice)
            refuse("the workspace limit does not matter for this plan");
        give_candidate(*choice, candidate);
    });
}

tenfold_error tenfold_contraction_step(const tenfold_contraction_plan *plan, int32_t index,
                                       tenfold_step *step) {
    return guarded([&] {
        require(plan, "plan");
        const tenfold::step_summary &own = one_of(plan->plan.summary().steps, index, "step");
        give({.size = 0,
              .expression = own.expression.c_str(),
              .operands = own.operands.data(),
              .operand_count = static_cast<std::int32_t>(own.operands.size()),
              .algorithm = static_cast<tenfold_algorithm>(own.algorithm),
              .m = own.m,
              .n = own.n,
              .k = own.k,
              .batch = own.batch,
              .flops = own.flops,
              .seconds = own.seconds,
              .workspace_bytes = own.workspace.value,
              .result_bytes = own.result.value},
             step, "step");
    });
}

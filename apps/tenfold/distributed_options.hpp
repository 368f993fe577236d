// Shared by runs of contractions across ranks and their explanations; for files that need the
// distributed part only.
#pragma once

#include <algorithm>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/dist_plan.hpp>

#include "apps/tenfold/contraction_request.hpp"

namespace tenfold::apps_impl {

inline dist_options distributed_options(const contraction_request &request,
                                        const resolved_contraction &resolved) {
    dist_options options;
    options.alpha = resolved.alpha;
    if (resolved.spec.operation == contraction_spec::update::assign)
        options.beta = resolved.beta;
    options.algorithm = request.execution.algorithm;
    options.backend = request.execution.backend;
    options.workspace_limit = request.execution.workspace_limit;
    options.threads = request.execution.threads;
    options.reproducible = context::global().settings().reproducible;
    return options;
}

/// Returns the dist_step or dist_report whose contraction has most flops.
template <class Step> const Step &costliest(const std::vector<Step> &steps) {
    return *std::max_element(steps.begin(), steps.end(), [](const Step &one, const Step &other) {
        return one.plan.summary().flops < other.plan.summary().flops;
    });
}

} // namespace tenfold::apps_impl

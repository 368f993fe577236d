// The state behind a program_plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenfold/program.hpp>

#include "base/checked.hpp"
#include "base/internals.hpp"
#include "program/plan/steps.hpp"

namespace tenfold::program_impl {

using layout_map = std::map<std::string, distribution>;

struct plan_state {
    program equations;
    range_sizes sizes;
    int ranks;
    program_options options;
    lowered all;
    std::map<std::string, lifetime> lifetimes;
    layout_map layouts = {};
    std::vector<planned_line> lines = {};
    program_plan_summary summary = {};
};

/// Every rank has a scalar.
distribution layout_of_scalars(int ranks);

/// Throws unless the layouts that the caller gives fit the tensors.
void check_given_layouts(const plan_state &plan);
/// Finds where tensors lie (plan_layouts()) of which the caller does not say it.
layout_map choose_layouts(const plan_state &plan);

/// Fills in lines and summary.
void price(plan_state &plan);

/// The bytes of the vectors that a "diis" keeps, of blocks of the sizes that `bytes_of` returns.
template <class BytesOf>
index_t bytes_kept(const extrapolation_step &diis, const BytesOf &bytes_of) {
    index_t kept = 0;
    for (std::size_t i = 0; i < diis.tensors.size(); ++i)
        kept = base::saturated_add(
            kept, base::saturated_add(bytes_of(diis.tensors[i]), bytes_of(diis.errors[i])));
    return base::saturated_multiply(kept, diis.keep);
}

} // namespace tenfold::program_impl

struct tenfold::program_plan::state : tenfold::program_impl::plan_state {};

// A contraction across ranks that is timed: its tensors, their distributions, and the bytes and
// seconds that a run counted.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tenfold/dist_trace.hpp>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/case_list.hpp"
#include "apps/bench/distributed_result.hpp"
#include "apps/common/dist_operands.hpp"

namespace tenfold::apps_impl {

template <class T> class distributed_case {
public:
    /// `spreads` are the distributions of the inputs in order, then of the output. Collective.
    distributed_case(const world &ranks, const bench_case &definition, double beta,
                     std::span<const distribution> spreads)
        : definition_(definition), beta_(beta),
          d_(ranks, definition.extents_of(definition.spec.output), spreads.back()) {
        for (const auto &labels : definition.spec.inputs) {
            inputs_.emplace_back(ranks, definition.extents_of(labels), spreads[inputs_.size()]);
            fill_generated(inputs_.back(), inputs_.size() - 1);
        }
        reset_output();
    }

    dist_report run(const dist_options &options) {
        if (inputs_.size() == 1)
            return contract(definition_.text, inputs_[0], d_, options);
        return contract(definition_.text, inputs_[0], inputs_[1], d_, options);
    }

    void reset_output() {
        if (beta_ != 0)
            fill_generated(d_, generated_c);
    }

    contract_impl::verification verify(index_t elements) const {
        made_up_contraction problem;
        problem.spec = definition_.spec;
        problem.extents = definition_.extents;
        problem.alpha = definition_.spec.scale;
        problem.beta = beta_;
        return verify_made_up(problem, d_, elements);
    }

private:
    const bench_case &definition_;
    double beta_;
    dist_tensor<T> d_;
    std::vector<dist_tensor<T>> inputs_;
};

/// The default distributions of a case's tensors, or those that a plan for the case prefers.
std::vector<distribution> default_spreads(const bench_case &definition, int ranks);
std::vector<distribution> planned_spreads(const bench_case &definition, data_type type, int ranks,
                                          const dist_options &options);

/// The peak of the resident memory since construction, less what was resident then, as the kernel
/// counts it.
class resident_peak {
public:
    resident_peak();
    /// Empty if the system does not report it.
    std::optional<index_t> bytes() const;

private:
    std::optional<index_t> before_;
};

/// Combines `report` and `totals` of a traced run over all ranks. Collective.
distributed_result gather_result(const world &ranks, const dist_report &report,
                                 const trace_totals &totals, std::optional<index_t> resident);

} // namespace tenfold::apps_impl

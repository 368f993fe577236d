// What the suite dist finds of a case beside its seconds; for files with and without MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

namespace tenfold::apps_impl {

/// What the rank that has most of each counted in one run.
struct bytes_of_ranks {
    index_t received;      ///< by the contraction
    index_t redistributed; ///< on the way to the plan's layout and back
    index_t peak;          ///< held: tensors, buffers, workspace
};

struct distributed_result {
    std::string layout; ///< of the operands: "plan" or "default"
    dist_plan_summary plan;
    std::vector<index_t> received_by_rank;      ///< bytes counted, of the contraction
    std::vector<index_t> redistributed_by_rank; ///< on the way to the plan's layout and back
    index_t peak_bytes = 0;                     ///< counted, of the rank that has most
    index_t workspace_bytes = 0;                ///< in it, of local contractions
    std::optional<index_t> resident_bytes; ///< as the kernel counts them, of the rank with most

    // Of one traced run: the mean of the ranks' seconds, and what is hidden of messages under way.
    double compute = 0, pack = 0, communication = 0, idle = 0;
    double overlap = 1;

    index_t received() const;
    index_t redistributed() const;
    /// Received by the contraction over the bound; 1 where both are 0.
    double ratio_to_bound() const;
    /// Counted over planned.
    double peak_ratio() const;
    /// Resident over counted; empty below 1 GiB counted, where programs' own pages matter.
    std::optional<double> resident_ratio() const;
    /// True if what was counted is what was planned.
    bool as_planned() const;
};

} // namespace tenfold::apps_impl

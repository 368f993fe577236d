// The results of a case of the suite dist besides its seconds; for files with and without MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

namespace tenfold::apps_impl {

/// Bytes counted in one run; each is the maximum over the ranks.
struct bytes_of_ranks {
    index_t received;      ///< by the contraction
    index_t redistributed; ///< received to and from the plan's layout
    index_t peak;          ///< held: tensors, buffers and workspace
};

struct distributed_result {
    std::string layout; ///< of the operands: "plan" or "default"
    dist_plan_summary plan;
    std::vector<index_t> received_by_rank;      ///< bytes that the contraction received
    std::vector<index_t> redistributed_by_rank; ///< bytes received to and from the plan's layout
    index_t peak_bytes = 0;                     ///< counted, the maximum over the ranks
    index_t workspace_bytes = 0;                ///< the part for local contractions
    std::optional<index_t> resident_bytes; ///< as the kernel counts, the maximum over the ranks

    // From one traced run: seconds averaged over the ranks, and the share of communication that is
    // overlapped with other work.
    double compute = 0, pack = 0, communication = 0, idle = 0;
    double overlap = 1;

    index_t received() const;
    index_t redistributed() const;
    /// Bytes that the contraction received over the lower bound; 1 if both are 0.
    double ratio_to_bound() const;
    /// Counted bytes over planned bytes.
    double peak_ratio() const;
    /// Resident bytes over counted bytes; empty below 1 GiB counted, where the program's own pages
    /// matter.
    std::optional<double> resident_ratio() const;
    /// True if the counted bytes are the planned ones.
    bool as_planned() const;
};

} // namespace tenfold::apps_impl

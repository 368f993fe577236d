// The suites of recorded results: lines "<type> <hash>" for a number of random problems.
#pragma once

#include <tenfold/context.hpp>

#include "support/pinned.hpp"

namespace tenfold::testing {

/// A row of the file.
struct recorded_row {
    const context &ctx; ///< with instruction set and threads
    int cases;
    std::string name; ///< "contract avx2 x2"
};

lines contract_results(const recorded_row &row); ///< one and two inputs
lines network_results(const recorded_row &row);  ///< three inputs and more
lines gemm_results(const recorded_row &row);
lines batch_results(const recorded_row &row);
lines transpose_results(const recorded_row &row);

} // namespace tenfold::testing

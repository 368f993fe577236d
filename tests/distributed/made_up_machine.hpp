// Distributed plans for a machine that is made up, so that the processor has no say in them.
#pragma once

#include <tenfold/dist_plan.hpp>

#include "support/described_machines.hpp"

namespace tenfold::testing {

/// Returns the options with one thread of the wide machine.
inline dist_options on_wide(dist_options options = {}) {
    options.ctx = &described_context("wide");
    return options;
}

} // namespace tenfold::testing

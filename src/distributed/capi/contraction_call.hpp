// A contraction of distributed tensors as a caller in C passes it.
#pragma once

#include <memory>
#include <vector>

#include <tenfold/dist_mixed.hpp>

#include "distributed/capi/convert.hpp"

namespace tenfold::capi_impl {

/// What a caller passed.
struct contraction_call {
    const char *expression;
    const tenfold_dist_input *inputs;
    std::int32_t input_count;
    tenfold_dist_tensor *d;
    const tenfold_dist_options *options;
};

/// What a rank brings to the call. The options point to the control.
struct prepared_contraction {
    tenfold_dist_options given;
    std::shared_ptr<const taken_control> control;
    dist_options options;
    std::vector<dist_operand> inputs;
};

/// Throws for what is wrong with one rank's arguments.
prepared_contraction prepare_contraction(const contraction_call &call);

/// Of one step.
tenfold_dist_report report_of(const dist_report &done);

} // namespace tenfold::capi_impl

// Batches of contractions.
#include <string>
#include <vector>

#include <tenfold/c/contract_batch.h>

#include "capi/executor.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::input_batch;
using tenfold::output_batch;

/// Makes one of the C++ interface's from one of the C interface's.
template <class Batch, class Given> Batch batch_of(const Given &given, std::int64_t count) {
    if (given.addresses == nullptr)
        return Batch::strided(given.first, given.stride);
    return Batch::at_addresses({given.addresses, static_cast<std::size_t>(count)});
}

} // namespace

tenfold_error tenfold_contraction_execute_batch(const tenfold_contraction_plan *plan,
                                                const tenfold_contraction_batch *batch,
                                                const tenfold_execute_options *options,
                                                int64_t *failed) {
    return guarded([&]() -> tenfold::status {
        if (failed != nullptr)
            *failed = -1;
        require(plan, "plan");
        require(batch, "batch");
        const tenfold_contraction_batch tensors = taken(batch, "batch");
        const tenfold_execute_options own = taken(options, "execute options");
        const taken_executor with(own, executes::a_plan);
        if (tensors.count < 0 || tensors.input_count < 0)
            refuse("batch: count is " + std::to_string(tensors.count) + ", input_count is " +
                   std::to_string(tensors.input_count) + "; both are 0 or more");
        if (tensors.input_count > 0)
            require(tensors.inputs, "batch: inputs");
        std::vector<input_batch> inputs;
        for (std::int32_t i = 0; i < tensors.input_count; ++i)
            inputs.push_back(batch_of<input_batch>(tensors.inputs[i], tensors.count));
        const tenfold_batch_input c =
            plan->has_c
                ? tensors.c
                : tenfold_batch_input{tensors.d.first, tensors.d.stride, tensors.d.addresses};
        const tenfold::status done =
            plan->plan.execute_batch({.count = tensors.count,
                                      .alpha = scalar_or(own.alpha, 1.0),
                                      .beta = scalar_or(own.beta, 0.0),
                                      .inputs = inputs,
                                      .c = batch_of<input_batch>(c, tensors.count),
                                      .d = batch_of<output_batch>(tensors.d, tensors.count)},
                                     with.get(), failed);
        with.give_record();
        return done;
    });
}

// Contractions of distributed tensors.
#ifndef TENFOLD_C_DISTRIBUTED_CONTRACT_H
#define TENFOLD_C_DISTRIBUTED_CONTRACT_H

#include <tenfold/c/distributed/plan.h>
#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// One input. This struct keeps its form.
typedef struct tenfold_dist_input {
    const tenfold_dist_tensor *tensor;
    int32_t conjugated; ///< 1: its complex conjugate is read
} tenfold_dist_input;

/// What a contraction did. "max" is the maximum over the ranks, the same on every rank; of more
/// than two inputs bytes are summed over the steps.
typedef struct tenfold_dist_report {
    size_t size;
    int32_t step_count;
    int64_t bytes_received_max; ///< payload of the contraction
    int64_t redistribution_max; ///< payload of the redistributions
    int64_t peak_bytes_max;     ///< tensors, panels, buffers and local workspace
    double seconds_max;         ///< from agreement to the last element
} tenfold_dist_report;

/// Collective. D = alpha op(A) op(B) .. + beta D over any number of inputs, as tenfold_contract()
/// does on one node. All tensors belong to one world and have one type, and D is none of the
/// inputs. `options` may be NULL, and so may `report`; set report->size before. Codes: those of
/// tenfold_dist_plan_create(), TENFOLD_DISAGREEMENT, TYPE_MISMATCH, OVERLAP (D is an input),
/// INVALID_ARGUMENT (different worlds), OUT_OF_MEMORY, all before D is written; TENFOLD_STOPPED
/// leaves D unspecified.
tenfold_error tenfold_dist_contract(const char *expression, const tenfold_dist_input *inputs,
                                    int32_t input_count, tenfold_dist_tensor *d,
                                    const tenfold_dist_options *options,
                                    tenfold_dist_report *report);

TENFOLD_END_C

#endif

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
/// than two inputs bytes received are summed over the steps.
typedef struct tenfold_dist_report {
    size_t size;
    int32_t step_count;
    int64_t bytes_received_max; ///< payload of the contraction
    int64_t redistribution_max; ///< payload of the redistributions
    int64_t peak_bytes_max;     ///< tensors, panels, buffers and local workspace
    double seconds_max;         ///< from agreement to the last element
    int64_t workspace_max; ///< the part of the peak that is local workspace; the most of any step
    int64_t own_bytes_received; ///< by this rank, in the contractions
    int64_t own_redistribution; ///< by this rank, in redistributions
    /// Of this rank's local contraction; TENFOLD_ALGORITHM_AUTO if there was none, or several
    /// steps.
    tenfold_algorithm algorithm;
} tenfold_dist_report;

/// Collective. D = alpha op(A) op(B) .. + beta D over any number of inputs, as tenfold_contract()
/// does on one node. All tensors belong to one world, and D is none of the inputs. They have one
/// type, or several of a mixture that one node has, too (docs/semantics.md#types): bf16 and f16 are
/// summed in f32 over all ranks and D is rounded once, integers of 8 bits give i32. One input is
/// converted likewise. `options` may be NULL, and so may `report`; set report->size before. Codes:
/// those of tenfold_dist_plan_create_mixed(), TENFOLD_DISAGREEMENT, OVERLAP (D is an input),
/// INVALID_ARGUMENT (different worlds), OUT_OF_MEMORY, all before D is written; TENFOLD_STOPPED
/// leaves D unspecified.
tenfold_error tenfold_dist_contract(const char *expression, const tenfold_dist_input *inputs,
                                    int32_t input_count, tenfold_dist_tensor *d,
                                    const tenfold_dist_options *options,
                                    tenfold_dist_report *report);

/// What a contraction did, with its plan and its steps. It does not change.
typedef struct tenfold_dist_record tenfold_dist_record;

/// Collective. The same, which keeps what it did for the functions below. *record is NULL unless
/// TENFOLD_OK is returned, and must be destroyed.
tenfold_error tenfold_dist_contract_recorded(const char *expression,
                                             const tenfold_dist_input *inputs, int32_t input_count,
                                             tenfold_dist_tensor *d,
                                             const tenfold_dist_options *options,
                                             tenfold_dist_record **record);
/// NULL is ignored.
void tenfold_dist_record_destroy(tenfold_dist_record *record);

/// Local. The whole contraction. Set report->size before.
tenfold_error tenfold_dist_record_report(const tenfold_dist_record *record,
                                         tenfold_dist_report *report);
/// Local. Step number `index`, from 0; that of one or two inputs is the whole.
/// TENFOLD_INVALID_ARGUMENT unless index is at least 0 and less than step_count.
tenfold_error tenfold_dist_record_step(const tenfold_dist_record *record, int32_t index,
                                       tenfold_dist_report *report);
/// Local. The plan that was executed, as a handle of its own.
tenfold_error tenfold_dist_record_plan(const tenfold_dist_record *record, tenfold_dist_plan **plan);

TENFOLD_END_C

#endif

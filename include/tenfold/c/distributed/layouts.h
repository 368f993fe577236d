// Distributions for tensors that several contractions share. Local; needs no tensors and no ranks.
#ifndef TENFOLD_C_DISTRIBUTED_LAYOUTS_H
#define TENFOLD_C_DISTRIBUTED_LAYOUTS_H

#include <tenfold/c/distributed/plan.h>

TENFOLD_BEGIN_C

/// A tensor by the name that it has in the expressions. This struct keeps its form.
typedef struct tenfold_named_extents {
    const char *name;
    const int64_t *extents; ///< `order` of them
    int32_t order;
} tenfold_named_extents;

/// Contractions that share tensors.
typedef struct tenfold_shared_contractions {
    size_t size;
    /// Of one or two inputs, all operands with names: "R[a,i] = V[a,b] * T[b,i]".
    const char *const *expressions;
    int32_t expression_count;
    int32_t tensor_count;
    const tenfold_named_extents *tensors; ///< all that the expressions name
    tenfold_type type;
    int32_t ranks;
    int32_t copies; ///< 1: tensors may be kept in several copies
    /// If copies is 1: the most bytes of the blocks of all tensors on one rank together; 0: no
    /// limit. Where the default distributions exceed it, the limit is what they take.
    int64_t memory_per_rank;
    /// How often each expression is evaluated, `expression_count` of them; NULL: once.
    const int64_t *times;
} tenfold_shared_contractions;

/// How tensors had best be distributed. It does not change.
typedef struct tenfold_planned_layouts tenfold_planned_layouts;

/// Finds distributions for the least predicted seconds of all contractions together, never more
/// than with the default distribution; see tenfold::plan_layouts(). `options` may be NULL; they
/// hold for all contractions, without a grid, steps, memory_per_rank or conjugated. Plans each
/// contraction some dozens of times. Codes: those of tenfold_dist_plan_create(), and
/// TENFOLD_INVALID_ARGUMENT for an operand without a name or extents. *layouts is NULL unless
/// TENFOLD_OK is returned.
tenfold_error tenfold_plan_layouts(const tenfold_shared_contractions *contractions,
                                   const tenfold_dist_options *options,
                                   tenfold_planned_layouts **layouts);
/// NULL is ignored.
void tenfold_planned_layouts_destroy(tenfold_planned_layouts *layouts);

/// The distribution of the tensor with this name, as a copy. TENFOLD_INVALID_ARGUMENT for others.
tenfold_error tenfold_planned_layouts_of(const tenfold_planned_layouts *layouts, const char *name,
                                         tenfold_distribution **distribution);

/// What all contractions take, one after the other, and what they would take with the default
/// distribution of all tensors.
typedef struct tenfold_layouts_summary {
    size_t size;
    double seconds; ///< predicted
    double default_seconds;
    int64_t bytes_received; ///< per rank, redistribution included
    int64_t default_bytes_received;
    int64_t memory; ///< bytes per rank: the largest blocks of all tensors together
    int64_t default_memory;
} tenfold_layouts_summary;

/// Set summary->size before.
tenfold_error tenfold_planned_layouts_summarise(const tenfold_planned_layouts *layouts,
                                                tenfold_layouts_summary *summary);

TENFOLD_END_C

#endif

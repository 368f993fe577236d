// Plans of distributed contractions: what will be multiplied, sent and held. Planning is local and
// needs no tensors, so that any number of ranks can be planned for; tenfold_dist_contract() makes
// its own plans, with rank 0's rates and threads, and keeps them in the context.
#ifndef TENFOLD_C_DISTRIBUTED_PLAN_H
#define TENFOLD_C_DISTRIBUTED_PLAN_H

#include <tenfold/c/contract.h>
#include <tenfold/c/distributed/distribution.h>

TENFOLD_BEGIN_C

/// Options of a distributed contraction; the same on every rank but for `context`, `threads` and
/// `control`. tenfold::dist_options says more.
typedef struct tenfold_dist_options {
    size_t size;
    const tenfold_scalar *alpha; ///< NULL: 1
    /// NULL: 0, or 1 if the expression says "+=" or "-=". If it is 0, D is not read.
    const tenfold_scalar *beta;
    int32_t diagonal_output;     ///< 1: a label twice in D writes only D's diagonal
    tenfold_algorithm algorithm; ///< for the local contractions, like the next four
    tenfold_tuning tuning;
    tenfold_backend backend;
    int32_t threads;             ///< 0: the context's setting, else the world's
    tenfold_choice reproducible; ///< the same bits on any number of ranks and threads
    int64_t workspace_limit;     ///< bytes; 0: the context's; TENFOLD_NO_BYTES: none
    /// Bytes of the tensors, panels, buffers and local workspace of one rank together; 0: no limit.
    int64_t memory_per_rank;
    /// Parts into which the batch, m, n and k labels are cut; all 0: the cheapest.
    int32_t grid_batch, grid_m, grid_n, grid_k;
    /// The most positions of these labels in one step of a rank; all 0: chosen; 0 beside others: no
    /// bound.
    int64_t step_batch, step_m, step_n, step_k;
    const tenfold_context *context; ///< NULL: that of the process
    /// Of tenfold_dist_contract(). Each rank passes its own; NULL on all ranks or on none. A stop
    /// on any rank ends the call on all ranks.
    const tenfold_control *control;
    /// Of tenfold_dist_contract(): is applied to D at the end; NULL: none. Its tensors are whole on
    /// every rank.
    const tenfold_contraction_epilogue *epilogue;
    /// Of plans, for each input: 1 if its complex conjugate is read; NULL: none is. Other calls
    /// refuse it: inputs of tenfold_dist_contract() say so themselves.
    const int32_t *conjugated;
    /// Ranks of a node, if rank r is on node r / ranks_per_node. 0: tenfold_dist_contract() takes
    /// what tenfold_world_ranks_per_node() says, and plans are made for one node.
    int32_t ranks_per_node;
} tenfold_dist_options;

/// A distributed contraction that is decided. It does not change.
typedef struct tenfold_dist_plan tenfold_dist_plan;

/// Local. Plans an expression for operands distributed as in `operands`: the inputs in order, then
/// D, all over the same number of ranks, with the rates of the context. `options` may be NULL.
/// Codes: those of tenfold_contraction_create(), TENFOLD_INVALID_ARGUMENT also for different
/// numbers of ranks and a grid that does not fit; TENFOLD_WORKSPACE_TOO_SMALL: memory_per_rank,
/// with the least that would do. *plan is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_dist_plan_create(const char *expression, tenfold_type type,
                                       const tenfold_distribution *const *operands,
                                       int32_t operand_count, const tenfold_dist_options *options,
                                       tenfold_dist_plan **plan);
/// Local. The same for tensors of several types: `types` are those of the operands. TYPE_MISMATCH
/// for mixtures that contractions do not take.
tenfold_error tenfold_dist_plan_create_mixed(const char *expression, const tenfold_type *types,
                                             const tenfold_distribution *const *operands,
                                             int32_t operand_count,
                                             const tenfold_dist_options *options,
                                             tenfold_dist_plan **plan);
/// NULL is ignored.
void tenfold_dist_plan_destroy(tenfold_dist_plan *plan);

/// Several lines of text: labels, grid, bytes, bounds, memory; of more than two inputs each step.
/// The text lives as long as the plan.
tenfold_error tenfold_dist_plan_explain(const tenfold_dist_plan *plan, const char **text);

/// The same as a JSON object, with the fields of `tenfold explain --ranks P --json` that are about
/// ranks; `distributed_steps` of more than two inputs. The text lives as long as the plan.
/// TENFOLD_UNSUPPORTED in a build without nlohmann_json.
tenfold_error tenfold_dist_plan_json(const tenfold_dist_plan *plan, const char **text);

/// A plan, or a step of one, in numbers. "Per rank" means the maximum over the ranks; bytes are
/// payload.
typedef struct tenfold_dist_plan_summary {
    size_t size;
    int32_t ranks;
    int32_t step_count;     ///< contractions of two tensors, or sums of one; 1 of one or two inputs
    double flops;           ///< of all ranks together
    int64_t bytes_received; ///< per rank, by the contractions
    int64_t redistribution_bytes; ///< received per rank, to reach the plan's layouts and for D
    int64_t peak_bytes;           ///< per rank: tensors, panels, buffers and local workspace
    int64_t intermediate_bytes;   ///< per rank, the most at any time; 0 of one or two inputs
    // Of plans with one step, and of steps; else 0.
    int32_t grid_batch, grid_m, grid_n, grid_k;
    int64_t m, n, k, batch;  ///< products of extents
    int64_t bound_bytes;     ///< what any algorithm must receive
    double ratio_to_bound;   ///< bytes_received / bound_bytes; 1 where both are 0, else infinite
    int64_t workspace_bytes; ///< the part of peak_bytes that is local workspace
    // Of plans with any number of steps.
    double flops_at_once;         ///< of a single loop nest over all labels, without intermediates
    int64_t total_received_bytes; ///< bytes_received + redistribution_bytes
    // Of plans with one step, and of steps; else 0.
    double total_ratio_to_bound;            ///< total_received_bytes / bound_bytes, likewise
    double flops_per_rank;                  ///< of the rank with the largest block
    int64_t memory_independent_bound_bytes; ///< the larger of the two is bound_bytes
    /// For memory_per_rank, or for the plan's peak without it.
    int64_t memory_dependent_bound_bytes;
    /// Steps of the largest block, one after the other, along each kind of label.
    int64_t steps_batch, steps_m, steps_n, steps_k;
    int64_t leaves;      ///< of the tree that adds a reproducible result; 0: not reproducible
    int64_t panel_bytes; ///< per rank: panels of A and B of one step
    /// The part of redistribution_bytes that keeps D's copies equal.
    int64_t keeping_copies_equal_bytes;
    int64_t beside_bytes; ///< per rank: tensors that exist meanwhile, but for operands and result
    /// What the ranks of the busiest node receive from other nodes, a part of their bytes_received.
    int64_t between_nodes_bytes;
    int32_t ranks_per_node; ///< 0: all ranks are on one node
    int32_t nodes;          ///< that the plan knows of
} tenfold_dist_plan_summary;

/// Set summary->size before.
tenfold_error tenfold_dist_plan_summarise(const tenfold_dist_plan *plan,
                                          tenfold_dist_plan_summary *summary);
/// Step number `index`, from 0, and its expression, which lives as long as the plan; that of a plan
/// of one or two inputs is its own. `expression` may be NULL. TENFOLD_INVALID_ARGUMENT unless index
/// is at least 0 and less than step_count.
tenfold_error tenfold_dist_plan_step(const tenfold_dist_plan *plan, int32_t index,
                                     tenfold_dist_plan_summary *summary, const char **expression);
/// What a step multiplies: an input by its number, from 0; the result of a step by the number of
/// inputs plus the step's; none if nothing is multiplied. The array lives as long as the plan.
tenfold_error tenfold_dist_plan_step_operands(const tenfold_dist_plan *plan, int32_t index,
                                              const size_t **operands, int32_t *count);
/// The distribution of a step's result, as a copy; of the last step that of D.
tenfold_error tenfold_dist_plan_step_result(const tenfold_dist_plan *plan, int32_t index,
                                            tenfold_distribution **distribution);
/// The distribution of an operand (the inputs in order, then D) for which the contraction needs no
/// redistribution, as a copy; for an operand with a repeated label that of its diagonal. An input
/// that exists in copies has one for each rank that needs the same block, if that saves bytes.
/// TENFOLD_UNSUPPORTED for more than two inputs, whose steps have layouts.
tenfold_error tenfold_dist_plan_layout(const tenfold_dist_plan *plan, int32_t operand,
                                       tenfold_distribution **distribution);
/// The same of an operand of a step: of its operands in order, then of its result.
tenfold_error tenfold_dist_plan_step_layout(const tenfold_dist_plan *plan, int32_t index,
                                            int32_t operand, tenfold_distribution **distribution);
/// A number that is equal on all ranks if their plans are.
tenfold_error tenfold_dist_plan_hash(const tenfold_dist_plan *plan, uint64_t *hash);

TENFOLD_END_C

#endif

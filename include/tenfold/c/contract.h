// Contractions: D = alpha * op(A) * op(B) + beta * op(C) over labelled modes, and products of more
// than two inputs.
#ifndef TENFOLD_C_CONTRACT_H
#define TENFOLD_C_CONTRACT_H

#include <tenfold/c/context.h>
#include <tenfold/c/control.h>

TENFOLD_BEGIN_C

/// An order in which tensors are contracted, as numpy.einsum_path() gives it; see
/// tenfold::path_steps. Each step takes positions out of a list of operands, at first the inputs,
/// and appends their product. This struct keeps its form.
typedef struct tenfold_path {
    const int32_t *positions; ///< of all steps, one after the other
    const int32_t *counts;    ///< by step: how many of the positions are its own
    int32_t step_count;
} tenfold_path;

/// Element-wise steps on D; <tenfold/c/contraction_epilogue.h> makes them.
typedef struct tenfold_contraction_epilogue tenfold_contraction_epilogue;

typedef struct tenfold_contract_options {
    size_t size;
    tenfold_algorithm algorithm;
    tenfold_tuning tuning;
    tenfold_backend backend;
    int32_t threads; ///< 0: the context's
    tenfold_choice reproducible;
    int32_t diagonal_output;  ///< 1: a label twice in D writes only D's diagonal
    int64_t workspace_limit;  ///< bytes; 0: the context's; TENFOLD_NO_BYTES: none
    const tenfold_path *path; ///< NULL: the expression's parentheses, or else Tenfold, decides
    /// 1: modes of extent 1 go with any extent of their label, as always in NumPy's notation
    int32_t broadcast;
    tenfold_bf16_sums bf16_sums;
    /// Is applied to D at the end; NULL: none. A plan takes no data from it.
    const tenfold_contraction_epilogue *epilogue;
    int32_t f64_sums;    ///< 1: products and sums are in f64 or c64, and rounded to D's type
    int32_t conj_output; ///< 1: D is the complex conjugate of all that is computed
} tenfold_contract_options;

/// A contraction that is decided once and executed many times. It does not change and holds no data
/// pointers; any number of threads may use one.
typedef struct tenfold_contraction_plan tenfold_contraction_plan;

/// Plans an expression, in any notation of docs/notation.md, with "=" as its operation. `options`
/// may be NULL. Codes: TENFOLD_SYNTAX, UNKNOWN_LABEL, REPEATED_LABEL, ORDER_MISMATCH,
/// EXTENT_MISMATCH, TYPE_MISMATCH, INVALID_ARGUMENT, OVERFLOW, OVERLAP, WORKSPACE_TOO_SMALL,
/// UNSUPPORTED, OUT_OF_MEMORY. *plan is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_contraction_create(const tenfold_context *context, const char *expression,
                                         const tenfold_operands *operands,
                                         const tenfold_contract_options *options,
                                         tenfold_contraction_plan **plan);

/// In lists of labels: NumPy's "...".
#define TENFOLD_ELLIPSIS (-1)

/// The labels of one tensor, mode by mode: numbers from 0 on, and at most one TENFOLD_ELLIPSIS.
typedef struct tenfold_label_list {
    const int32_t *labels; ///< may be NULL if count is 0
    int32_t count;
} tenfold_label_list;

/// NumPy's form without letters: einsum(A, [0, 1], B, [1, 2], [0, 2]). These structs keep their
/// form.
typedef struct tenfold_label_lists {
    const tenfold_label_list *inputs;
    int32_t input_count;
    /// NULL: the modes of ellipses, then in ascending order the labels that appear once.
    const tenfold_label_list *output;
} tenfold_label_lists;

/// The same for lists of labels, which have the meaning of NumPy's notation.
tenfold_error tenfold_contraction_create_from_labels(const tenfold_context *context,
                                                     const tenfold_label_lists *labels,
                                                     const tenfold_operands *operands,
                                                     const tenfold_contract_options *options,
                                                     tenfold_contraction_plan **plan);

/// NULL is ignored.
void tenfold_contraction_destroy(tenfold_contraction_plan *plan);

/// Executes the plan. `options` may be NULL. On failure nothing was written, but for a stop. Codes:
/// TENFOLD_TYPE_MISMATCH (an imaginary part for real tensors), INVALID_ARGUMENT (another number of
/// inputs), NULL_POINTER, OVERLAP, OUT_OF_MEMORY, STOPPED.
tenfold_error tenfold_contraction_execute(const tenfold_contraction_plan *plan,
                                          const tenfold_data *data,
                                          const tenfold_execute_options *options);

/// Plans and executes, with the context's cache of plans: calls with the same arguments but for
/// data and scalars plan only once. The expression may say "+=" or "-="; beta must be NULL then.
/// Both options may be NULL. Codes of both functions above.
tenfold_error tenfold_contract(const tenfold_context *context, const char *expression,
                               const tenfold_operands *operands, const tenfold_data *data,
                               const tenfold_contract_options *options,
                               const tenfold_execute_options *execute_options);

/// The same for lists of labels.
tenfold_error tenfold_contract_labels(const tenfold_context *context,
                                      const tenfold_label_lists *labels,
                                      const tenfold_operands *operands, const tenfold_data *data,
                                      const tenfold_contract_options *options,
                                      const tenfold_execute_options *execute_options);

/// The most modes of a tensor.
#define TENFOLD_MOST_MODES 64

/// The extents that D has to have, written to `extents`, which has room for TENFOLD_MOST_MODES;
/// *order is their number. Of `options`, which may be NULL, only `broadcast` matters. Codes:
/// TENFOLD_SYNTAX, UNKNOWN_LABEL, ORDER_MISMATCH, EXTENT_MISMATCH, INVALID_ARGUMENT, UNSUPPORTED,
/// OUT_OF_MEMORY.
tenfold_error tenfold_output_extents(const char *expression, const tenfold_tensor *inputs,
                                     int32_t input_count, const tenfold_contract_options *options,
                                     int64_t *extents, int32_t *order);
/// The same for lists of labels, as many as there are inputs.
tenfold_error tenfold_output_extents_of_labels(const tenfold_label_lists *labels,
                                               const tenfold_tensor *inputs, int64_t *extents,
                                               int32_t *order);

/// Bytes that one execution needs beside the tensors.
tenfold_error tenfold_contraction_workspace_size(const tenfold_contraction_plan *plan,
                                                 int64_t *bytes);

/// Several lines of text: classification, algorithm, sizes, predicted seconds, and the rejected
/// candidates with their costs. The text lives as long as the plan.
tenfold_error tenfold_contraction_explain(const tenfold_contraction_plan *plan, const char **text);

/// The summary, candidates and steps as a JSON object, with the fields of `tenfold explain --json`
/// that are about one process. The text lives as long as the plan. TENFOLD_UNSUPPORTED in a build
/// without nlohmann_json.
tenfold_error tenfold_contraction_json(const tenfold_contraction_plan *plan, const char **text);

/// The order of the contraction, which the options of another plan take. The arrays live as long as
/// the plan.
tenfold_error tenfold_contraction_path(const tenfold_contraction_plan *plan, tenfold_path *path);

/// A plan in numbers; see tenfold::plan_summary.
typedef struct tenfold_contraction_summary {
    size_t size;
    tenfold_algorithm algorithm;
    int32_t threads;
    int64_t m, n, k, batch;
    double flops;
    double bytes;   ///< the inputs and D, each once
    double seconds; ///< predicted
    double flops_at_once;
    int64_t workspace_bytes;
    int64_t largest_intermediate_bytes;
    int32_t candidate_count; ///< 0 with more than two inputs
    int32_t step_count;      ///< 0 with one or two inputs
    int32_t is_limited;      ///< 1: a larger workspace limit would allow another choice
} tenfold_contraction_summary;

/// Set summary->size before.
tenfold_error tenfold_contraction_summarise(const tenfold_contraction_plan *plan,
                                            tenfold_contraction_summary *summary);

/// One candidate, as the cost model sees it.
typedef struct tenfold_candidate {
    size_t size;
    tenfold_algorithm algorithm;
    int32_t possible;
    double seconds; ///< predicted
    int64_t workspace_bytes;
    const char *description; ///< what it would do, or why it is not possible; lives as the plan
} tenfold_candidate;

/// Number `index`, cheapest first. Set candidate->size before. TENFOLD_INVALID_ARGUMENT unless
/// index is at least 0 and less than candidate_count.
tenfold_error tenfold_contraction_candidate(const tenfold_contraction_plan *plan, int32_t index,
                                            tenfold_candidate *candidate);
/// The choice that a larger workspace limit would allow. TENFOLD_INVALID_ARGUMENT unless
/// is_limited is 1.
tenfold_error tenfold_contraction_without_limit(const tenfold_contraction_plan *plan,
                                                tenfold_candidate *candidate);

/// One step of a contraction of more than two inputs; see tenfold::step_summary.
typedef struct tenfold_step {
    size_t size;
    const char *expression; ///< "il=ik*kl"; lives as long as the plan
    /// An input by its number, from 0; the result of an earlier step by the number of inputs plus
    /// the step's. They live as long as the plan.
    const size_t *operands;
    int32_t operand_count;
    tenfold_algorithm algorithm;
    int64_t m, n, k, batch;
    double flops;
    double seconds;          ///< predicted
    int64_t workspace_bytes; ///< of this step, beside the intermediates
    int64_t result_bytes;
} tenfold_step;

/// Number `index`, in the order of execution. Set step->size before. TENFOLD_INVALID_ARGUMENT
/// unless index is at least 0 and less than step_count.
tenfold_error tenfold_contraction_step(const tenfold_contraction_plan *plan, int32_t index,
                                       tenfold_step *step);

TENFOLD_END_C

#endif

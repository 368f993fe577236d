// Programs of equations: methods as text, planned for any number of ranks, run and profiled.
// docs/programs.md describes the language.
#ifndef TENFOLD_C_DISTRIBUTED_PROGRAM_H
#define TENFOLD_C_DISTRIBUTED_PROGRAM_H

#include <tenfold/c/control.h>
#include <tenfold/c/distributed/plan.h>
#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// Checked lines of equations. It does not change.
typedef struct tenfold_program tenfold_program;

/// Local. Reads a program from a text, or from a file. What is wrong with a text is told with line
/// and column; see tenfold::parse_program(). *program is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_program_parse(const char *text, tenfold_program **program);
tenfold_error tenfold_program_read(const char *path, tenfold_program **program);
/// NULL is ignored. Plans of it may live on.
void tenfold_program_destroy(tenfold_program *program);
/// The program as text, which lives as long as the program.
tenfold_error tenfold_program_text(const tenfold_program *program, const char **text);

/// What a program does with a tensor.
typedef int32_t tenfold_tensor_role;
enum {
    TENFOLD_ROLE_INPUT = 0,  ///< is only read
    TENFOLD_ROLE_OUTPUT = 1, ///< outlives the program
    TENFOLD_ROLE_INTERMEDIATE = 2
};

/// A tensor or a scalar of a program. Texts and array live as long as the program.
typedef struct tenfold_program_tensor {
    size_t size;
    const char *name;
    tenfold_tensor_role role;
    int32_t order;             ///< 0: a scalar
    const char *const *ranges; ///< the index range of each mode
} tenfold_program_tensor;

/// The number of tensors and scalars.
tenfold_error tenfold_program_tensor_count(const tenfold_program *program, int32_t *count);
/// Number `index`, from 0, in the order in which they appear; TENFOLD_INVALID_ARGUMENT for others.
/// Set tensor->size before.
tenfold_error tenfold_program_tensor_get(const tenfold_program *program, int32_t index,
                                         tenfold_program_tensor *tensor);

/// The number of positions of an index range. This struct keeps its form.
typedef struct tenfold_range_size {
    const char *range;
    int64_t size;
} tenfold_range_size;

/// How a program is planned.
typedef struct tenfold_program_options {
    size_t size;
    /// Of every contraction, without a grid, steps, memory_per_rank, factors, epilogues and
    /// conjugated; NULL: defaults.
    const tenfold_dist_options *contraction;
    /// How often blocks are repeated, for the sums of the plan; 0: as often as they may.
    int32_t repetitions;
    int32_t one_copy; ///< 1: no tensor is kept in several copies
    /// If one_copy is 0: the most bytes of all tensors' blocks on one rank; 0: a quarter more than
    /// without copies. It bounds copies alone, and has no effect if one_copy is 1.
    int64_t memory_per_rank;
} tenfold_program_options;

/// A program that is planned for given sizes and a number of ranks. It does not change.
typedef struct tenfold_program_plan tenfold_program_plan;

/// Local; needs neither ranks nor MPI. `sizes` are those of all ranges; `options` may be NULL.
/// Codes: those of tenfold_dist_plan_create(). *plan is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_program_plan_create(const tenfold_program *program,
                                          const tenfold_range_size *sizes, int32_t size_count,
                                          int32_t ranks, const tenfold_program_options *options,
                                          tenfold_program_plan **plan);
/// NULL is ignored.
void tenfold_program_plan_destroy(tenfold_program_plan *plan);

/// What a whole program takes, or took. "Per rank" means the maximum over the ranks.
typedef struct tenfold_program_summary {
    size_t size;
    int32_t ranks;
    int32_t line_count;
    int32_t converged;      ///< of a result: every repeated block ended by its test; 1 of a plan
    double seconds;         ///< of a plan predicted, of a result taken
    int64_t bytes_received; ///< per rank, by all lines
    int64_t peak_bytes;     ///< per rank
} tenfold_program_summary;

/// A line in all its runs.
typedef struct tenfold_program_line {
    size_t size;
    int32_t number;   ///< of the text, from 1
    const char *text; ///< lives as long as the plan or the result
    int64_t times;    ///< how often it runs, or ran
    double seconds;   ///< of a plan predicted, of a result those of the slowest rank
    double planned_seconds;
    int64_t bytes_received; ///< per rank
    int64_t peak_bytes;     ///< per rank: all tensors that exist, buffers and local workspace
} tenfold_program_line;

/// Set summary->size before.
tenfold_error tenfold_program_plan_summarise(const tenfold_program_plan *plan,
                                             tenfold_program_summary *summary);
/// Line number `index` of those that compute, from 0; TENFOLD_INVALID_ARGUMENT for others. Set
/// line->size before.
tenfold_error tenfold_program_plan_line(const tenfold_program_plan *plan, int32_t index,
                                        tenfold_program_line *line);
/// Where a tensor lies, as a copy. TENFOLD_INVALID_ARGUMENT for names that no line uses.
tenfold_error tenfold_program_plan_layout(const tenfold_program_plan *plan, const char *name,
                                          tenfold_distribution **distribution);
/// A table of lines and layouts; it lives as long as the plan.
tenfold_error tenfold_program_plan_text(const tenfold_program_plan *plan, const char **text);

/// An input: a tensor of f64, or else a function that fills each rank's block, or else, of a
/// scalar, a number. This struct keeps its form; set what does not apply to 0.
typedef struct tenfold_program_input {
    const char *name;
    double number;
    /// Read where it lies if that is where the plan has it, and copied otherwise.
    const tenfold_dist_tensor *tensor;
    tenfold_element_function function; ///< as tenfold_dist_fill_by() takes it
    void *user;
} tenfold_program_input;

/// What a program computed.
typedef struct tenfold_program_result tenfold_program_result;

/// Collective. Runs a planned program; see tenfold::run_program(). All ranks bind inputs of the
/// same names and kinds; `user` may differ by rank. Codes: TENFOLD_INVALID_ARGUMENT (an input that
/// is missing or none, of the wrong kind, of another world, another number of ranks, a function
/// that returns anything but 0), TYPE_MISMATCH, EXTENT_MISMATCH, ORDER_MISMATCH, DISAGREEMENT,
/// OUT_OF_MEMORY. *result is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_program_run(const tenfold_program_plan *plan, const tenfold_world *world,
                                  const tenfold_program_input *inputs, int32_t input_count,
                                  tenfold_program_result **result);

/// How a program is run.
typedef struct tenfold_program_run_options {
    size_t size;
    /// On all ranks or on none. It is looked at within contractions and before every operation;
    /// shares are predicted seconds: of a block that is repeated, for as often as the plan expects.
    /// A stop on any rank ends the program on all of them with TENFOLD_STOPPED, and nothing of it
    /// remains. NULL: none.
    const tenfold_control *control;
} tenfold_program_run_options;

/// Collective. The same with options, which may be NULL.
tenfold_error tenfold_program_run_with(const tenfold_program_plan *plan, const tenfold_world *world,
                                       const tenfold_program_input *inputs, int32_t input_count,
                                       const tenfold_program_run_options *options,
                                       tenfold_program_result **result);
/// NULL is ignored. Tensors that were taken live on.
void tenfold_program_result_destroy(tenfold_program_result *result);

/// Local. An output that is a scalar; the same on all ranks. TENFOLD_INVALID_ARGUMENT for other
/// names.
tenfold_error tenfold_program_result_scalar(const tenfold_program_result *result, const char *name,
                                            double *value);
/// Local. Takes an output tensor out of the result; destroy it by tenfold_dist_destroy().
/// TENFOLD_INVALID_ARGUMENT for other names, and for one that was taken before.
tenfold_error tenfold_program_result_take(tenfold_program_result *result, const char *name,
                                          tenfold_dist_tensor **tensor);
/// As those of plans.
tenfold_error tenfold_program_result_summarise(const tenfold_program_result *result,
                                               tenfold_program_summary *summary);
tenfold_error tenfold_program_result_line(const tenfold_program_result *result, int32_t index,
                                          tenfold_program_line *line);
tenfold_error tenfold_program_result_text(const tenfold_program_result *result, const char **text);

TENFOLD_END_C

#endif

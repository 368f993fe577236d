// What the tests of the distributed C interface share. Every rank runs all of them.
#ifndef TENFOLD_TESTS_CAPI_DISTRIBUTED_RANKS_H
#define TENFOLD_TESTS_CAPI_DISTRIBUTED_RANKS_H

#include <tenfold/tenfold_dist.h>

#include "../check.h"

/// The world of all ranks of the program, this rank, and their number.
extern tenfold_world *everyone;
extern int this_rank, rank_count;

/// The rank that errs in tests of errors on one rank.
int is_last(void);

/// Checks that a collective call returns `expected` on all ranks, with the same message on those
/// that did not fail themselves, and that the world can be used afterwards.
#define FAILS_ON_ALL(expected, part, call)                                                         \
    fails_on_all(expected, part, call, #call, __FILE__, __LINE__)
void fails_on_all(tenfold_error expected, const char *part, tenfold_error code, const char *call,
                  const char *file, int line);

/// An integer that differs by position and by `salt`, from -4 to 4.
double value_at(const int64_t *position, int order, int salt);

/// A tensor of f64 in the default distribution, filled with value_at().
tenfold_dist_tensor *make_tensor(int salt, int32_t order, const int64_t *extents);
#define MAKE(salt, ...)                                                                            \
    make_tensor(salt, (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),               \
                (const int64_t[]){__VA_ARGS__})

/// Whether the tensor, gathered on rank 0, has the values of `expected` (dense, column-major); 1 on
/// other ranks.
int holds(const tenfold_dist_tensor *tensor, const double *expected);

void async_tests(void);
void contract_error_tests(void);
void contract_tests(void);
void copies_tests(void);
void distribution_tests(void);
void fatal_tests(void);
void file_tests(void);
void interchange_tests(void);
void layout_tests(void);
void list_tests(void);
void null_tests(void);
void operations_tests(void);
void part_tests(void);
void plan_tests(void);
void program_tests(void);
void record_tests(void);
void reduction_tests(void);
void slice_tests(void);
void tensor_tests(void);
void trace_tests(void);
void type_tests(void);
void world_tests(void);
void wrong_number_tests(void);

#endif

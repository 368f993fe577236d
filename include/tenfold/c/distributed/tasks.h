// Lists of tasks from which ranks take some as soon as they have finished others.
#ifndef TENFOLD_C_DISTRIBUTED_TASKS_H
#define TENFOLD_C_DISTRIBUTED_TASKS_H

#include <tenfold/c/control.h>
#include <tenfold/c/distributed/world.h>

TENFOLD_BEGIN_C

typedef struct tenfold_task_options {
    size_t size;
    /// What each task costs, in any unit: then tasks are handed out in the order of falling costs.
    /// NULL: in the order of their numbers, as if all cost the same.
    const double *costs;
    /// So many tasks at a time, or a multiple of that; fewer at the end of the list. 0: 1.
    int64_t grain;
    /// On all ranks or on none. A stop on any rank ends the call on all of them. Progress is told
    /// between pieces, as the part of the list that is handed out. NULL: none.
    const tenfold_control *control;
} tenfold_task_options;

/// What a function of tasks may ask while it works, and no longer.
typedef struct tenfold_task_service tenfold_task_service;

/// Local. Lets ranks that wait for tasks have some: rank 0 hands them out, between its own pieces
/// and here. A function whose pieces take long calls it every few milliseconds; it takes about a
/// microsecond. *goes_on becomes 0 when the rest need not be done, because the call has failed
/// elsewhere, as far as this rank knows, or was stopped here, and 1 otherwise. Calls of other
/// threads than the one that calls the function only tell that.
tenfold_error tenfold_task_service_serve(tenfold_task_service *others, int32_t *goes_on);

/// Does some tasks, which `tasks` numbers from 0. Anything but 0 fails the call, unless *goes_on
/// was 0 before.
typedef int32_t (*tenfold_piece_function)(const int64_t *tasks, int64_t count,
                                          tenfold_task_service *others, void *user);

/// Collective. Calls `function`, on the calling thread of each rank, for pieces of the tasks 0 to
/// count - 1 until all are done; each task is in one piece of one rank. All ranks pass the same
/// arguments but for `user` and what the function does. tenfold::for_each_piece() says how pieces
/// are cut and handed out.
///
/// The function makes no collective calls on this world, which return TENFOLD_INVALID_ARGUMENT. If
/// it returns anything but 0 on one rank, no further tasks are handed out, and all ranks return
/// TENFOLD_INVALID_ARGUMENT when they have done what they have. `options` may be NULL. Codes:
/// TENFOLD_INVALID_ARGUMENT (a negative count or grain, costs that are negative or not finite),
/// OUT_OF_MEMORY, DISAGREEMENT, STOPPED.
tenfold_error tenfold_for_each_piece(const tenfold_world *world, int64_t count,
                                     tenfold_piece_function function, void *user,
                                     const tenfold_task_options *options);

/// Does a task. Anything but 0 fails the call.
typedef int32_t (*tenfold_task_function)(int64_t task, void *user);

/// Collective. The same one by one.
tenfold_error tenfold_for_each_task(const tenfold_world *world, int64_t count,
                                    tenfold_task_function function, void *user,
                                    const tenfold_task_options *options);

TENFOLD_END_C

#endif

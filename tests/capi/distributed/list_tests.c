// Tests lists that ranks give each other, and lists of tasks that they share.
#include <math.h>
#include <string.h>

#include "ranks.h"

typedef struct item {
    double value;
    int64_t rank;
} item;

/// Rank r passes r items, so that one rank has none.
static int make_items(item *items) {
    for (int i = 0; i < this_rank; ++i) {
        items[i].value = 0.5 + i;
        items[i].rank = this_rank;
    }
    return this_rank;
}

/// Whether a list has the items of all ranks, in their order.
static int has_all(const tenfold_item_list *list) {
    const void *data = NULL;
    const item *next;
    int64_t count = -1, expected = 0;
    int equal = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_item_list_get(list, &data, &count));
    next = data;
    for (int rank = 0; rank < rank_count; ++rank)
        for (int i = 0; i < rank; ++i, ++expected)
            if (expected < count) {
                equal = equal && next->value == 0.5 + i && next->rank == rank;
                ++next;
            }
    return equal && count == expected;
}

static int is_empty(const tenfold_item_list *list) {
    const void *data = &data;
    int64_t count = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_item_list_get(list, &data, &count));
    return count == 0 && data == NULL;
}

static void gathering(void) {
    item items[8];
    const int count = make_items(items);
    tenfold_item_list *all = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_gather_lists(everyone, sizeof *items, count > 0 ? items : NULL,
                                                count, rank_count - 1, &all));
    CHECK(is_last() ? has_all(all) : is_empty(all));
    tenfold_item_list_destroy(all);
    CHECK_CODE(TENFOLD_OK, tenfold_all_gather_lists(everyone, sizeof *items, items, count, &all));
    CHECK(has_all(all));
    tenfold_item_list_destroy(all);
    // Items of any size.
    CHECK_CODE(TENFOLD_OK, tenfold_all_gather_lists(everyone, 3, "abcdef", 2, &all));
    {
        const void *data = NULL;
        int64_t found = 0;
        CHECK_CODE(TENFOLD_OK, tenfold_item_list_get(all, &data, &found));
        CHECK(found == 2 * rank_count);
        CHECK(memcmp((const char *)data + 6 * (rank_count - 1), "abcdef", 6) == 0);
    }
    tenfold_item_list_destroy(all);
}

/// Rank r gets r % 3 items of the last rank.
static void scattering(void) {
    double items[16];
    int64_t counts[16], count = -1, begin = 0;
    const void *data = NULL;
    tenfold_item_list *mine = NULL;
    for (int i = 0; i < 16; ++i) {
        items[i] = 100 + i;
        counts[i] = i % 3;
    }
    CHECK_CODE(TENFOLD_OK, tenfold_scatter_lists(everyone, sizeof *items, is_last() ? items : NULL,
                                                 is_last() ? counts : NULL, rank_count - 1, &mine));
    CHECK_CODE(TENFOLD_OK, tenfold_item_list_get(mine, &data, &count));
    for (int rank = 0; rank < this_rank; ++rank)
        begin += counts[rank];
    CHECK(count == counts[this_rank]);
    for (int64_t i = 0; i < count; ++i)
        CHECK(((const double *)data)[i] == items[begin + i]);
    tenfold_item_list_destroy(mine);
}

static void wrong_lists(void) {
    const double items[2] = {1, 2};
    int64_t counts[16] = {1}, count = 0;
    const void *data = NULL;
    tenfold_item_list *list = NULL;
#define GATHER(bytes, values, number, root)                                                        \
    tenfold_gather_lists(everyone, bytes, values, number, root, &list)
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "item_bytes is 0",
                 GATHER(is_last() ? 0 : 8, items, 2, 0));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "the number of items is -1",
                 GATHER(8, items, is_last() ? -1 : 2, 0));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "items is NULL",
                 GATHER(8, is_last() ? NULL : items, 2, 0));
    FAILS_ON_ALL(TENFOLD_OVERFLOW, "items of 8 bytes have more than 2^63 - 1 bytes",
                 GATHER(8, items, is_last() ? INT64_MAX / 4 : 2, 0));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "root", GATHER(8, items, 2, rank_count));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "root", GATHER(8, items, 2, -1));
    if (rank_count > 1)
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "bytes of an item",
                     GATHER(is_last() ? 4 : 8, items, 1, 0));
#undef GATHER
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "all is NULL",
                 tenfold_all_gather_lists(everyone, 8, items, 2, is_last() ? NULL : &list));
#define SCATTER(values, numbers) tenfold_scatter_lists(everyone, 8, values, numbers, 0, &list)
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "counts is NULL", SCATTER(items, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "items is NULL", SCATTER(NULL, counts));
    counts[0] = -1;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "-1 values for rank 0", SCATTER(items, counts));
    counts[0] = INT64_MAX / 2;
    FAILS_ON_ALL(TENFOLD_OVERFLOW, "bytes", SCATTER(items, counts));
#undef SCATTER
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "mine is NULL",
                 tenfold_scatter_lists(everyone, 8, items, counts, 0, NULL));
    CHECK(list == NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_all_gather_lists(everyone, 8, items, 2, &list));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_item_list_get(NULL, &data, &count));
    CHECK_MESSAGE("list is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_item_list_get(list, NULL, &count));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_item_list_get(list, &data, NULL));
    tenfold_item_list_destroy(list);
}

enum { most_tasks = 400 };

/// What the functions of tasks below are given.
typedef struct work {
    int done[most_tasks]; ///< how often
    const double *costs;
    double last_cost;
    tenfold_stop *stop;
    tenfold_dist_tensor *tensor;
    tenfold_error its_code; ///< of a collective call
} work;

static int32_t do_task(int64_t task, void *user) {
    work *const mine = user;
    ++mine->done[task];
    return 0;
}

static int once_each(work *mine, int count) {
    int all = 1;
    MPI_Allreduce(MPI_IN_PLACE, mine->done, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i)
        all = all && mine->done[i] == 1;
    return all;
}

static int32_t note_share(double done, void *user) {
    *(double *)user = done;
    return 0;
}

/// In twos, the dearest first.
static int32_t do_piece(const int64_t *tasks, int64_t count, tenfold_task_service *others,
                        void *user) {
    work *const mine = user;
    int32_t goes_on = -1;
    CHECK(count % 2 == 0);
    for (int64_t i = 0; i < count; ++i) {
        CHECK(mine->costs[tasks[i]] <= mine->last_cost);
        mine->last_cost = mine->costs[tasks[i]];
        ++mine->done[tasks[i]];
        CHECK_CODE(TENFOLD_OK, tenfold_task_service_serve(others, &goes_on));
        CHECK(goes_on == 1);
    }
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_task_service_serve(others, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_task_service_serve(NULL, &goes_on));
    CHECK_MESSAGE("others is NULL");
    return 0;
}

static void tasks(void) {
    static work mine;
    double costs[most_tasks], done = -1;
    tenfold_task_options options = TENFOLD_INIT(tenfold_task_options);
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    memset(&mine, 0, sizeof mine);
    CHECK_CODE(TENFOLD_OK, tenfold_for_each_task(everyone, 41, do_task, &mine, NULL));
    CHECK(once_each(&mine, 41));
    CHECK_CODE(TENFOLD_OK, tenfold_for_each_task(everyone, 0, do_task, &mine, NULL));
    for (int i = 0; i < most_tasks; ++i)
        costs[i] = (double)(i * 7 % 100);
    memset(&mine, 0, sizeof mine);
    mine.costs = costs;
    mine.last_cost = HUGE_VAL;
    control.progress = note_share;
    control.user = &done;
    options.costs = costs;
    options.grain = 2;
    options.control = &control;
    CHECK_CODE(TENFOLD_OK, tenfold_for_each_piece(everyone, most_tasks, do_piece, &mine, &options));
    CHECK(once_each(&mine, most_tasks) && done == 1);
}

static int32_t fail_task(int64_t task, void *user) {
    (void)task;
    (void)user;
    return is_last() ? 7 : 0;
}

static int32_t fail_piece(const int64_t *given, int64_t count, tenfold_task_service *others,
                          void *user) {
    (void)others;
    CHECK(count > 0);
    return fail_task(given[0], user);
}

/// The last rank asks for a stop, learns of it, and gives up.
static int32_t stop_piece(const int64_t *given, int64_t count, tenfold_task_service *others,
                          void *user) {
    const work *const mine = user;
    int32_t goes_on = -1;
    (void)given;
    (void)count;
    if (!is_last())
        return 0;
    CHECK_CODE(TENFOLD_OK, tenfold_stop_request(mine->stop));
    CHECK_CODE(TENFOLD_OK, tenfold_task_service_serve(others, &goes_on));
    CHECK(goes_on == 0);
    return 9; // is no failure of its own
}

static int32_t call_collectively(int64_t task, void *user) {
    work *const mine = user;
    double norm = 0;
    (void)task;
    mine->its_code = tenfold_dist_norm(mine->tensor, &norm);
    return 0;
}

/// Each rank has a task: it need not ask for the first ones.
static void tasks_that_end_early(void) {
    static work mine;
    tenfold_task_options options = TENFOLD_INIT(tenfold_task_options);
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "the function of tasks returned 7 at task",
                 tenfold_for_each_task(everyone, most_tasks, fail_task, NULL, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "returned 7 in the piece that begins with task",
                 tenfold_for_each_piece(everyone, most_tasks, fail_piece, NULL, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_stop_create(&mine.stop));
    control.stop = mine.stop;
    options.control = &control;
    FAILS_ON_ALL(TENFOLD_STOPPED, "",
                 tenfold_for_each_piece(everyone, most_tasks, stop_piece, &mine, &options));
    tenfold_stop_destroy(mine.stop);
    mine.tensor = MAKE(1, 4);
    CHECK_CODE(TENFOLD_OK,
               tenfold_for_each_task(everyone, most_tasks, call_collectively, &mine, NULL));
    CHECK(mine.its_code == TENFOLD_INVALID_ARGUMENT);
    CHECK_MESSAGE("tasks");
    tenfold_dist_destroy(mine.tensor);
}

static void wrong_tasks(void) {
    const double costs[] = {1, -1, 2};
    tenfold_task_options options = TENFOLD_INIT(tenfold_task_options);
#define TASKS(count) tenfold_for_each_task(everyone, count, fail_task, NULL, &options)
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "-1 tasks", TASKS(-1));
    options.grain = -1;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "pieces of -1 tasks", TASKS(3));
    options.grain = 0;
    options.costs = costs;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "task 1 costs -1", TASKS(3));
    options.costs = NULL;
    options.size = is_last() ? 1 : sizeof options;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "options: size is 1", TASKS(3));
    options.size = sizeof options;
    if (rank_count > 1)
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "tasks: rank 0 passed 3", TASKS(is_last() ? 4 : 3));
#undef TASKS
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "function is NULL",
                 tenfold_for_each_task(everyone, 3, is_last() ? NULL : fail_task, NULL, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "function is NULL",
                 tenfold_for_each_piece(everyone, 3, NULL, NULL, NULL));
}

void list_tests(void) {
    gathering();
    scattering();
    wrong_lists();
    tasks();
    tasks_that_end_early();
    wrong_tasks();
}

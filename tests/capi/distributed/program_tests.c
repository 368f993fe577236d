// Tests programs of equations: planned locally, run on all ranks.
#include <string.h>

#include "ranks.h"

static const char *const text = "index i, j: row\n"
                                "input A[i,j], e[i], s\n"
                                "output R[i,j], n\n"
                                "R[i,j] = s*A[i,j] / (e[i] + e[j])\n"
                                "n = R[i,j]*A[i,j]\n";

static int32_t matrix(const int64_t *position, void *element, void *user) {
    *(double *)element = (double)(position[0] + 4 * position[1]);
    (void)user;
    return 0;
}

/// Fails on the rank that owns the last element; another one may own nothing.
static int32_t failing(const int64_t *position, void *element, void *user) {
    *(double *)element = 0;
    (void)user;
    return position[0] == 3 && position[1] == 3 ? 7 : 0;
}

static tenfold_program *parse(void) {
    tenfold_program *program = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_program_parse(text, &program));
    return program;
}

static tenfold_program_plan *plan_for(const tenfold_program *program, int32_t ranks) {
    const tenfold_range_size size = {"row", 4};
    tenfold_program_plan *plan = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_program_plan_create(program, &size, 1, ranks, NULL, &plan));
    return plan;
}

static void tensors(void) {
    static const char *const names[] = {"A", "e", "s", "R", "n"};
    static const int32_t orders[] = {2, 1, 0, 2, 0};
    tenfold_program *const program = parse();
    tenfold_program_tensor tensor = TENFOLD_INIT(tenfold_program_tensor);
    int32_t count = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_program_tensor_count(program, &count));
    CHECK(count == 5);
    for (int32_t i = 0; i < 5; ++i) {
        CHECK_CODE(TENFOLD_OK, tenfold_program_tensor_get(program, i, &tensor));
        CHECK_TEXT(names[i], tensor.name);
        CHECK(tensor.order == orders[i]);
        CHECK(tensor.role == (i < 3 ? TENFOLD_ROLE_INPUT : TENFOLD_ROLE_OUTPUT));
        for (int32_t mode = 0; mode < tensor.order; ++mode)
            CHECK_TEXT("row", tensor.ranges[mode]);
    }
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_tensor_get(program, 5, &tensor));
    CHECK_MESSAGE("there is no tensor 5; the program has 5");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_tensor_get(program, -1, &tensor));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_tensor_get(NULL, 0, &tensor));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_tensor_get(program, 0, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_tensor_count(program, NULL));
    tensor.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_tensor_get(program, 0, &tensor));
    tenfold_program_destroy(program);
}

/// As in C++, the limit bounds copies alone.
static void one_copy_within_a_limit(void) {
    const tenfold_range_size row = {"row", 300};
    tenfold_program *const program = parse();
    tenfold_program_options options = TENFOLD_INIT(tenfold_program_options);
    tenfold_program_plan *plans[2] = {NULL, NULL};
    const char *texts[2] = {"", ""};
    options.one_copy = 1;
    for (int i = 0; i < 2; ++i) {
        options.memory_per_rank = i; // no limit, then a byte
        CHECK_CODE(TENFOLD_OK,
                   tenfold_program_plan_create(program, &row, 1, 16, &options, &plans[i]));
        CHECK_CODE(TENFOLD_OK, tenfold_program_plan_text(plans[i], &texts[i]));
    }
    CHECK_TEXT(texts[0], texts[1]);
    tenfold_program_plan_destroy(plans[0]);
    tenfold_program_plan_destroy(plans[1]);
    tenfold_program_destroy(program);
}

/// Options of a contraction that programs have no use for.
static void refused_options(void) {
    const tenfold_range_size row = {"row", 4};
    const int32_t conjugated[] = {1};
    tenfold_program *const program = parse();
    tenfold_program_options options = TENFOLD_INIT(tenfold_program_options);
    tenfold_dist_options contraction = TENFOLD_INIT(tenfold_dist_options);
    tenfold_program_plan *plan = NULL;
    contraction.conjugated = conjugated;
    options.contraction = &contraction;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_program_plan_create(program, &row, 1, 2, &options, &plan));
    CHECK_MESSAGE("conjugated is of tenfold_dist_plan_create() only");
    CHECK(plan == NULL);
    tenfold_program_destroy(program);
}

static void dry_run(void) {
    const tenfold_range_size size = {"row", 300}, wrong = {"column", 3};
    tenfold_program *const program = parse();
    tenfold_program_options options = TENFOLD_INIT(tenfold_program_options);
    tenfold_program_summary summary = TENFOLD_INIT(tenfold_program_summary);
    tenfold_program_line line = TENFOLD_INIT(tenfold_program_line);
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_program_plan *plan = NULL;
    tenfold_distribution *spread = NULL;
    const char *told = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_program_text(program, &told));
    CHECK_TEXT(text, told);
    options.one_copy = 1;
    options.repetitions = 2;
    CHECK_CODE(TENFOLD_OK, tenfold_program_plan_create(program, &size, 1, 16, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_program_plan_summarise(plan, &summary));
    CHECK(summary.ranks == 16 && summary.line_count == 2 && summary.converged == 1);
    CHECK(summary.seconds > 0 && summary.peak_bytes > 0);
    CHECK_CODE(TENFOLD_OK, tenfold_program_plan_line(plan, 1, &line));
    CHECK(line.number == 5 && line.times == 1 && line.seconds == line.planned_seconds);
    CHECK_TEXT("n = R[i,j]*A[i,j]", line.text);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_plan_line(plan, 2, &line));
    CHECK_MESSAGE("there is no line 2; the program has 2");
    CHECK_CODE(TENFOLD_OK, tenfold_program_plan_layout(plan, "A", &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &parts));
    CHECK(parts.ranks == 16 && parts.copies == 1);
    tenfold_distribution_destroy(spread);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_plan_layout(plan, "B", &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_program_plan_text(plan, &told));
    CHECK(strstr(told, "2 lines on 16 ranks") != NULL);
    tenfold_program_plan_destroy(plan);

    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_program_plan_create(program, &wrong, 1, 16, NULL, &plan));
    CHECK_MESSAGE("range 'row' has no size");
    CHECK(plan == NULL);
    tenfold_program_destroy(program);
}

static void run(void) {
    tenfold_program *program = parse();
    tenfold_program_plan *const plan = plan_for(program, rank_count);
    tenfold_program_input inputs[] = {
        {"A", 0, NULL, matrix, NULL}, {"e", 0, NULL, NULL, NULL}, {"s", 2, NULL, NULL, NULL}};
    tenfold_program_summary summary = TENFOLD_INIT(tenfold_program_summary);
    tenfold_program_line line = TENFOLD_INIT(tenfold_program_line);
    tenfold_dist_tensor *const e = MAKE(1, 4), *r = NULL;
    const tenfold_scalar one = {1, 0};
    tenfold_program_result *result = NULL;
    const char *told = NULL;
    double n = 0, expected[16];
    for (int i = 0; i < 16; ++i)
        expected[i] = i;
    tenfold_program_destroy(program); // plans live on
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(e, &one));
    inputs[1].tensor = e;
    CHECK_CODE(TENFOLD_OK, tenfold_program_run(plan, everyone, inputs, 3, &result));
    CHECK_CODE(TENFOLD_OK, tenfold_program_result_scalar(result, "n", &n));
    CHECK(n == 1240);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_result_scalar(result, "R", &n));
    CHECK_CODE(TENFOLD_OK, tenfold_program_result_take(result, "R", &r));
    CHECK_CODE(TENFOLD_OK, tenfold_program_result_summarise(result, &summary));
    CHECK(summary.ranks == rank_count && summary.converged == 1 && summary.line_count == 2);
    CHECK_CODE(TENFOLD_OK, tenfold_program_result_line(result, 0, &line));
    CHECK(line.number == 4 && line.times == 1 && line.peak_bytes > 0);
    CHECK_CODE(TENFOLD_OK, tenfold_program_result_text(result, &told));
    CHECK(strstr(told, "R[i,j] = s*A[i,j]") != NULL);
    tenfold_program_result_destroy(result);
    CHECK(holds(r, expected));
    tenfold_dist_destroy(r);

    inputs[0].function = failing;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "returned 7",
                 tenfold_program_run(plan, everyone, inputs, 3, &result));
    CHECK(result == NULL);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "input 's' is missing",
                 tenfold_program_run(plan, everyone, inputs, 2, &result));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "plan is NULL",
                 tenfold_program_run(is_last() ? NULL : plan, everyone, inputs, 3, &result));
    inputs[2].name = "A";
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "input 'A' is bound twice",
                 tenfold_program_run(plan, everyone, inputs, 3, &result));
    tenfold_dist_destroy(e);
    tenfold_program_plan_destroy(plan);
}

/// Labels over pairs: R becomes the symmetric part of A.
static void pairs(void) {
    static const char *const lines = "index i, j: row\n"
                                     "index ij: pairs(row)\n"
                                     "input A[i,j]\n"
                                     "output R[i,j], P[ij]\n"
                                     "pack P[ij] = A[i,j]\n"
                                     "unpack R[i,j] = P[ij]\n";
    const tenfold_program_input input = {"A", 0, NULL, matrix, NULL};
    tenfold_program_tensor tensor = TENFOLD_INIT(tenfold_program_tensor);
    tenfold_program *program = NULL;
    tenfold_program_result *result = NULL;
    tenfold_program_plan *plan = NULL;
    tenfold_dist_tensor *r = NULL;
    double expected[16];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            expected[i + 4 * j] = 2.5 * (i + j); // of i + 4 j
    CHECK_CODE(TENFOLD_OK, tenfold_program_parse(lines, &program));
    CHECK_CODE(TENFOLD_OK, tenfold_program_tensor_get(program, 2, &tensor));
    CHECK_TEXT("pairs(row)", tensor.ranges[0]);
    plan = plan_for(program, rank_count);
    CHECK_CODE(TENFOLD_OK, tenfold_program_run(plan, everyone, &input, 1, &result));
    CHECK_CODE(TENFOLD_OK, tenfold_program_result_take(result, "R", &r));
    CHECK(holds(r, expected));
    tenfold_dist_destroy(r);
    tenfold_program_result_destroy(result);
    tenfold_program_plan_destroy(plan);
    tenfold_program_destroy(program);
}

static int32_t note_share(double done, void *user) {
    *(double *)user = done;
    return 0;
}

/// Runs the program on constant inputs.
static tenfold_error run_with(const tenfold_program_plan *plan,
                              const tenfold_program_run_options *options, double *n) {
    tenfold_dist_tensor *const e = MAKE(1, 4);
    const tenfold_scalar one = {1, 0};
    const tenfold_program_input inputs[] = {
        {"A", 0, NULL, matrix, NULL}, {"e", 0, e, NULL, NULL}, {"s", 2, NULL, NULL, NULL}};
    tenfold_program_result *result = NULL;
    tenfold_error code;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(e, &one));
    code = tenfold_program_run_with(plan, everyone, inputs, 3, options, &result);
    CHECK((code == TENFOLD_OK) == (result != NULL));
    if (code == TENFOLD_OK)
        CHECK_CODE(TENFOLD_OK, tenfold_program_result_scalar(result, "n", n));
    tenfold_program_result_destroy(result);
    tenfold_dist_destroy(e);
    return code;
}

static void watched_run(void) {
    tenfold_program *const program = parse();
    tenfold_program_plan *const plan = plan_for(program, rank_count);
    tenfold_program_run_options options = TENFOLD_INIT(tenfold_program_run_options);
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    tenfold_stop *stop = NULL;
    double done = -1, n = 0;
    CHECK_CODE(TENFOLD_OK, run_with(plan, NULL, &n));
    CHECK(n == 1240);
    control.progress = note_share;
    control.user = &done;
    options.control = &control;
    CHECK_CODE(TENFOLD_OK, run_with(plan, &options, &n));
    CHECK(n == 1240 && done == 1);
    if (rank_count > 1)
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "control",
                     run_with(plan, is_last() ? NULL : &options, &n));
    control.interval_milliseconds = is_last() ? -1 : 0;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "interval_milliseconds is -1",
                 run_with(plan, &options, &n));
    control.interval_milliseconds = 0;
    options.size = is_last() ? 1 : sizeof options;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "options: size is 1", run_with(plan, &options, &n));
    options.size = sizeof options;
    // Requested on one rank, it ends the program on all.
    CHECK_CODE(TENFOLD_OK, tenfold_stop_create(&stop));
    control.stop = stop;
    if (is_last())
        CHECK_CODE(TENFOLD_OK, tenfold_stop_request(stop));
    FAILS_ON_ALL(TENFOLD_STOPPED, "", run_with(plan, &options, &n));
    control.stop = NULL;
    n = 0;
    CHECK_CODE(TENFOLD_OK, run_with(plan, &options, &n));
    CHECK(n == 1240);
    tenfold_stop_destroy(stop);
    tenfold_program_plan_destroy(plan);
    tenfold_program_destroy(program);
}

static void errors(void) {
    tenfold_program *program = (tenfold_program *)&program;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_parse("n = V[i]", &program));
    CHECK_MESSAGE("line 1, column 5: 'V' is read here");
    CHECK(program == NULL);
    CHECK_CODE(TENFOLD_IO, tenfold_program_read("/nonexistent/program", &program));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_parse(NULL, &program));
    CHECK_MESSAGE("text is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_parse(text, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_program_run(NULL, NULL, NULL, 0, NULL));
    CHECK_MESSAGE("world is NULL");
    tenfold_program_destroy(NULL);
    tenfold_program_plan_destroy(NULL);
    tenfold_program_result_destroy(NULL);
}

void program_tests(void) {
    tensors();
    dry_run();
    one_copy_within_a_limit();
    refused_options();
    run();
    pairs();
    watched_run();
    errors();
}

// Tests progress reports and stops.
#include "check.h"

/// What the reports of calls said, one call after the other.
typedef struct reports {
    int count;
    int calls;   ///< that reported their end
    double last; ///< of the call under way
    int stops;   ///< asks for a stop
} reports;

static int32_t report(double done, void *user) {
    reports *const seen = user;
    CHECK(done >= seen->last && done <= 1);
    ++seen->count;
    seen->calls += done == 1;
    seen->last = done == 1 ? 0 : done;
    return seen->stops;
}

/// Runs the same product by a plan, in one call, and as matrices, with a control.
static void run_all(const tenfold_context *context, const tenfold_control *control,
                    tenfold_error expected, int is_untouched) {
    const tenfold_product matrices = {TENFOLD_F64, {2, 3, 1, 2}, {3, 4, 1, 3}, {2, 4, 1, 2}};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_gemm_options gemm_options = TENFOLD_INIT(tenfold_gemm_options);
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    options.control = control;
    gemm_options.control = control;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan));
    CHECK_CODE(expected, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK(expected != TENFOLD_OK || has_result(&product, 1, 0));
    CHECK(!is_untouched || has_result(&product, 0, 1));
    tenfold_contraction_destroy(plan);
    set_up(&product);
    CHECK_CODE(expected, tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data,
                                          NULL, &options));
    CHECK(expected != TENFOLD_OK || has_result(&product, 1, 0));
    CHECK(!is_untouched || has_result(&product, 0, 1));
    set_up(&product);
    if (control->progress == NULL || expected == TENFOLD_OK) // small products may ignore it
        (void)tenfold_gemm(context, &matrices, product.a_data, product.b_data, product.d_data,
                           &gemm_options);
}

static void progress(const tenfold_context *context) {
    reports seen = {0, 0, 0, 0};
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    control.progress = report;
    control.user = &seen;
    control.interval_milliseconds = 1;
    run_all(context, &control, TENFOLD_OK, 0);
    CHECK(seen.calls >= 2); // by the plan, and in one call
}

/// The only report of a short call is that of its end, where nothing is left to be stopped.
static void stop_after_all_is_done(const tenfold_context *context) {
    reports seen = {0, 0, 0, 1};
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    control.progress = report;
    control.user = &seen;
    control.interval_milliseconds = 60000;
    run_all(context, &control, TENFOLD_OK, 0);
    CHECK(seen.count == seen.calls && seen.calls >= 2);
}

static void stop_by_progress(const tenfold_context *context) {
    // Some milliseconds of work, so that a report comes before its end.
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 1000, 1000),
                                     TENSOR(TENFOLD_F64, 1000, 1000)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 1000, 1000);
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    static double a[1000 * 1000], b[1000 * 1000], result[1000 * 1000];
    const void *const input_data[] = {a, b};
    const tenfold_data data = {input_data, 2, NULL, result};
    reports seen = {0, 0, 0, 1};
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_contraction_plan *plan = NULL;
    control.progress = report;
    control.user = &seen;
    control.interval_milliseconds = 1;
    options.control = &control;
    CHECK_CODE(TENFOLD_STOPPED,
               tenfold_contract(context, "ab=ak*kb", &operands, &data, NULL, &options));
    CHECK_MESSAGE("stopped");
    CHECK(seen.count == 1 && seen.calls == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_create(context, "ab=ak*kb", &operands, NULL, &plan));
    seen.last = 0;
    CHECK_CODE(TENFOLD_STOPPED, tenfold_contraction_execute(plan, &data, &options));
    tenfold_contraction_destroy(plan);
}

static void stop_before_the_call(const tenfold_context *context) {
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_stop *stop = NULL;
    matrix_product product;
    const tenfold_tensor vector = TENSOR(TENFOLD_F64, 4);
    const tenfold_operands copy = {&vector, 1, NULL, &vector};
    CHECK_CODE(TENFOLD_OK, tenfold_stop_create(&stop));
    control.stop = stop;
    run_all(context, &control, TENFOLD_OK, 0);
    CHECK_CODE(TENFOLD_OK, tenfold_stop_request(stop));
    CHECK_CODE(TENFOLD_OK, tenfold_stop_request(stop));
    run_all(context, &control, TENFOLD_STOPPED, 1);
    set_up(&product);
    options.control = &control;
    product.data.input_count = 1;
    CHECK_CODE(TENFOLD_STOPPED,
               tenfold_transpose(context, "a=a", &copy, &product.data, NULL, &options));
    CHECK(has_result(&product, 0, 1));
    tenfold_stop_destroy(stop);
}

static void wrong_controls(const tenfold_context *context) {
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    control.interval_milliseconds = -1;
    run_all(context, &control, TENFOLD_INVALID_ARGUMENT, 1);
    CHECK_MESSAGE("interval_milliseconds is -1");
}

void control_tests(void) {
    tenfold_context *context = make_context();
    progress(context);
    stop_after_all_is_done(context);
    stop_by_progress(context);
    stop_before_the_call(context);
    wrong_controls(context);
    tenfold_context_destroy(context);
}

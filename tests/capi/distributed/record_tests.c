// Tests what contractions say they did: reports, records with their steps and plans.
#include <stddef.h>

#include "ranks.h"

/// The most of any rank.
static int64_t most(int64_t own) {
    int64_t found = 0;
    MPI_Allreduce(&own, &found, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return found;
}

static void of_two_inputs(void) {
    tenfold_dist_tensor *const a = MAKE(1, 12, 10), *const b = MAKE(2, 10, 8),
                               *const d = MAKE(3, 12, 8);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_report step = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_distribution *result = NULL, *of_d = NULL;
    tenfold_dist_record *record = NULL;
    tenfold_dist_plan *plan = NULL;
    const char *expression = NULL;
    int32_t equal = -1;
    options.algorithm = TENFOLD_ALGORITHM_REFERENCE;
    options.grid_batch = options.grid_m = options.grid_k = 1;
    options.grid_n = rank_count;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_contract_recorded("mn=mk*kn", inputs, 2, d, &options, &record));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_record_report(record, &report));
    CHECK(report.step_count == 1 && report.seconds_max > 0 && report.peak_bytes_max > 0);
    CHECK(report.workspace_max >= 0 && report.workspace_max < report.peak_bytes_max);
    CHECK(report.algorithm == TENFOLD_ALGORITHM_REFERENCE);
    CHECK(most(report.own_bytes_received) == report.bytes_received_max);
    CHECK(most(report.own_redistribution) == report.redistribution_max);
    CHECK(most(report.bytes_received_max) == report.bytes_received_max);

    // A record's plan is the one that ran, and outlives the record.
    CHECK_CODE(TENFOLD_OK, tenfold_dist_record_plan(record, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_record_step(record, 0, &step));
    CHECK(step.bytes_received_max == report.bytes_received_max);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_step(record, 1, &step));
    CHECK_MESSAGE("there is no step 1; the contraction had 1");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_step(record, -1, &step));
    tenfold_dist_record_destroy(record);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.ranks == rank_count && summary.grid_n == rank_count);
    CHECK(summary.bytes_received == report.bytes_received_max);
    CHECK(summary.redistribution_bytes == report.redistribution_max);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step(plan, 0, &summary, &expression));
    CHECK_TEXT("mn=mk*kn", expression);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_result(plan, 0, &result));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_distribution(d, &of_d));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(result, of_d, &equal));
    CHECK(equal == 1);
    tenfold_distribution_destroy(result);
    tenfold_distribution_destroy(of_d);
    tenfold_dist_plan_destroy(plan);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

static void of_many_inputs(void) {
    tenfold_dist_tensor *const a = MAKE(1, 12, 10), *const b = MAKE(2, 10, 8),
                               *const d = MAKE(3, 12, 12);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}, {b, 0}, {a, 0}};
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_report step = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_dist_record *record = NULL;
    tenfold_dist_plan *plan = NULL;
    int64_t received = 0, own = 0, workspace = 0;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_contract_recorded("ij=ik*kl*ql*jq", inputs, 4, d, NULL, &record));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_record_report(record, &report));
    CHECK(report.step_count == 3 && report.algorithm == TENFOLD_ALGORITHM_AUTO);
    for (int32_t i = 0; i < report.step_count; ++i) {
        CHECK_CODE(TENFOLD_OK, tenfold_dist_record_step(record, i, &step));
        CHECK(step.step_count == 1 && step.seconds_max <= report.seconds_max);
        received += step.bytes_received_max;
        own += step.own_bytes_received + step.own_redistribution;
        if (step.workspace_max > workspace)
            workspace = step.workspace_max;
    }
    CHECK(received == report.bytes_received_max && workspace == report.workspace_max);
    CHECK(own == report.own_bytes_received + report.own_redistribution);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_step(record, 3, &step));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_record_plan(record, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.step_count == 3 && summary.bytes_received == report.bytes_received_max);
    tenfold_dist_plan_destroy(plan);
    tenfold_dist_record_destroy(record);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

/// A caller that was compiled before reports had these members.
static void shorter_reports(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 6), *const d = MAKE(3, 6, 6);
    const tenfold_dist_input inputs[] = {{a, 0}, {a, 0}};
    tenfold_dist_report older = TENFOLD_INIT(tenfold_dist_report);
    older.size = offsetof(tenfold_dist_report, workspace_max);
    older.workspace_max = -7;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("mn=mk*kn", inputs, 2, d, NULL, &older));
    CHECK(older.peak_bytes_max > 0 && older.workspace_max == -7);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(d);
}

static void errors(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 6), *const d = MAKE(3, 6, 6);
    const tenfold_dist_input inputs[] = {{a, 0}, {a, 0}};
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_record *record = (tenfold_dist_record *)&record;
    tenfold_dist_plan *plan = NULL;
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "record is NULL",
        tenfold_dist_contract_recorded("mn=mk*kn", inputs, 2, d, NULL, is_last() ? NULL : &record));
    CHECK(is_last() || record == NULL);
    record = (tenfold_dist_record *)&record;
    FAILS_ON_ALL(TENFOLD_SYNTAX, "",
                 tenfold_dist_contract_recorded("mn=mk*", inputs, 2, d, NULL, &record));
    CHECK(record == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_report(NULL, &report));
    CHECK_MESSAGE("record is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_step(NULL, 0, &report));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_plan(NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract_recorded("mn=mk*kn", inputs, 2, d, NULL, &record));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_report(record, NULL));
    CHECK_MESSAGE("report is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_plan(record, NULL));
    CHECK_MESSAGE("plan is NULL");
    report.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_record_report(record, &report));
    CHECK_MESSAGE("report: size is 1");
    tenfold_dist_record_destroy(record);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(d);
}

void record_tests(void) {
    of_two_inputs();
    of_many_inputs();
    shorter_reports();
    errors();
}

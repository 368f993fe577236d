// Tests what contraction plans say of themselves.
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *const four_modes = "abcd=aebf*dfce";

/// A plan of `four_modes` that TTGT would like to give workspace.
static tenfold_contraction_plan *large_plan(const tenfold_context *context, int64_t limit,
                                            tenfold_error expected) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 32, 33, 34, 35),
                                     TENSOR(TENFOLD_F64, 36, 35, 37, 33)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 32, 34, 37, 36);
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_plan *plan = NULL;
    options.workspace_limit = limit;
    options.algorithm = TENFOLD_ALGORITHM_TTGT;
    CHECK_CODE(expected,
               tenfold_contraction_create(context, four_modes, &operands, &options, &plan));
    return plan;
}

static void texts(const tenfold_context *context) {
    tenfold_contraction_plan *plan = large_plan(context, 0, TENFOLD_OK);
    const char *text = NULL, *again = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_explain(plan, &text));
    CHECK(strncmp(text, "abcd=aebf*dfce, f64, ", 21) == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_explain(plan, &again));
    CHECK(text == again);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_json(plan, &text));
    CHECK(strncmp(text, "{\"algorithm\":\"ttgt\",\"m\":1088,\"n\":1332,\"k\":1155,", 47) == 0);
    CHECK(text[strlen(text) - 1] == '}');
    tenfold_contraction_destroy(plan);
}

static void numbers(const tenfold_context *context) {
    tenfold_contraction_plan *plan = large_plan(context, 0, TENFOLD_OK);
    tenfold_contraction_summary summary = TENFOLD_INIT(tenfold_contraction_summary);
    tenfold_candidate candidate = TENFOLD_INIT(tenfold_candidate);
    int64_t workspace = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_summarise(plan, &summary));
    CHECK(summary.size == sizeof summary);
    CHECK(summary.algorithm == TENFOLD_ALGORITHM_TTGT);
    CHECK(summary.threads >= 1 && summary.threads <= 2);
    CHECK(summary.m == 32 * 34 && summary.n == 37 * 36 && summary.k == 33 * 35);
    CHECK(summary.batch == 1);
    CHECK(summary.flops == 2.0 * 1088 * 1332 * 1155);
    CHECK(summary.flops_at_once == summary.flops);
    CHECK(summary.bytes == 8.0 * (1088 * 1155 + 1155 * 1332 + 1088 * 1332));
    CHECK(summary.seconds > 0);
    CHECK(summary.largest_intermediate_bytes == 0);
    CHECK(summary.step_count == 0);
    CHECK(summary.is_limited == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_workspace_size(plan, &workspace));
    CHECK(workspace > 0 && workspace == summary.workspace_bytes);

    CHECK(summary.candidate_count > 1);
    for (int32_t i = 0; i < summary.candidate_count; ++i) {
        CHECK_CODE(TENFOLD_OK, tenfold_contraction_candidate(plan, i, &candidate));
        CHECK(candidate.size == sizeof candidate);
        CHECK(candidate.description != NULL && candidate.description[0] != '\0');
        CHECK(!candidate.possible || candidate.seconds > 0);
        if (candidate.possible && candidate.algorithm == TENFOLD_ALGORITHM_TTGT)
            CHECK(candidate.workspace_bytes == workspace);
    }
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_candidate(plan, -1, &candidate));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_candidate(plan, summary.candidate_count, &candidate));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_without_limit(plan, &candidate));
    CHECK_MESSAGE("does not matter");
    tenfold_contraction_destroy(plan);
}

static void limits(const tenfold_context *context) {
    tenfold_contraction_summary summary = TENFOLD_INIT(tenfold_contraction_summary);
    tenfold_candidate candidate = TENFOLD_INIT(tenfold_candidate);
    tenfold_contraction_plan *plan;
    int64_t least;
    CHECK(large_plan(context, 1, TENFOLD_WORKSPACE_TOO_SMALL) == NULL);
    least = last_details().least_bytes;
    CHECK(least > 1);
    CHECK_TEXT("", last_details().first.name);
    plan = large_plan(context, least, TENFOLD_OK);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_summarise(plan, &summary));
    CHECK(summary.workspace_bytes <= least);
    CHECK(summary.is_limited == 1);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_without_limit(plan, &candidate));
    CHECK(candidate.workspace_bytes > least);
    tenfold_contraction_destroy(plan);
}

static void steps(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 10, 20), TENSOR(TENFOLD_F64, 20, 30),
                                     TENSOR(TENFOLD_F64, 30, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 10, 2);
    const tenfold_operands operands = {inputs, 3, NULL, &d};
    tenfold_contraction_summary summary = TENFOLD_INIT(tenfold_contraction_summary);
    tenfold_step step = TENFOLD_INIT(tenfold_step);
    tenfold_contraction_plan *plan = NULL;
    const char *json = NULL;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ij,jk,kl->il", &operands, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_summarise(plan, &summary));
    CHECK(summary.candidate_count == 0);
    CHECK(summary.step_count == 2);
    CHECK(summary.flops == 2.0 * (20 * 30 * 2 + 10 * 20 * 2)); // the last two first
    CHECK(summary.largest_intermediate_bytes == 8 * 20 * 2);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_step(plan, 0, &step));
    CHECK(step.size == sizeof step);
    CHECK(step.operand_count == 2);
    CHECK(step.operands[0] + step.operands[1] == 1 + 2);
    CHECK(step.flops == 2.0 * 20 * 30 * 2);
    CHECK(step.m * step.n == 20 * 2 && step.k == 30 && step.batch == 1);
    CHECK(step.result_bytes == 8 * 20 * 2);
    CHECK(step.seconds > 0 && step.workspace_bytes >= 0);
    CHECK(step.algorithm != TENFOLD_ALGORITHM_AUTO);
    CHECK(strchr(step.expression, '=') != NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_step(plan, 1, &step));
    CHECK(step.operands[0] + step.operands[1] == 0 + 3); // input 0 and the result of step 0
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_step(plan, 2, &step));
    CHECK_MESSAGE("there is no step 2; the plan has 2");
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_json(plan, &json));
    CHECK(strstr(json, "\"steps\":[{\"expression\":") != NULL);
    tenfold_contraction_destroy(plan);
}

static void callers_workspace(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 10, 20), TENSOR(TENFOLD_F64, 20, 30),
                                     TENSOR(TENFOLD_F64, 30, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 10, 2);
    const tenfold_operands operands = {inputs, 3, NULL, &d};
    double *const ones = malloc(600 * sizeof *ones);
    double d_data[20];
    const void *const input_data[] = {ones, ones, ones};
    const tenfold_data data = {input_data, 3, NULL, d_data};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_contraction_plan *plan = NULL;
    int64_t bytes = 0;
    int touched = 0;
    for (int i = 0; i < 600; ++i)
        ones[i] = 1;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ij,jk,kl->il", &operands, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_workspace_size(plan, &bytes));
    CHECK(bytes > 0);
    options.workspace_bytes = (size_t)bytes + 63;
    unsigned char *const workspace = malloc(options.workspace_bytes);
    memset(workspace, 0xff, options.workspace_bytes);
    options.workspace = workspace;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &data, &options));
    for (int i = 0; i < 20; ++i)
        CHECK(d_data[i] == 600);
    for (size_t i = 0; i < options.workspace_bytes; ++i)
        touched += workspace[i] != 0xff;
    CHECK(touched > 0);
    tenfold_contraction_destroy(plan);
    free(workspace);
    free(ones);
}

static void outlives_its_context(void) {
    tenfold_context *context = make_context();
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan));
    tenfold_context_destroy(context);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, NULL));
    CHECK(has_result(&product, 1, 0));
    tenfold_contraction_destroy(plan);
}

void plan_tests(void) {
    tenfold_context *context = make_context();
    texts(context);
    numbers(context);
    limits(context);
    steps(context);
    callers_workspace(context);
    outlives_its_context();
    tenfold_context_destroy(context);
}

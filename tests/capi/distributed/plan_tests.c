// Tests plans of distributed contractions, which are local.
#include <string.h>

#include "ranks.h"

static const int64_t ak[] = {60, 50}, kb[] = {50, 40}, ab[] = {60, 40}, bc[] = {40, 30},
                     ac[] = {60, 30};

static tenfold_distribution *spread_of(const int64_t *extents, int32_t ranks) {
    tenfold_distribution *spread = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(2, extents, ranks, &spread));
    return spread;
}

static void of_two_inputs(void) {
    tenfold_context *const context = make_context();
    tenfold_distribution *const operands[] = {spread_of(ak, 6), spread_of(kb, 6), spread_of(ab, 6)};
    const tenfold_distribution *const given[] = {operands[0], operands[1], operands[2]};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_dist_plan_summary step = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *layout = NULL;
    tenfold_dist_plan *plan = NULL;
    const char *text = NULL;
    options.context = context;
    options.grid_batch = options.grid_k = 1;
    options.grid_m = 2;
    options.grid_n = 3;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, given, 3, &options, &plan));
    tenfold_context_destroy(context); // the plan keeps what it needs
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.ranks == 6 && summary.step_count == 1);
    CHECK(summary.m == 60 && summary.n == 40 && summary.k == 50 && summary.batch == 1);
    CHECK(summary.flops == 2.0 * 60 * 40 * 50);
    CHECK(summary.grid_m == 2 && summary.grid_n == 3);
    // A third of A's 30 rows and half of B's columns (13 or 14) are a rank's own.
    CHECK(summary.bytes_received > 0 && summary.bound_bytes > 0);
    CHECK(summary.ratio_to_bound == (double)summary.bytes_received / (double)summary.bound_bytes);
    CHECK(summary.peak_bytes > 0 && summary.intermediate_bytes == 0);
    CHECK(summary.workspace_bytes >= 0 && summary.redistribution_bytes >= 0);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step(plan, 0, &step, &text));
    CHECK_TEXT("ab=ak*kb", text);
    CHECK(memcmp(&step, &summary, sizeof step) == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_explain(plan, &text));
    CHECK(strstr(text, "grid batch x m x n x k = 1 x 2 x 3 x 1") != NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_json(plan, &text));
    CHECK(strstr(text, "{\"ranks\":6,\"grid\":{\"batch\":1,\"m\":2,\"n\":3,\"k\":1}") == text);
    CHECK(strstr(text, "distributed_steps") == NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_layout(plan, 2, &layout));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(layout, &parts));
    CHECK(parts.grid[0] == 2 && parts.grid[1] == 3);
    tenfold_distribution_destroy(layout);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_layout(plan, 3, &layout));
    CHECK(layout == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_step(plan, 1, &step, NULL));
    CHECK_MESSAGE("there is no step 1; the plan has 1");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_step(plan, -1, &step, NULL));
    tenfold_dist_plan_destroy(plan);
    for (int i = 0; i < 3; ++i)
        tenfold_distribution_destroy(operands[i]);
}

static void of_three_inputs(void) {
    tenfold_distribution *const operands[] = {spread_of(ak, 4), spread_of(kb, 4), spread_of(bc, 4),
                                              spread_of(ac, 4)};
    const tenfold_distribution *const given[] = {operands[0], operands[1], operands[2],
                                                 operands[3]};
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_dist_plan_summary step = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_distribution *layout = NULL;
    tenfold_dist_plan *plan = NULL;
    const char *text = NULL;
    double flops = 0;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ac=ak*kb*bc", TENFOLD_F64, given, 4, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.step_count == 2 && summary.ranks == 4 && summary.m == 0);
    CHECK(summary.intermediate_bytes > 0);
    for (int32_t i = 0; i < 2; ++i) {
        CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step(plan, i, &step, &text));
        CHECK(step.m > 0 && strchr(text, '=') != NULL);
        flops += step.flops;
    }
    CHECK(flops == summary.flops);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_explain(plan, &text));
    CHECK(strchr(text, '\n') != NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_json(plan, &text));
    CHECK(strstr(text, "{\"ranks\":4,") == text);
    CHECK(strstr(text, "\"distributed_steps\":[{\"expression\":") != NULL);
    CHECK(strstr(text, "\"bound_bytes_per_rank\":null") != NULL); // only single steps have one
    CHECK_CODE(TENFOLD_UNSUPPORTED, tenfold_dist_plan_layout(plan, 0, &layout));
    tenfold_dist_plan_destroy(plan);
    for (int i = 0; i < 4; ++i)
        tenfold_distribution_destroy(operands[i]);
}

static void errors(void) {
    tenfold_distribution *const a = spread_of(ak, 4), *const b = spread_of(kb, 4),
                                *const d = spread_of(ab, 4), *const other = spread_of(ab, 5);
    const tenfold_distribution *operands[] = {a, b, d};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_plan *plan = (tenfold_dist_plan *)&plan;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_dist_plan_create("ab=ka*kb", TENFOLD_F64, operands, 3, NULL, &plan));
    CHECK_TEXT("k", last_details().label);
    CHECK(plan == NULL);
    CHECK_CODE(TENFOLD_SYNTAX,
               tenfold_dist_plan_create("ab=ak*", TENFOLD_F64, operands, 3, NULL, &plan));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F16, operands, 3, NULL, &plan));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, operands, 1, NULL, &plan));
    CHECK_MESSAGE("operand_count is 1");
    options.memory_per_rank = 64;
    CHECK_CODE(TENFOLD_WORKSPACE_TOO_SMALL,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, operands, 3, &options, &plan));
    options.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, operands, 3, &options, &plan));
    operands[2] = other;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, operands, 3, NULL, &plan));
    tenfold_distribution_destroy(a);
    tenfold_distribution_destroy(b);
    tenfold_distribution_destroy(d);
    tenfold_distribution_destroy(other);
}

void plan_tests(void) {
    of_two_inputs();
    of_three_inputs();
    errors();
}

// Tests plans of distributed contractions, which are local.
#include <stddef.h>
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
    tenfold_dist_plan *plan = NULL, *other = NULL;
    const char *text = NULL;
    const size_t *multiplied = NULL;
    int32_t count = -1, equal = -1;
    uint64_t hash = 0, other_hash = 0;
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
    CHECK(summary.total_received_bytes == summary.bytes_received + summary.redistribution_bytes);
    CHECK(summary.total_ratio_to_bound ==
          (double)summary.total_received_bytes / (double)summary.bound_bytes);
    CHECK(summary.flops_at_once == summary.flops && summary.flops_per_rank == 2.0 * 30 * 14 * 50);
    CHECK(summary.memory_independent_bound_bytes <= summary.bound_bytes);
    CHECK(summary.memory_dependent_bound_bytes <= summary.bound_bytes);
    CHECK(summary.steps_batch == 1 && summary.steps_m >= 1 && summary.steps_n >= 1);
    CHECK(summary.steps_k >= 1 && summary.leaves == 0 && summary.panel_bytes > 0);
    CHECK(summary.keeping_copies_equal_bytes == 0 && summary.beside_bytes == 0);
    CHECK(summary.ranks_per_node == 0 && summary.nodes == 1 && summary.between_nodes_bytes == 0);
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
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_layout(plan, 0, 2, &layout));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(layout, &parts));
    CHECK(parts.grid[0] == 2 && parts.grid[1] == 3);
    tenfold_distribution_destroy(layout);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_step_layout(plan, 0, -1, &layout));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_step_layout(plan, 1, 0, &layout));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_operands(plan, 0, &multiplied, &count));
    CHECK(count == 2 && multiplied[0] == 0 && multiplied[1] == 1);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_result(plan, 0, &layout));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(layout, operands[2], &equal));
    CHECK(equal == 1);
    tenfold_distribution_destroy(layout);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_hash(plan, &hash));
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F32, given, 3, NULL, &other));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_hash(other, &other_hash));
    CHECK(hash != other_hash);
    tenfold_dist_plan_destroy(other);
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
    const size_t *multiplied = NULL;
    int32_t count = -1, equal = -1;
    int64_t received = 0;
    double flops = 0;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ac=ak*kb*bc", TENFOLD_F64, given, 4, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.step_count == 2 && summary.ranks == 4 && summary.m == 0);
    CHECK(summary.intermediate_bytes > 0);
    CHECK(summary.flops_at_once > summary.flops && summary.flops_per_rank == 0);
    for (int32_t i = 0; i < 2; ++i) {
        CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step(plan, i, &step, &text));
        CHECK(step.m > 0 && strchr(text, '=') != NULL);
        CHECK(step.beside_bytes > 0); // one input and, in the first step, D
        flops += step.flops;
        received += step.total_received_bytes;
        CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_operands(plan, i, &multiplied, &count));
        CHECK(count == 2);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_layout(plan, i, 2, &layout));
        tenfold_distribution_destroy(layout);
    }
    CHECK(flops == summary.flops);
    CHECK(received == summary.total_received_bytes);
    // The second step multiplies the result of the first one, which comes after the three inputs.
    CHECK(multiplied[0] == 3 || multiplied[1] == 3);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_step_result(plan, 1, &layout));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(layout, operands[3], &equal));
    CHECK(equal == 1);
    tenfold_distribution_destroy(layout);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_step_result(plan, 2, &layout));
    CHECK_MESSAGE("there is no step 2; the plan has 2");
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

/// The hash of a plan of a c64 product or, of four operands, of a product of three.
static uint64_t hash_of(const tenfold_distribution *const *operands, int32_t count,
                        const tenfold_dist_options *options) {
    const char *const expression = count == 3 ? "ab=ak*kb" : "ac=ak*kb*bc";
    tenfold_dist_plan *plan = NULL;
    uint64_t hash = 0;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create(expression, TENFOLD_C64, operands, count, options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_hash(plan, &hash));
    tenfold_dist_plan_destroy(plan);
    return hash;
}

static void of_conjugated_inputs(void) {
    tenfold_distribution *const a = spread_of(ak, 4), *const b = spread_of(kb, 4),
                                *const c = spread_of(bc, 4), *const two = spread_of(ab, 4),
                                *const three = spread_of(ac, 4);
    const tenfold_distribution *const product[] = {a, b, two}, *const chain[] = {a, b, c, three};
    const int32_t none[] = {0, 0, 0}, first[] = {1, 0, 0}, second[] = {0, 7, 0},
                  third[] = {0, 0, 1};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    uint64_t plain = hash_of(product, 3, &options), of_first, of_second;
    options.conjugated = none;
    CHECK(hash_of(product, 3, &options) == plain);
    options.conjugated = first;
    of_first = hash_of(product, 3, &options);
    options.conjugated = second;
    of_second = hash_of(product, 3, &options);
    CHECK(of_first != plain && of_second != plain && of_first != of_second);
    options.conjugated = NULL;
    plain = hash_of(chain, 4, &options);
    options.conjugated = none;
    CHECK(hash_of(chain, 4, &options) == plain);
    options.conjugated = third;
    CHECK(hash_of(chain, 4, &options) != plain);
    options.size = offsetof(tenfold_dist_options, conjugated); // as callers were compiled before
    CHECK(hash_of(chain, 4, &options) == plain);
    tenfold_distribution_destroy(a);
    tenfold_distribution_destroy(b);
    tenfold_distribution_destroy(c);
    tenfold_distribution_destroy(two);
    tenfold_distribution_destroy(three);
}

static void of_nodes(void) {
    tenfold_distribution *const operands[] = {spread_of(ak, 6), spread_of(kb, 6), spread_of(ab, 6)};
    const tenfold_distribution *const given[] = {operands[0], operands[1], operands[2]};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_dist_plan *plan = NULL;
    const char *text = NULL;
    int64_t all;
    options.grid_batch = options.grid_m = options.grid_k = 1;
    options.grid_n = 6;
    options.ranks_per_node = 4;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, given, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.ranks_per_node == 4 && summary.nodes == 2);
    // Five of A's six pieces come to a rank. The node of two ranks has two, and gets four once.
    all = (int64_t)sizeof(double) * 60 * 50;
    CHECK(summary.bytes_received > 0 && summary.between_nodes_bytes > all / 2);
    CHECK(summary.between_nodes_bytes < all);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_explain(plan, &text));
    CHECK(strstr(text, "nodes of 4 ranks") != NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_json(plan, &text));
    CHECK(strstr(text, "\"ranks_per_node\":4") != NULL);
    tenfold_dist_plan_destroy(plan);
    options.ranks_per_node = 6; // one node
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, given, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.ranks_per_node == 0 && summary.nodes == 1 && summary.between_nodes_bytes == 0);
    tenfold_dist_plan_destroy(plan);
    options.ranks_per_node = 4;
    options.size =
        offsetof(tenfold_dist_options, ranks_per_node); // as callers were compiled before
    summary.size = offsetof(tenfold_dist_plan_summary, between_nodes_bytes);
    summary.nodes = -7;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, given, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_explain(plan, &text));
    CHECK(strstr(text, "nodes of") == NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &summary));
    CHECK(summary.ranks == 6 && summary.nodes == -7);
    tenfold_dist_plan_destroy(plan);
    options.size = sizeof options;
    options.ranks_per_node = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F64, given, 3, &options, &plan));
    CHECK_MESSAGE("ranks_per_node is -1; it is 0 or more");
    CHECK(plan == NULL);
    for (int i = 0; i < 3; ++i)
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
               tenfold_dist_plan_create("ab=ak*kb", 9, operands, 3, NULL, &plan));
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
    of_conjugated_inputs();
    of_nodes();
    errors();
}

// Tests distributions for tensors that several contractions share, which are planned locally.
#include "ranks.h"

static const int64_t four[] = {60, 60, 60, 60}, occupied[] = {12, 12, 12, 12},
                     mixed[] = {60, 60, 12, 12};
static const char *const expressions[] = {"R[a,b,i,j] = V[a,b,e,f] * T[e,f,i,j]",
                                          "R[a,b,i,j] += W[k,l,i,j] * T[a,b,k,l]"};
static const tenfold_named_extents tensors[] = {
    {"V", four, 4}, {"W", occupied, 4}, {"T", mixed, 4}, {"R", mixed, 4}};

static tenfold_shared_contractions request(void) {
    tenfold_shared_contractions made = TENFOLD_INIT(tenfold_shared_contractions);
    made.expressions = expressions;
    made.expression_count = 2;
    made.tensors = tensors;
    made.tensor_count = 4;
    made.type = TENFOLD_F64;
    made.ranks = 16;
    return made;
}

/// A small tensor that many contractions read is worth copies, if there is memory for them.
static void with_copies(void) {
    enum { times = 6 };
    const int64_t how_often = times;
    const int64_t large[] = {512, 512}, small[] = {512, 16};
    const tenfold_named_extents shared[] = {{"V", large, 2}, {"T", small, 2}, {"R", small, 2}};
    const char *reads[times];
    tenfold_shared_contractions wanted = request();
    tenfold_context *const context = make_context();
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_layouts_summary once = TENFOLD_INIT(tenfold_layouts_summary), more = once,
                            limited = once, weighted = once;
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_planned_layouts *layouts = NULL;
    tenfold_distribution *spread = NULL;
    options.context = context;
    for (int i = 0; i < times; ++i)
        reads[i] = "R[a,i] = V[a,b] * T[b,i]";
    wanted.expressions = reads;
    wanted.expression_count = times;
    wanted.tensors = shared;
    wanted.tensor_count = 3;
    wanted.ranks = 4;
    CHECK_CODE(TENFOLD_OK, tenfold_plan_layouts(&wanted, &options, &layouts));
    CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_summarise(layouts, &once));
    CHECK(once.memory > 0 && once.default_memory > 0);
    tenfold_planned_layouts_destroy(layouts);
    wanted.copies = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_plan_layouts(&wanted, &options, &layouts));
    CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_summarise(layouts, &more));
    CHECK(more.seconds < once.seconds && more.memory > once.memory);
    CHECK(more.default_seconds == once.default_seconds);
    CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_of(layouts, "T", &spread));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &parts));
    CHECK(parts.copies > 1);
    wanted.expression_count = 1; // in place of as many expressions
    wanted.times = &how_often;
    tenfold_planned_layouts_destroy(layouts);
    CHECK_CODE(TENFOLD_OK, tenfold_plan_layouts(&wanted, &options, &layouts));
    CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_summarise(layouts, &weighted));
    CHECK(weighted.seconds == more.seconds && weighted.memory == more.memory);
    CHECK(weighted.default_bytes_received == more.default_bytes_received);
    tenfold_distribution_destroy(spread);
    tenfold_planned_layouts_destroy(layouts);
    wanted.memory_per_rank = 1; // no more than by default
    CHECK_CODE(TENFOLD_OK, tenfold_plan_layouts(&wanted, &options, &layouts));
    CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_summarise(layouts, &limited));
    CHECK(limited.memory <= limited.default_memory);
    tenfold_planned_layouts_destroy(layouts);
    tenfold_context_destroy(context);
}

static void of_two_contractions(void) {
    const tenfold_shared_contractions wanted = request();
    tenfold_context *const context = make_context();
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_layouts_summary summary = TENFOLD_INIT(tenfold_layouts_summary);
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_planned_layouts *layouts = NULL;
    tenfold_distribution *spread = NULL;
    options.context = context;
    CHECK_CODE(TENFOLD_OK, tenfold_plan_layouts(&wanted, &options, &layouts));
    tenfold_context_destroy(context);
    CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_summarise(layouts, &summary));
    CHECK(summary.seconds > 0 && summary.seconds <= summary.default_seconds);
    CHECK(summary.bytes_received > 0 && summary.default_bytes_received > 0);
    for (int i = 0; i < 4; ++i) {
        int32_t cells = 1;
        CHECK_CODE(TENFOLD_OK, tenfold_planned_layouts_of(layouts, tensors[i].name, &spread));
        CHECK_CODE(TENFOLD_OK, tenfold_distribution_describe(spread, &parts));
        CHECK(parts.ranks == 16 && parts.order == 4);
        for (int mode = 0; mode < 4; ++mode) {
            CHECK(parts.extents[mode] == tensors[i].extents[mode]);
            cells *= parts.grid[mode];
        }
        CHECK(cells == parts.cells && cells > 1);
        tenfold_distribution_destroy(spread);
    }
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_planned_layouts_of(layouts, "X", &spread));
    CHECK_MESSAGE("no tensor has the name 'X'");
    CHECK(spread == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_planned_layouts_of(layouts, NULL, &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_planned_layouts_of(NULL, "V", &spread));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_planned_layouts_of(layouts, "V", NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_planned_layouts_summarise(NULL, &summary));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_planned_layouts_summarise(layouts, NULL));
    tenfold_planned_layouts_destroy(layouts);
}

/// The code of a request that is wrong.
static tenfold_error refused(const tenfold_shared_contractions *wrong) {
    tenfold_planned_layouts *layouts = (tenfold_planned_layouts *)&layouts;
    const tenfold_error code = tenfold_plan_layouts(wrong, NULL, &layouts);
    CHECK(layouts == NULL);
    return code;
}

static void errors(void) {
    const int64_t never[] = {1, 0};
    const int32_t conjugated[] = {1, 0};
    const char *const with_hole[] = {expressions[0], NULL};
    const char *const without_names[] = {"ab=ak*kb"};
    const tenfold_named_extents twice[] = {{"V", four, 4}, {"V", four, 4}};
    const tenfold_named_extents nameless[] = {{NULL, four, 4}};
    const tenfold_named_extents shapeless[] = {{"V", NULL, 4}};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_planned_layouts *layouts = NULL;
    tenfold_shared_contractions wrong = request();
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&wrong, NULL, NULL));
    CHECK_MESSAGE("layouts is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(NULL));
    CHECK_MESSAGE("contractions is NULL");
    options.memory_per_rank = 1 << 20;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&wrong, &options, &layouts));
    CHECK_MESSAGE("without a forced grid");
    options.memory_per_rank = 0;
    options.conjugated = conjugated;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&wrong, &options, &layouts));
    CHECK_MESSAGE("conjugated is of tenfold_dist_plan_create() only");
    wrong.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    wrong = request();
    wrong.expression_count = 0;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("no expressions");
    wrong = request();
    wrong.times = never;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("is evaluated 0 times");
    wrong.expression_count = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("the number of expressions is -1");
    wrong.expression_count = 2;
    wrong.expressions = NULL;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("expressions is NULL");
    wrong.expressions = with_hole;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("expression 1 is NULL");
    wrong.expressions = without_names;
    wrong.expression_count = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    wrong = request();
    wrong.tensor_count = 3;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong)); // R is missing
    wrong.tensors = NULL;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("tensors is NULL");
    wrong.tensors = twice;
    wrong.tensor_count = 2;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("two tensors have the name 'V'");
    wrong.tensors = nameless;
    wrong.tensor_count = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("tensor 0: name is NULL");
    wrong.tensors = shapeless;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    CHECK_MESSAGE("tensor 0: extents is NULL");
    wrong = request();
    wrong.type = TENFOLD_F16;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
    wrong = request();
    wrong.ranks = 0;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, refused(&wrong));
}

void layout_tests(void) {
    of_two_contractions();
    with_copies();
    errors();
}

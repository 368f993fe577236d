// Tests contractions that fail: on all ranks, on one rank only, and because ranks disagree. D is as
// it was, and no rank waits.
#include <string.h>

#include "ranks.h"

/// A product that one of the arguments spoils.
typedef struct call {
    tenfold_dist_tensor *a, *b, *d;
    tenfold_dist_input inputs[2];
    double former[30]; ///< elements of D
} call;

static void set_up_call(call *product) {
    product->a = MAKE(1, 6, 7);
    product->b = MAKE(2, 7, 5);
    product->d = MAKE(3, 6, 5);
    product->inputs[0].tensor = product->a;
    product->inputs[1].tensor = product->b;
    product->inputs[0].conjugated = product->inputs[1].conjugated = 0;
    for (int64_t i = 0; i < 30; ++i)
        product->former[i] = value_at((const int64_t[]){i % 6, i / 6}, 2, 3);
}

static void tear_down(call *product) {
    CHECK(holds(product->d, product->former));
    tenfold_dist_destroy(product->a);
    tenfold_dist_destroy(product->b);
    tenfold_dist_destroy(product->d);
}

static tenfold_error contract(const call *product, const char *expression,
                              const tenfold_dist_options *options) {
    return tenfold_dist_contract(expression, product->inputs, 2, product->d, options, NULL);
}

static void on_all_ranks(const call *product) {
    tenfold_dist_input inputs[2];
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "label 'k': A mode 0 has extent 6, B mode 0 has extent 7",
                 contract(product, "mn=km*kn", NULL));
    // All failed alike: all have the fields.
    CHECK_TEXT("k", last_details().label);
    CHECK(last_details().first.extent == 6 && last_details().second.extent == 7);
    FAILS_ON_ALL(TENFOLD_SYNTAX, "", contract(product, "mn=mk*", NULL));
    FAILS_ON_ALL(TENFOLD_UNKNOWN_LABEL, "", contract(product, "mx=mk*kn", NULL));
    memcpy(inputs, product->inputs, sizeof inputs);
    inputs[0].tensor = product->d;
    FAILS_ON_ALL(TENFOLD_OVERLAP, "D is A",
                 tenfold_dist_contract("mn=mk*kn", inputs, 2, product->d, NULL, NULL));
}

static void other_tensors(const call *product) {
    const int64_t extents[] = {7, 5};
    tenfold_dist_tensor *complex_one = NULL, *foreign = NULL;
    tenfold_world *other = NULL;
    tenfold_dist_input inputs[2];
    memcpy(inputs, product->inputs, sizeof inputs);
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_create(everyone, TENFOLD_C64, 2, extents, NULL, &complex_one));
    inputs[1].tensor = complex_one;
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "B is c64 and D is f64; D must be c64",
                 tenfold_dist_contract("mn=mk*kn", inputs, 2, product->d, NULL, NULL));
    CHECK_TEXT("B", last_details().first.name);
    CHECK(last_details().first.type == TENFOLD_C64);
    CHECK_CODE(TENFOLD_OK, tenfold_world_create(MPI_COMM_WORLD, &other));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(other, TENFOLD_F64, 2, extents, NULL, &foreign));
    inputs[1].tensor = foreign;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "different worlds",
                 tenfold_dist_contract("mn=mk*kn", inputs, 2, product->d, NULL, NULL));
    tenfold_dist_destroy(complex_one);
    tenfold_dist_destroy(foreign);
    tenfold_world_destroy(other);
}

/// The last rank passes something that cannot be, all others what is right.
static void on_one_rank(const call *product) {
    const tenfold_dist_input *const inputs = product->inputs;
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    tenfold_dist_input lacking[2];
    const int32_t conjugated[] = {1, 0};
    const char *const expression = "mn=mk*kn";
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "expression is NULL",
                 contract(product, is_last() ? NULL : expression, NULL));
    CHECK(rank_count == 1 || (strstr(tenfold_last_error(), "rank ") == tenfold_last_error()));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "inputs is NULL",
        tenfold_dist_contract(expression, is_last() ? NULL : inputs, 2, product->d, NULL, NULL));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "input_count is 0",
        tenfold_dist_contract(expression, inputs, is_last() ? 0 : 2, product->d, NULL, NULL));
    memcpy(lacking, inputs, sizeof lacking);
    lacking[1].tensor = is_last() ? NULL : product->b;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "B is NULL",
                 tenfold_dist_contract(expression, lacking, 2, product->d, NULL, NULL));
    options.algorithm = is_last() ? -3 : 0;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "algorithm is -3",
                 contract(product, expression, &options));
    options.algorithm = 0;
    options.backend = is_last() ? 9 : 0;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "backend is 9", contract(product, expression, &options));
    options.backend = 0;
    options.reproducible = is_last() ? 3 : 0;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "reproducible is 3",
                 contract(product, expression, &options));
    options.reproducible = 0;
    options.conjugated = is_last() ? conjugated : NULL; // which inputs say themselves
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "options: conjugated is of tenfold_dist_plan_create()",
                 contract(product, expression, &options));
    options.conjugated = NULL;
    options.size = is_last() ? 3 : sizeof options;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "options: size is 3",
                 contract(product, expression, &options));
    options.size = sizeof options;
    report.size = is_last() ? 1 : sizeof report;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "report: size is 1",
                 tenfold_dist_contract(expression, inputs, 2, product->d, NULL, &report));
    control.interval_milliseconds = is_last() ? -1 : 0;
    options.control = &control;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "interval_milliseconds is -1",
                 contract(product, expression, &options));
}

static void limits(const call *product) {
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    options.memory_per_rank = 64;
    FAILS_ON_ALL(TENFOLD_WORKSPACE_TOO_SMALL, "", contract(product, "mn=mk*kn", &options));
    CHECK(last_details().least_bytes > 64);
    options.memory_per_rank = 0;
    options.grid_m = rank_count + 1;
    options.grid_batch = options.grid_n = options.grid_k = 1;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", contract(product, "mn=mk*kn", &options));
}

static void disagreements(const call *product) {
    const tenfold_scalar two = {2, 0};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    if (rank_count == 1)
        return;
    FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "expression: rank 0 passed 'mn=mk*kn', rank",
                 contract(product, is_last() ? "mn=mk*nk" : "mn=mk*kn", NULL));
    options.alpha = is_last() ? &two : NULL;
    FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "alpha: rank 0 passed 1",
                 contract(product, "mn=mk*kn", &options));
    options.alpha = NULL;
    options.control = is_last() ? &control : NULL;
    FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "control", contract(product, "mn=mk*kn", &options));
    {
        double norm = 0;
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "operation",
                     is_last() ? tenfold_dist_norm(product->d, &norm)
                               : contract(product, "mn=mk*kn", NULL));
    }
}

void contract_error_tests(void) {
    call product;
    set_up_call(&product);
    on_all_ranks(&product);
    other_tensors(&product);
    on_one_rank(&product);
    limits(&product);
    disagreements(&product);
    tear_down(&product);
}

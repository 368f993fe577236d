// Tests numbers that cannot be: negative ones, and such as overflow. Nothing is read or written
// then.
#include <stddef.h>
#include <string.h>

#include "check.h"

static const int64_t huge = INT64_MAX / 2;

/// A contraction whose A has this order, these extents and strides.
static tenfold_error plan_with(int32_t order, const int64_t *extents, const int64_t *strides) {
    tenfold_context *const context = make_context();
    matrix_product product;
    tenfold_contraction_plan *plan = NULL;
    tenfold_error code;
    set_up(&product);
    product.inputs[0].order = order;
    product.inputs[0].extents = extents;
    product.inputs[0].strides = strides;
    code = tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan);
    CHECK(code == TENFOLD_OK || plan == NULL);
    tenfold_contraction_destroy(plan);
    tenfold_context_destroy(context);
    return code;
}

static void shapes(void) {
    const int64_t right[] = {2, 3}, negative[] = {2, -3}, large[] = {huge, huge}, far[] = {1, huge};
    CHECK_CODE(TENFOLD_OK, plan_with(2, right, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, plan_with(-1, right, NULL));
    CHECK_MESSAGE("A: order is -1");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, plan_with(2, NULL, NULL));
    CHECK_MESSAGE("A: extents is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, plan_with(2, negative, NULL));
    CHECK_CODE(TENFOLD_OVERFLOW, plan_with(2, large, NULL));
    CHECK_CODE(TENFOLD_OVERFLOW, plan_with(2, right, far));
}

/// How many inputs there are.
static void counts(void) {
    tenfold_context *const context = make_context();
    const tenfold_label_list lists[] = {{NULL, -1}, {NULL, 1}};
    tenfold_label_lists labels = {lists, 1, NULL};
    tenfold_contraction_batch batch = TENFOLD_INIT(tenfold_contraction_batch);
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    int64_t extents[TENFOLD_MOST_MODES], failed = 0;
    int32_t order = 0;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan));
    for (int32_t count = -1; count <= 1; ++count) {
        product.data.input_count = count;
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                   tenfold_contraction_execute(plan, &product.data, NULL));
        product.operands.input_count = count;
        CHECK(tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data, NULL, NULL) !=
              TENFOLD_OK);
        CHECK(tenfold_output_extents("ab=ak*kb", product.inputs, count, NULL, extents, &order) !=
              TENFOLD_OK);
    }
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_output_extents_of_labels(&labels, product.inputs, extents, &order));
    CHECK_MESSAGE("the count of labels is -1");
    labels.inputs = lists + 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_output_extents_of_labels(&labels, product.inputs, extents, &order));
    CHECK_MESSAGE("labels is NULL");
    batch.count = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute_batch(plan, &batch, NULL, &failed));
    CHECK_MESSAGE("count is -1");
    batch.count = 1;
    batch.input_count = 3;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute_batch(plan, &batch, NULL, NULL));
    CHECK_MESSAGE("batch: inputs is NULL");
    product.data.input_count = 2;
    options.epilogue_count = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute(plan, &product.data, &options));
    options.epilogue_count = 9;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute(plan, &product.data, &options));
    options.epilogue_count = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute(plan, &product.data, &options));
    CHECK_MESSAGE("epilogue_data is NULL");
    tenfold_contraction_destroy(plan);
    tenfold_context_destroy(context);
}

static void options_out_of_range(void) {
    tenfold_context *const context = make_context();
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_execute_options execution = TENFOLD_INIT(tenfold_execute_options);
    tenfold_transpose_options of_transpose = TENFOLD_INIT(tenfold_transpose_options);
    const int32_t positions[] = {0, 7}, counts[] = {2}, minus[] = {-2};
    tenfold_path path = {positions, counts, 1};
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    set_up(&product);
#define REFUSED(member, value, expected)                                                           \
    do {                                                                                           \
        options.member = (value);                                                                  \
        CHECK_CODE(expected, tenfold_contract(context, "ab=ak*kb", &product.operands,              \
                                              &product.data, &options, NULL));                     \
        memset(&options, 0, sizeof options);                                                       \
        options.size = sizeof options;                                                             \
    } while (0)
    REFUSED(threads, -1, TENFOLD_INVALID_ARGUMENT);
    REFUSED(threads, 1 << 20, TENFOLD_INVALID_ARGUMENT);
    REFUSED(workspace_limit, -2, TENFOLD_INVALID_ARGUMENT);
    REFUSED(algorithm, 99, TENFOLD_INVALID_ARGUMENT);
    REFUSED(algorithm, 300, TENFOLD_INVALID_ARGUMENT);
    REFUSED(tuning, 3, TENFOLD_INVALID_ARGUMENT);
    REFUSED(tuning, -1, TENFOLD_INVALID_ARGUMENT);
    REFUSED(backend, 3, TENFOLD_INVALID_ARGUMENT);
    REFUSED(reproducible, -1, TENFOLD_INVALID_ARGUMENT);
    REFUSED(bf16_sums, 77, TENFOLD_INVALID_ARGUMENT);
    REFUSED(path, &path, TENFOLD_INVALID_ARGUMENT);
    path.step_count = 0;
    REFUSED(path, &path, TENFOLD_INVALID_ARGUMENT);
    path.step_count = 1;
    path.counts = minus;
    REFUSED(path, &path, TENFOLD_INVALID_ARGUMENT);
    path.counts = NULL;
    REFUSED(path, &path, TENFOLD_INVALID_ARGUMENT);
#undef REFUSED
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan));
    execution.threads = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute(plan, &product.data, &execution));
    execution.threads = 0;
    execution.workspace_limit = -2;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute(plan, &product.data, &execution));
    tenfold_contraction_destroy(plan);
    {
        const tenfold_tensor square = TENSOR(TENFOLD_F64, 3, 3);
        const int32_t twice[] = {1, 1}, outside[] = {0, 2};
        tenfold_transpose_plan *transposition = NULL;
        of_transpose.threads = -1;
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                   tenfold_transpose(context, "ba=ab",
                                     &(const tenfold_operands){&square, 1, NULL, &square},
                                     &product.data, &of_transpose, NULL));
        CHECK(tenfold_transpose_create(context, twice, &square, &square, NULL, &transposition) !=
              TENFOLD_OK);
        CHECK(tenfold_transpose_create(context, outside, &square, &square, NULL, &transposition) !=
              TENFOLD_OK);
        CHECK(transposition == NULL);
    }
    tenfold_context_destroy(context);
}

static void settings(void) {
    const struct {
        size_t offset;
        int64_t value;
        size_t bytes;
    } wrong[] = {{offsetof(tenfold_settings, threads), -1, 4},
                 {offsetof(tenfold_settings, threads), 5000, 4},
                 {offsetof(tenfold_settings, workspace_limit), -2, 8},
                 {offsetof(tenfold_settings, plan_cache_limit), -2, 8},
                 {offsetof(tenfold_settings, kc), -1, 8},
                 {offsetof(tenfold_settings, mc), huge, 8},
                 {offsetof(tenfold_settings, isa), 99, 4},
                 {offsetof(tenfold_settings, backend), -1, 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        tenfold_settings given = TENFOLD_INIT(tenfold_settings);
        tenfold_context *context = NULL;
        const int32_t narrow = (int32_t)wrong[i].value;
        memcpy((char *)&given + wrong[i].offset,
               wrong[i].bytes == 4 ? (const void *)&narrow : (const void *)&wrong[i].value,
               wrong[i].bytes);
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_context_create(&given, &context));
        CHECK(context == NULL);
    }
}

static void matrices(void) {
    tenfold_context *const context = make_context();
    const double a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1};
    double c[4] = {7, 7, 7, 7};
    const tenfold_matrix right = {2, 2, 1, 2}, negative = {2, -2, 1, 2},
                         large = {huge, huge, 1, huge};
    tenfold_product product = {TENFOLD_F64, right, right, right};
    tenfold_gemm_options options = TENFOLD_INIT(tenfold_gemm_options);
    tenfold_batch one = {1, a, 4, NULL, NULL}, minus = {-1, a, 4, NULL, NULL};
    tenfold_output_batch to = {1, c, 4, NULL, NULL};
    const void *const addresses[] = {a};
    tenfold_epilogue *epilogue = NULL;
    product.a = negative;
    CHECK(tenfold_gemm(context, &product, a, b, c, NULL) != TENFOLD_OK);
    product.a = product.c = large;
    CHECK(tenfold_gemm(context, &product, a, b, c, NULL) != TENFOLD_OK);
    product.a = product.c = right;
    options.threads = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_gemm(context, &product, a, b, c, &options));
    options.threads = 0;
    options.backend = 9;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_gemm(context, &product, a, b, c, &options));
    for (tenfold_type type = -1; type < 300; ++type)
        if (type > TENFOLD_F16 && (type < TENFOLD_I8 || type > TENFOLD_U8)) {
            product.type = type;
            CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_gemm(context, &product, a, b, c, NULL));
        }
    product.type = TENFOLD_F64;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm_batch(context, &product, &minus, &one, &to, NULL));
    minus.addresses = addresses;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm_batch(context, &product, &minus, &one, &to, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_gemm_batch_reduce(context, &product, &minus, &one, c, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_create(&epilogue));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_add_along_columns(epilogue, 9, a, 2, 1));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_apply(epilogue, 99));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_epilogue_apply(epilogue, -1));
    options.backend = 0;
    options.epilogue = epilogue;
    if (tenfold_epilogue_add_along_rows(epilogue, TENFOLD_F64, a, -2, 1) == TENFOLD_OK)
        CHECK(tenfold_gemm(context, &product, a, b, c, &options) != TENFOLD_OK);
    if (tenfold_epilogue_add(epilogue, TENFOLD_F64, &large, a, NULL) == TENFOLD_OK)
        CHECK(tenfold_gemm(context, &product, a, b, c, &options) != TENFOLD_OK);
    tenfold_epilogue_destroy(epilogue);
    for (int i = 0; i < 4; ++i)
        CHECK(c[i] == 7);
    tenfold_context_destroy(context);
}

void wrong_number_tests(void) {
    shapes();
    counts();
    options_out_of_range();
    settings();
    matrices();
}

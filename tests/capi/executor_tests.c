// Tests records, the bounds of executions, and batches.
#include <stddef.h>
#include <string.h>

#include "check.h"

static tenfold_contraction_plan *plan_of(const tenfold_context *context,
                                         const matrix_product *product) {
    tenfold_contraction_plan *plan = NULL;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product->operands, NULL, &plan));
    return plan;
}

static void check_record(const tenfold_execution_record *record) {
    CHECK(record->size == sizeof *record);
    CHECK(record->flops == 2.0 * 2 * 3 * 4);
    CHECK(record->bytes == 8.0 * (6 + 12 + 8));
    CHECK(record->seconds > 0);
    CHECK(record->threads == 1);
    CHECK(record->workspace_bytes == 0);
    CHECK(record->algorithm == TENFOLD_ALGORITHM_DIRECT);
}

static void records(const tenfold_context *context) {
    tenfold_execution_record record = TENFOLD_INIT(tenfold_execution_record);
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    matrix_product product;
    options.record = &record;
    set_up(&product);
    tenfold_contraction_plan *plan = plan_of(context, &product);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK(has_result(&product, 1, 0));
    check_record(&record);

    product.data.d = NULL;
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK(record.flops == 0 && record.seconds == 0 && record.threads == 0);
    tenfold_contraction_destroy(plan);

    set_up(&product);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data,
                                            NULL, &options));
    check_record(&record);

    set_up(&product);
    record.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                          &product.data, NULL, &options));
    CHECK_MESSAGE("record: size is 1");
    CHECK(has_result(&product, 0, 1)); // untouched
}

static void bounds(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 12, 10, 11, 9),
                                     TENSOR(TENFOLD_F64, 8, 9, 7, 10)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 12, 11, 7, 8);
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    static double a_data[12 * 10 * 11 * 9], b_data[8 * 9 * 7 * 10], d_data[12 * 11 * 7 * 8];
    const void *const input_data[] = {a_data, b_data};
    const tenfold_data data = {input_data, 2, NULL, d_data};
    tenfold_contract_options of_plan = TENFOLD_INIT(tenfold_contract_options);
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_execution_record record = TENFOLD_INIT(tenfold_execution_record);
    tenfold_contraction_plan *plan = NULL;
    tenfold_context *one_thread = NULL;
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    int64_t needed = 0;
    of_plan.algorithm = TENFOLD_ALGORITHM_TTGT;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "acbd=aecf*dfbe", &operands, &of_plan, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_workspace_size(plan, &needed));
    CHECK(needed > 0);

    options.record = &record;
    options.workspace_limit = needed - 1;
    CHECK_CODE(TENFOLD_WORKSPACE_TOO_SMALL, tenfold_contraction_execute(plan, &data, &options));
    options.workspace_limit = TENFOLD_NO_BYTES;
    CHECK_CODE(TENFOLD_WORKSPACE_TOO_SMALL, tenfold_contraction_execute(plan, &data, &options));
    options.workspace_limit = needed;
    options.threads = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &data, &options));
    CHECK(record.threads == 1 && record.workspace_bytes == needed);
    options.threads = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_execute(plan, &data, &options));

    settings.threads = 1;
    settings.calibration = "off";
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(&settings, &one_thread));
    options.threads = 0;
    options.context = one_thread;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &data, &options));
    CHECK(record.threads == 1);

    // Contractions in one call have options for that, and transpositions have none.
    CHECK_CODE(TENFOLD_UNSUPPORTED,
               tenfold_contract(context, "acbd=aecf*dfbe", &operands, &data, NULL, &options));
    CHECK_MESSAGE("workspace_limit is set, which contractions in one call take from their options");
    options.workspace_limit = 0;
    options.context = NULL;
    const tenfold_tensor square = TENSOR(TENFOLD_F64, 3, 3);
    const tenfold_operands of_transpose = {&square, 1, NULL, &square};
    const tenfold_data transposed = {input_data, 1, NULL, d_data};
    CHECK_CODE(TENFOLD_UNSUPPORTED,
               tenfold_transpose(context, "ba=ab", &of_transpose, &transposed, NULL, &options));
    CHECK_MESSAGE("record is set, which only contractions take");
    tenfold_contraction_destroy(plan);
    tenfold_context_destroy(one_thread);
}

/// The options of the first version have no record.
static void options_of_the_first_version(const tenfold_context *context) {
    tenfold_execute_options options;
    matrix_product product;
    memset(&options, 0, sizeof options);
    options.size = offsetof(tenfold_execute_options, record);
    memset((char *)&options + options.size, 0xff, sizeof options - options.size); // not read
    set_up(&product);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data,
                                            NULL, &options));
    CHECK(has_result(&product, 1, 0));
}

enum { batch_count = 5 };

static void batches(const tenfold_context *context) {
    matrix_product product, all[batch_count];
    const void *a_at[batch_count];
    void *d_at[batch_count];
    const tenfold_scalar two = {2, 0}, minus_one = {-1, 0};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_execution_record record = TENFOLD_INIT(tenfold_execution_record);
    tenfold_contraction_batch batch = TENFOLD_INIT(tenfold_contraction_batch);
    int64_t failed = 7;
    set_up(&product);
    tenfold_contraction_plan *plan = plan_of(context, &product);
    for (int i = 0; i < batch_count; ++i) {
        set_up(&all[i]);
        a_at[i] = all[i].a_data;
        d_at[i] = all[i].d_data;
    }
    const tenfold_batch_input inputs[] = {{NULL, 0, a_at},
                                          {all[0].b_data, sizeof all[0] / sizeof(double), NULL}};
    batch.count = batch_count;
    batch.inputs = inputs;
    batch.input_count = 2;
    batch.d.addresses = d_at;
    options.alpha = &two;
    options.beta = &minus_one;
    options.record = &record;
    CHECK(sizeof all[0] % sizeof(double) == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute_batch(plan, &batch, &options, &failed));
    CHECK(failed == -1);
    CHECK(record.flops == batch_count * 2.0 * 2 * 3 * 4);
    for (int i = 0; i < batch_count; ++i)
        CHECK(has_result(&all[i], 2, -1));

    a_at[3] = NULL;
    CHECK_CODE(TENFOLD_NULL_POINTER,
               tenfold_contraction_execute_batch(plan, &batch, NULL, &failed));
    CHECK(failed == 3);
    CHECK(strcmp(last_details().first.name, "A") == 0);
    a_at[3] = d_at[1];
    CHECK_CODE(TENFOLD_OVERLAP, tenfold_contraction_execute_batch(plan, &batch, NULL, NULL));
    a_at[3] = all[3].a_data;
    batch.count = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute_batch(plan, &batch, NULL, NULL));
    CHECK_MESSAGE("batch: count is -1");
    batch.count = batch_count;
    batch.input_count = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute_batch(plan, &batch, NULL, NULL));
    batch.inputs = NULL;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute_batch(plan, &batch, NULL, NULL));
    CHECK_MESSAGE("batch: inputs is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute_batch(NULL, &batch, NULL, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_execute_batch(plan, NULL, NULL, NULL));
    for (int i = 0; i < batch_count; ++i)
        CHECK(has_result(&all[i], 2, -1)); // as before
    tenfold_contraction_destroy(plan);
}

void executor_tests(void) {
    tenfold_context *context = make_context();
    records(context);
    bounds(context);
    options_of_the_first_version(context);
    batches(context);
    tenfold_context_destroy(context);
}

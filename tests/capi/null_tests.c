// Tests that NULL where something is needed is an error and no crash.
#include "check.h"

/// A call that lacks `what`.
#define LACKS(what, call)                                                                          \
    do {                                                                                           \
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, call);                                                \
        CHECK_MESSAGE(what " is NULL");                                                            \
    } while (0)

static void destroying_nothing(void) {
    tenfold_context_destroy(NULL);
    tenfold_contraction_destroy(NULL);
    tenfold_transpose_destroy(NULL);
    tenfold_epilogue_destroy(NULL);
    tenfold_contraction_epilogue_destroy(NULL);
    tenfold_stop_destroy(NULL);
}

static void contexts(const tenfold_context *context) {
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    tenfold_error_details details = TENFOLD_INIT(tenfold_error_details);
    tenfold_isa isa;
    const char *text;
    int32_t threads;
    LACKS("context", tenfold_context_create(NULL, NULL));
    LACKS("context", tenfold_context_global(NULL));
    LACKS("context", tenfold_context_settings(NULL, &settings));
    LACKS("settings", tenfold_context_settings(context, NULL));
    LACKS("context", tenfold_context_threads(NULL, &threads));
    LACKS("threads", tenfold_context_threads(context, NULL));
    LACKS("context", tenfold_context_isa(NULL, &isa, &text));
    LACKS("isa", tenfold_context_isa(context, NULL, &text));
    LACKS("context", tenfold_context_rates_reason(NULL, &text));
    LACKS("reason", tenfold_context_rates_reason(context, NULL));
    LACKS("details", tenfold_last_error_details(NULL));
    LACKS("details", tenfold_set_last_error(NULL, "message"));
    LACKS("message", tenfold_set_last_error(&details, NULL));
    LACKS("stop", tenfold_stop_create(NULL));
    LACKS("stop", tenfold_stop_request(NULL));
}

static void contractions(const tenfold_context *context) {
    const char *const expression = "ab=ak*kb";
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    set_up(&product);
    const tenfold_operands *const operands = &product.operands;
    const tenfold_operands no_inputs = {NULL, 2, NULL, &product.d};
    const tenfold_operands no_output = {product.inputs, 2, NULL, NULL};
    const tenfold_data no_input_data = {NULL, 2, NULL, product.d_data};
    LACKS("context", tenfold_contraction_create(NULL, expression, operands, NULL, &plan));
    LACKS("expression", tenfold_contraction_create(context, NULL, operands, NULL, &plan));
    LACKS("operands", tenfold_contraction_create(context, expression, NULL, NULL, &plan));
    LACKS("plan", tenfold_contraction_create(context, expression, operands, NULL, NULL));
    LACKS("inputs", tenfold_contraction_create(context, expression, &no_inputs, NULL, &plan));
    LACKS("d", tenfold_contraction_create(context, expression, &no_output, NULL, &plan));
    LACKS("context", tenfold_contract(NULL, expression, operands, &product.data, NULL, NULL));
    LACKS("expression", tenfold_contract(context, NULL, operands, &product.data, NULL, NULL));
    LACKS("operands", tenfold_contract(context, expression, NULL, &product.data, NULL, NULL));
    LACKS("data", tenfold_contract(context, expression, operands, NULL, NULL, NULL));
    LACKS("inputs", tenfold_contract(context, expression, operands, &no_input_data, NULL, NULL));
    product.inputs[0].extents = NULL;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_create(context, expression, operands, NULL, &plan));
    CHECK_MESSAGE("A: extents is NULL");
    LACKS("plan", tenfold_contraction_execute(NULL, &product.data, NULL));
}

static void label_lists(const tenfold_context *context) {
    const int32_t numbers[] = {0, 1, 2};
    const tenfold_label_list lists[] = {{numbers, 2}, {numbers + 1, 2}};
    const tenfold_label_lists all = {lists, 2, NULL};
    const tenfold_label_lists *const labels = &all;
    tenfold_contraction_plan *plan = NULL;
    int64_t extents[TENFOLD_MOST_MODES];
    int32_t order;
    matrix_product product;
    set_up(&product);
    const tenfold_operands *const operands = &product.operands;
    const tenfold_data *const data = &product.data;
    LACKS("context", tenfold_contraction_create_from_labels(NULL, labels, operands, NULL, &plan));
    LACKS("labels", tenfold_contraction_create_from_labels(context, NULL, operands, NULL, &plan));
    LACKS("operands", tenfold_contraction_create_from_labels(context, labels, NULL, NULL, &plan));
    LACKS("plan", tenfold_contraction_create_from_labels(context, labels, operands, NULL, NULL));
    LACKS("context", tenfold_contract_labels(NULL, labels, operands, data, NULL, NULL));
    LACKS("labels", tenfold_contract_labels(context, NULL, operands, data, NULL, NULL));
    LACKS("operands", tenfold_contract_labels(context, labels, NULL, data, NULL, NULL));
    LACKS("data", tenfold_contract_labels(context, labels, operands, NULL, NULL, NULL));
    LACKS("expression", tenfold_output_extents(NULL, product.inputs, 2, NULL, extents, &order));
    LACKS("inputs", tenfold_output_extents("ij,jk", NULL, 2, NULL, extents, &order));
    LACKS("extents", tenfold_output_extents("ij,jk", product.inputs, 2, NULL, NULL, &order));
    LACKS("order", tenfold_output_extents("ij,jk", product.inputs, 2, NULL, extents, NULL));
    LACKS("labels", tenfold_output_extents_of_labels(NULL, product.inputs, extents, &order));
    LACKS("inputs", tenfold_output_extents_of_labels(labels, NULL, extents, &order));
    LACKS("extents", tenfold_output_extents_of_labels(labels, product.inputs, NULL, &order));
    LACKS("order", tenfold_output_extents_of_labels(labels, product.inputs, extents, NULL));
}

static void plans(const tenfold_context *context) {
    tenfold_contraction_summary summary = TENFOLD_INIT(tenfold_contraction_summary);
    tenfold_candidate candidate = TENFOLD_INIT(tenfold_candidate);
    tenfold_step step = TENFOLD_INIT(tenfold_step);
    tenfold_contraction_plan *plan = NULL;
    tenfold_path path;
    matrix_product product;
    const char *text;
    int64_t bytes;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan));
    LACKS("data", tenfold_contraction_execute(plan, NULL, NULL));
    product.data.inputs = NULL;
    LACKS("inputs", tenfold_contraction_execute(plan, &product.data, NULL));
    LACKS("plan", tenfold_contraction_workspace_size(NULL, &bytes));
    LACKS("bytes", tenfold_contraction_workspace_size(plan, NULL));
    LACKS("plan", tenfold_contraction_explain(NULL, &text));
    LACKS("text", tenfold_contraction_explain(plan, NULL));
    LACKS("plan", tenfold_contraction_path(NULL, &path));
    LACKS("path", tenfold_contraction_path(plan, NULL));
    LACKS("plan", tenfold_contraction_json(NULL, &text));
    LACKS("text", tenfold_contraction_json(plan, NULL));
    LACKS("plan", tenfold_contraction_summarise(NULL, &summary));
    LACKS("summary", tenfold_contraction_summarise(plan, NULL));
    LACKS("plan", tenfold_contraction_candidate(NULL, 0, &candidate));
    LACKS("candidate", tenfold_contraction_candidate(plan, 0, NULL));
    LACKS("plan", tenfold_contraction_without_limit(NULL, &candidate));
    LACKS("plan", tenfold_contraction_step(NULL, 0, &step));
    tenfold_contraction_destroy(plan);
}

static void transpositions(const tenfold_context *context) {
    const int32_t permutation[] = {0, 1};
    tenfold_transpose_plan *plan = NULL;
    matrix_product product;
    const char *text;
    double seconds;
    int64_t bytes;
    set_up(&product);
    const tenfold_tensor *const a = &product.d;
    product.operands.input_count = product.data.input_count = 1;
    LACKS("context", tenfold_transpose_create(NULL, permutation, a, a, NULL, &plan));
    LACKS("permutation", tenfold_transpose_create(context, NULL, a, a, NULL, &plan));
    LACKS("a", tenfold_transpose_create(context, permutation, NULL, a, NULL, &plan));
    LACKS("b", tenfold_transpose_create(context, permutation, a, NULL, NULL, &plan));
    LACKS("plan", tenfold_transpose_create(context, permutation, a, a, NULL, NULL));
    LACKS("context",
          tenfold_transpose(NULL, "ab=ab", &product.operands, &product.data, NULL, NULL));
    LACKS("expression",
          tenfold_transpose(context, NULL, &product.operands, &product.data, NULL, NULL));
    LACKS("operands", tenfold_transpose(context, "ab=ab", NULL, &product.data, NULL, NULL));
    LACKS("data", tenfold_transpose(context, "ab=ab", &product.operands, NULL, NULL, NULL));
    LACKS("plan", tenfold_transpose_execute(NULL, product.c_data, product.d_data, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_create(context, permutation, a, a, NULL, &plan));
    LACKS("plan", tenfold_transpose_explain(NULL, &text));
    LACKS("text", tenfold_transpose_explain(plan, NULL));
    LACKS("plan", tenfold_transpose_predicted_seconds(NULL, &seconds));
    LACKS("seconds", tenfold_transpose_predicted_seconds(plan, NULL));
    LACKS("plan", tenfold_transpose_traffic(NULL, 0, &bytes));
    LACKS("bytes", tenfold_transpose_traffic(plan, 0, NULL));
    tenfold_transpose_destroy(plan);
}

static void add_nothing(void *elements, int64_t count, void *user) {
    (void)elements;
    (void)count;
    (void)user;
}

static void matrices(const tenfold_context *context) {
    const tenfold_product product = {TENFOLD_F64, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    const double one = 1;
    double c = 0;
    const tenfold_batch batch = {1, &one, 1, NULL, NULL};
    const tenfold_output_batch output = {1, &c, 1, NULL, NULL};
    const tenfold_scalar factor = {1, 0};
    tenfold_epilogue *epilogue = NULL;
    LACKS("context", tenfold_gemm(NULL, &product, &one, &one, &c, NULL));
    LACKS("product", tenfold_gemm(context, NULL, &one, &one, &c, NULL));
    LACKS("context", tenfold_gemm_batch(NULL, &product, &batch, &batch, &output, NULL));
    LACKS("product", tenfold_gemm_batch(context, NULL, &batch, &batch, &output, NULL));
    LACKS("a", tenfold_gemm_batch(context, &product, NULL, &batch, &output, NULL));
    LACKS("b", tenfold_gemm_batch(context, &product, &batch, NULL, &output, NULL));
    LACKS("c", tenfold_gemm_batch(context, &product, &batch, &batch, NULL, NULL));
    LACKS("context", tenfold_gemm_batch_reduce(NULL, &product, &batch, &batch, &c, NULL));
    LACKS("product", tenfold_gemm_batch_reduce(context, NULL, &batch, &batch, &c, NULL));
    LACKS("a", tenfold_gemm_batch_reduce(context, &product, NULL, &batch, &c, NULL));
    LACKS("b", tenfold_gemm_batch_reduce(context, &product, &batch, NULL, &c, NULL));

    LACKS("epilogue", tenfold_epilogue_create(NULL));
    LACKS("epilogue", tenfold_epilogue_scale(NULL, &factor));
    LACKS("epilogue", tenfold_epilogue_add_along_columns(NULL, TENFOLD_F64, &one, 1, 1));
    LACKS("epilogue", tenfold_epilogue_add_along_rows(NULL, TENFOLD_F64, &one, 1, 1));
    LACKS("epilogue", tenfold_epilogue_add(NULL, TENFOLD_F64, &product.a, &one, NULL));
    LACKS("epilogue", tenfold_epilogue_multiply(NULL, TENFOLD_F64, &product.a, &one, NULL));
    LACKS("epilogue", tenfold_epilogue_apply(NULL, TENFOLD_RELU));
    LACKS("epilogue", tenfold_epilogue_call(NULL, TENFOLD_F64, add_nothing, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_epilogue_create(&epilogue));
    LACKS("factor", tenfold_epilogue_scale(epilogue, NULL));
    LACKS("matrix", tenfold_epilogue_add(epilogue, TENFOLD_F64, NULL, &one, NULL));
    LACKS("matrix", tenfold_epilogue_multiply(epilogue, TENFOLD_F64, NULL, &one, NULL));
    LACKS("function", tenfold_epilogue_call(epilogue, TENFOLD_F64, NULL, NULL));
    tenfold_epilogue_destroy(epilogue);
}

void null_tests(void) {
    tenfold_context *context = make_context();
    destroying_nothing();
    contexts(context);
    contractions(context);
    label_lists(context);
    plans(context);
    transpositions(context);
    matrices(context);
    tenfold_context_destroy(context);
}

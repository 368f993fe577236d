// Tests epilogues of contractions.
#include <string.h>

#include "check.h"

static const int64_t extent_of_b = 4;
static const tenfold_tensor along_b = {TENFOLD_F64, 1, &extent_of_b, NULL, 0};
static const double bias[] = {1, 2, 3, 4};
static const tenfold_scalar two = {2, 0};

static void add_number(void *elements, int64_t count, void *user) {
    double *const values = elements;
    for (int64_t i = 0; i < count; ++i)
        values[i] += *(const double *)user;
}

static tenfold_contraction_epilogue *make(void) {
    tenfold_contraction_epilogue *epilogue = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_create(&epilogue));
    return epilogue;
}

/// 2 (D + bias of b) * factor + number
static int is_finished(const matrix_product *product, const double *of_b, double number) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            const double d = 2 * (expected_element(i, j, 1, 0) + of_b[j]);
            if (product->d_data[i + 2 * j] != d * 3 * of_b[j] + number)
                return 0;
        }
    return 1;
}

static tenfold_contraction_epilogue *make_all(const double *of_b, double *number) {
    const tenfold_scalar three = {3, 0};
    tenfold_contraction_epilogue *const epilogue = make();
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_add(epilogue, "b", &along_b, of_b, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_scale(epilogue, &two));
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_epilogue_multiply(epilogue, "[b]", &along_b, of_b, &three));
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_epilogue_call(epilogue, TENFOLD_F64, add_number, number));
    return epilogue;
}

static void in_one_call(const tenfold_context *context) {
    double number = 0.5;
    matrix_product product;
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_epilogue *const epilogue = make_all(bias, &number);
    options.epilogue = epilogue;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data,
                                            &options, NULL));
    CHECK(is_finished(&product, bias, 0.5));
    tenfold_contraction_epilogue_destroy(epilogue);
}

static void in_plans(const tenfold_context *context) {
    const double other[] = {5, 6, 7, 8};
    double number = 0.5, others = 0.25;
    const void *const data[] = {other, NULL, other, &others};
    matrix_product product;
    const char *text = NULL;
    tenfold_contraction_plan *plan = NULL;
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_execute_options execute = TENFOLD_INIT(tenfold_execute_options);
    tenfold_contraction_epilogue *const epilogue = make_all(NULL, &number);
    options.epilogue = epilogue;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, &options, &plan));
    tenfold_contraction_epilogue_destroy(epilogue); // the plan does not keep it
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_explain(plan, &text));
    CHECK(strstr(text, "epilogue") != NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_execute(plan, &product.data, NULL));
    CHECK_MESSAGE("epilogue steps");
    execute.epilogue_count = 4;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_execute(plan, &product.data, &execute));
    execute.epilogue_data = data;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, &execute));
    CHECK(is_finished(&product, other, 0.25));
    const int32_t wrong[] = {-1, 3, 9};
    for (int i = 0; i < 3; ++i) {
        execute.epilogue_count = wrong[i];
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                   tenfold_contraction_execute(plan, &product.data, &execute));
    }
    const void *const null[] = {other, NULL, NULL, &others};
    execute.epilogue_data = null;
    execute.epilogue_count = 4;
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_contraction_execute(plan, &product.data, &execute));
    CHECK_TEXT("epilogue step 3", last_details().first.name);
    tenfold_contraction_destroy(plan);
}

static void functions(const tenfold_context *context) {
    matrix_product product;
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_epilogue *const epilogue = make();
    const tenfold_scalar minus = {-1, 0};
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_scale(epilogue, &minus));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_apply(epilogue, TENFOLD_RELU));
    options.epilogue = epilogue;
    set_up(&product);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data,
                                            &options, NULL));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            const double d = -expected_element(i, j, 1, 0);
            CHECK(product.d_data[i + 2 * j] == (d < 0 ? 0 : d));
        }
    tenfold_contraction_epilogue_destroy(epilogue);
}

static void errors(const tenfold_context *context) {
    matrix_product product;
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_epilogue *epilogue = make();
    CHECK_CODE(TENFOLD_SYNTAX,
               tenfold_contraction_epilogue_add(epilogue, "a=b", &along_b, bias, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_epilogue_apply(epilogue, 6));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_call(epilogue, 17, add_number, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_add(epilogue, "a", &along_b, bias, NULL));
    options.epilogue = epilogue;
    set_up(&product);
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                         &product.data, &options, NULL));
    CHECK_TEXT("a", last_details().label);
    CHECK_TEXT("D", last_details().first.name);
    CHECK_TEXT("epilogue step 1", last_details().second.name);
    CHECK(last_details().first.extent == 2 && last_details().second.extent == 4);
    for (int step = 1; step < 8; ++step)
        CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_scale(epilogue, &two));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_epilogue_scale(epilogue, &two));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_call(epilogue, TENFOLD_F64, add_number, NULL));
    tenfold_contraction_epilogue_destroy(epilogue);
}

static void nulls(void) {
    tenfold_contraction_epilogue *epilogue = NULL;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_epilogue_create(NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_epilogue_scale(NULL, &two));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_add(NULL, "b", &along_b, bias, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_multiply(NULL, "b", &along_b, bias, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_epilogue_apply(NULL, TENFOLD_RELU));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_call(NULL, TENFOLD_F64, add_number, NULL));
    epilogue = make();
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_epilogue_scale(epilogue, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_add(epilogue, NULL, &along_b, bias, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_multiply(epilogue, "b", NULL, bias, NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contraction_epilogue_call(epilogue, TENFOLD_F64, NULL, NULL));
    tenfold_contraction_epilogue_destroy(epilogue);
}

void contraction_epilogue_tests(void) {
    tenfold_context *const context = make_context();
    in_one_call(context);
    in_plans(context);
    functions(context);
    errors(context);
    nulls();
    tenfold_context_destroy(context);
}

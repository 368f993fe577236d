// Tests contractions by plans and in one call.
#include <string.h>

#include "check.h"

static tenfold_contraction_plan *plan_of(const tenfold_context *context, const char *expression,
                                         const tenfold_operands *operands) {
    tenfold_contraction_plan *plan = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_create(context, expression, operands, NULL, &plan));
    return plan;
}

static void by_plan(const tenfold_context *context) {
    const tenfold_scalar alpha = {2, 0}, beta = {3, 0};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    matrix_product product;
    tenfold_contraction_plan *plan;
    set_up(&product);
    plan = plan_of(context, "ab=ak*kb", &product.operands);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, NULL));
    CHECK(has_result(&product, 1, 0));
    set_up(&product);
    options.alpha = &alpha;
    options.beta = &beta; // c is NULL: C is D
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK(has_result(&product, 2, 3));
    tenfold_contraction_destroy(plan);
}

static void separate_c(const tenfold_context *context) {
    const tenfold_scalar beta = {-1, 0};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    matrix_product product;
    tenfold_contraction_plan *plan;
    set_up(&product);
    memset(product.d_data, 0, sizeof product.d_data);
    product.operands.c = &product.c;
    plan = plan_of(context, "ab=ak*kb", &product.operands);
    options.beta = &beta;
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK_TEXT("C", last_details().first.name);
    product.data.c = product.c_data;
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK(has_result(&product, 1, -1));
    memset(product.d_data, 0, sizeof product.d_data);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data,
                                            NULL, &options));
    CHECK(has_result(&product, 1, -1));
    tenfold_contraction_destroy(plan);
}

static void in_one_call(const tenfold_context *context) {
    const tenfold_scalar alpha = {-0.5, 0}, beta = {1, 0};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    matrix_product product;
    for (int repetition = 0; repetition < 2; ++repetition) { // planned, and from the cache
        set_up(&product);
        CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                &product.data, NULL, NULL));
        CHECK(has_result(&product, 1, 0));
        set_up(&product);
        CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab-=ak*kb", &product.operands,
                                                &product.data, NULL, NULL));
        CHECK(has_result(&product, -1, 1));
        set_up(&product);
        options.alpha = &alpha;
        options.beta = NULL;
        CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab+=4*ak*kb", &product.operands,
                                                &product.data, NULL, &options));
        CHECK(has_result(&product, -2, 1));
        options.beta = &beta; // the expression has said what it is
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                   tenfold_contract(context, "ab+=4*ak*kb", &product.operands, &product.data, NULL,
                                    &options));
    }
    product.data.input_count = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contract(context, "ab=ak*kb", &product.operands, &product.data, NULL, NULL));
    CHECK_MESSAGE("data has 1 inputs, operands have 2");
}

static void options_are_used(const tenfold_context *context) {
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_summary summary = TENFOLD_INIT(tenfold_contraction_summary);
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    set_up(&product);
    options.algorithm = TENFOLD_ALGORITHM_REFERENCE;
    options.threads = 1;
    options.backend = TENFOLD_BACKEND_NATIVE;
    options.reproducible = TENFOLD_NO;
    options.workspace_limit = TENFOLD_NO_BYTES;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_summarise(plan, &summary));
    CHECK(summary.algorithm == TENFOLD_ALGORITHM_REFERENCE);
    CHECK(summary.threads == 1);
    tenfold_contraction_destroy(plan);
    options.algorithm = TENFOLD_ALGORITHM_AUTO;
    options.reproducible = TENFOLD_YES;
    options.workspace_limit = 0;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_summarise(plan, &summary));
    CHECK(summary.algorithm == TENFOLD_ALGORITHM_LEAVES);
    tenfold_contraction_destroy(plan);
    options.algorithm = TENFOLD_ALGORITHM_FUSED;
    CHECK_CODE(TENFOLD_UNSUPPORTED,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, &options, &plan));
    options.algorithm = 77;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                          &product.data, &options, NULL));
    CHECK_MESSAGE("algorithm is 77");
    options.algorithm = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                          &product.data, &options, NULL));
    CHECK_MESSAGE("algorithm is -1");
    options.algorithm = TENFOLD_ALGORITHM_AUTO;
    options.bf16_sums = TENFOLD_BF16_SUMS_DOT_PRODUCTS + 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                          &product.data, &options, NULL));
    CHECK_MESSAGE("bf16_sums is 3");
}

static void one_input_and_many(const tenfold_context *context) {
    const double a_data[] = {1, 2, 3, 4, 5, 6}; // 2 x 3
    const double b_data[] = {1, 0, 2};          // 3
    const double e_data[] = {10, 20};           // 2
    double d_data[3] = {0};
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3),
                                     TENSOR(TENFOLD_F64, 2)};
    const tenfold_tensor vector = TENSOR(TENFOLD_F64, 3), scalar = {TENFOLD_F64, 0, NULL, NULL, 0};
    const void *const input_data[] = {a_data, b_data, e_data};
    const tenfold_operands one = {inputs, 1, NULL, &vector}, three = {inputs, 3, NULL, &scalar};
    const tenfold_data one_data = {input_data, 1, NULL, d_data};
    const tenfold_data three_data = {input_data, 3, NULL, d_data};
    tenfold_contraction_plan *plan;
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "k=ik", &one, &one_data, NULL, NULL));
    CHECK(d_data[0] == 3 && d_data[1] == 7 && d_data[2] == 11);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "=ik*k*i", &three, &three_data, NULL, NULL));
    CHECK(d_data[0] == 10 * (1 + 2 * 5) + 20 * (2 + 2 * 6));
    d_data[0] = 0;
    plan = plan_of(context, "=ik*k*i", &three);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &three_data, NULL));
    CHECK(d_data[0] == 390);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_execute(plan, &one_data, NULL));
    tenfold_contraction_destroy(plan);
}

static void complex_numbers(const tenfold_context *context) {
    const double a_data[] = {1, 2, 3, -1}; // 1 + 2i, 3 - i
    const double b_data[] = {0, 1, 2, 0};  // i, 2
    double d_data[] = {0, 0};
    const int64_t extents[] = {2};
    tenfold_tensor inputs[] = {{TENFOLD_C64, 1, extents, NULL, 1},
                               {TENFOLD_C64, 1, extents, NULL, 0}};
    const tenfold_tensor d = {TENFOLD_C64, 0, NULL, NULL, 0};
    const void *const input_data[] = {a_data, b_data};
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    const tenfold_data data = {input_data, 2, NULL, d_data};
    const tenfold_scalar alpha = {0, 1};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    // conj(a) b = (1 - 2i) i + (3 + i) 2 = 8 + 3i
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "=k*k", &operands, &data, NULL, NULL));
    CHECK(d_data[0] == 8 && d_data[1] == 3);
    options.alpha = &alpha;
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "=k*k", &operands, &data, NULL, &options));
    CHECK(d_data[0] == -3 && d_data[1] == 8);
}

static void strides(const tenfold_context *context) {
    const double a_data[] = {1, 2, 3, 4, 5, 6}; // rows of 3
    double d_data[] = {0, 0};
    const int64_t extents[] = {2, 3}, strides[] = {3, 1}, two[] = {2};
    const tenfold_tensor a = {TENFOLD_F64, 2, extents, strides, 0};
    const tenfold_tensor d = {TENFOLD_F64, 1, two, NULL, 0};
    const void *const input_data[] = {a_data};
    const tenfold_operands operands = {&a, 1, NULL, &d};
    const tenfold_data data = {input_data, 1, NULL, d_data};
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "i=ik", &operands, &data, NULL, NULL));
    CHECK(d_data[0] == 6 && d_data[1] == 15);
}

/// Both inputs are of one name; one tensor is passed twice, and then two.
static void names_count(const tenfold_context *context) {
    const double a_data[] = {1, 2, 3, 4}, b_data[] = {1, 2, 3, 4};
    double d_data[] = {9, 9, 9, 9};
    const tenfold_tensor a = TENSOR(TENFOLD_F64, 2, 2);
    const tenfold_tensor inputs[] = {a, a};
    const void *const once[] = {a_data, a_data}, *const two[] = {a_data, b_data};
    const tenfold_operands operands = {inputs, 2, NULL, &a};
    const tenfold_data same = {once, 2, NULL, d_data}, others = {two, 2, NULL, d_data};
    const char *const square = "R[a,b]=T[a,c]*T[c,b]";
    tenfold_contraction_plan *plan;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_contract(context, square, &operands, &others, NULL, NULL));
    CHECK_TEXT("A", last_details().first.name);
    CHECK_TEXT("B", last_details().second.name);
    plan = plan_of(context, square, &operands);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_contraction_execute(plan, &others, NULL));
    CHECK_TEXT("B", last_details().first.name);
    CHECK(d_data[0] == 9);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &same, NULL));
    CHECK(d_data[0] == 7 && d_data[3] == 22);
    tenfold_contraction_destroy(plan);
}

static void diagonal_output(const tenfold_context *context) {
    const double a_data[] = {3, 5};
    double d_data[] = {9, 9, 9, 9};
    const tenfold_tensor a = TENSOR(TENFOLD_F64, 2), d = TENSOR(TENFOLD_F64, 2, 2);
    const void *const input_data[] = {a_data};
    const tenfold_operands operands = {&a, 1, NULL, &d};
    const tenfold_data data = {input_data, 1, NULL, d_data};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    options.diagonal_output = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ii=i", &operands, &data, &options, NULL));
    CHECK(d_data[0] == 3 && d_data[1] == 9 && d_data[2] == 9 && d_data[3] == 5);
}

static void failed_executions(const tenfold_context *context) {
    const tenfold_scalar alpha = {1, 1};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    tenfold_contraction_plan *plan;
    matrix_product product;
    set_up(&product);
    plan = plan_of(context, "ab=ak*kb", &product.operands);
    options.alpha = &alpha;
    CHECK_CODE(TENFOLD_TYPE_MISMATCH, tenfold_contraction_execute(plan, &product.data, &options));
    CHECK_TEXT("D", last_details().first.name);
    product.input_data[1] = NULL;
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_contraction_execute(plan, &product.data, NULL));
    CHECK_TEXT("B is null where its elements are needed", tenfold_last_error());
    CHECK_TEXT("B", last_details().first.name);
    product.input_data[1] = product.d_data;
    CHECK_CODE(TENFOLD_OVERLAP, tenfold_contraction_execute(plan, &product.data, NULL));
    CHECK_TEXT("B", last_details().first.name);
    product.data.d = NULL;
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_contraction_execute(plan, &product.data, NULL));
    CHECK_TEXT("D", last_details().first.name);
    CHECK(has_result(&product, 0, 1)); // D is as it was
    tenfold_contraction_destroy(plan);
}

static void missing_memory(const tenfold_context *context) {
    // 2^58 elements that share one address. One input is converted before it is summed, and then
    // each element needs memory of its own.
    const uint16_t element = 0x3f80; // 1 as bf16
    const int64_t extent = INT64_C(1) << 58, stride = 0;
    float d_data = 1;
    const tenfold_tensor many = {TENFOLD_BF16, 1, &extent, &stride, 0};
    const tenfold_tensor d = {TENFOLD_F32, 0, NULL, NULL, 0};
    const void *const input_data[] = {&element};
    const tenfold_operands operands = {&many, 1, NULL, &d};
    const tenfold_data data = {input_data, 1, NULL, &d_data};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    options.algorithm = TENFOLD_ALGORITHM_TTGT;
    CHECK_CODE(TENFOLD_OUT_OF_MEMORY,
               tenfold_contract(context, "=k", &operands, &data, &options, NULL));
    CHECK_TEXT("no memory for the workspace", tenfold_last_error());
    CHECK(d_data == 1);
}

/// D conjugated, and sums that f32 cannot hold on the way.
static void choices_about_the_output(const tenfold_context *context) {
    const tenfold_tensor complex_inputs[] = {TENSOR(TENFOLD_C64, 1), TENSOR(TENFOLD_C64, 1)};
    const tenfold_tensor complex_scalar = {TENFOLD_C64, 0, NULL, NULL, 0};
    const tenfold_operands complex_operands = {complex_inputs, 2, NULL, &complex_scalar};
    const double i[] = {0, 1}, two[] = {2, 0};
    double d[] = {7, 7};
    const void *const complex_data[] = {i, two};
    const tenfold_data product = {complex_data, 2, NULL, d};
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F32, 3), TENSOR(TENFOLD_F32, 3)};
    const tenfold_tensor scalar = {TENFOLD_F32, 0, NULL, NULL, 0};
    const tenfold_operands operands = {inputs, 2, NULL, &scalar};
    const float large[] = {33554432.0f, 1, -33554432.0f}, ones[] = {1, 1, 1};
    float sum = 7;
    const void *const data[] = {large, ones};
    const tenfold_data of_sum = {data, 2, NULL, &sum};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    options.conj_output = 1;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contract(context, "=k*k", &complex_operands, &product, &options, NULL));
    CHECK(d[0] == 0 && d[1] == -2);
    options.conj_output = 0;
    options.f64_sums = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "=k*k", &operands, &of_sum, &options, NULL));
    CHECK(sum == 1);
}

/// D of bf16, rounded once from 1 * 256 + 1 * 1 + 1, of which f32 holds every part, and a C of f32.
static void rounded_output(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_BF16, 2), TENSOR(TENFOLD_BF16, 2)};
    const tenfold_tensor c = {TENFOLD_F32, 0, NULL, NULL, 0};
    const tenfold_tensor d = {TENFOLD_BF16, 0, NULL, NULL, 0};
    const tenfold_operands operands = {inputs, 2, &c, &d};
    const tenfold_scalar beta = {1, 0};
    const uint16_t ones[] = {0x3f80, 0x3f80}, others[] = {0x4380, 0x3f80};
    const float c_data = 1;
    uint16_t sum = 0xffff;
    const void *const input_data[] = {ones, others};
    const tenfold_data data = {input_data, 2, &c_data, &sum};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "=k*k", &operands, &data, NULL, NULL));
    CHECK(sum == 0x4380); // 257, halfway between 256 and 258
    options.beta = &beta;
    CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "=k*k", &operands, &data, NULL, &options));
    CHECK(sum == 0x4381); // 258
}

void contract_tests(void) {
    tenfold_context *context = make_context();
    by_plan(context);
    separate_c(context);
    in_one_call(context);
    options_are_used(context);
    one_input_and_many(context);
    complex_numbers(context);
    strides(context);
    diagonal_output(context);
    names_count(context);
    failed_executions(context);
    missing_memory(context);
    choices_about_the_output(context);
    rounded_output(context);
    tenfold_context_destroy(context);
}

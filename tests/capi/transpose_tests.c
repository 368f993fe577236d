// Tests transpositions by plans and in one call.
#include <string.h>

#include "check.h"

static const double a_data[] = {1, 2, 3, 4, 5, 6}; // 2 x 3

static void by_plan(const tenfold_context *context) {
    const tenfold_tensor a = TENSOR(TENFOLD_F64, 2, 3), b = TENSOR(TENFOLD_F64, 3, 2);
    const int32_t permutation[] = {1, 0};
    const tenfold_scalar alpha = {2, 0}, beta = {-1, 0};
    tenfold_execute_options execution = TENFOLD_INIT(tenfold_execute_options);
    tenfold_transpose_options options = TENFOLD_INIT(tenfold_transpose_options);
    tenfold_transpose_plan *plan = NULL;
    double b_data[6] = {0}, seconds = -1;
    const char *text = NULL, *again = NULL;
    int64_t bytes = 0;
    options.threads = 1;
    options.bypass_caches = TENFOLD_NO;
    options.beta = &beta;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_create(context, permutation, &a, &b, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_execute(plan, a_data, b_data, NULL));
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            CHECK(b_data[k + 3 * i] == a_data[i + 2 * k]);
    execution.alpha = &alpha;
    execution.beta = &beta;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_execute(plan, a_data, b_data, &execution));
    CHECK(b_data[1] == a_data[2]);
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_transpose_execute(plan, NULL, b_data, NULL));
    CHECK_TEXT("A", last_details().first.name);
    CHECK_CODE(TENFOLD_OVERLAP, tenfold_transpose_execute(plan, b_data, b_data, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_explain(plan, &text));
    CHECK(strlen(text) > 0);
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_explain(plan, &again));
    CHECK(text == again);
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_predicted_seconds(plan, &seconds));
    CHECK(seconds >= 0);
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_traffic(plan, 0, &bytes));
    CHECK(bytes == 2 * 6 * 8);
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_traffic(plan, 1, &bytes));
    CHECK(bytes == 3 * 6 * 8);
    tenfold_transpose_destroy(plan);
}

static void wrong_plans(const tenfold_context *context) {
    const tenfold_tensor a = TENSOR(TENFOLD_F64, 2, 3), b = TENSOR(TENFOLD_F64, 3, 5);
    const tenfold_tensor vector = TENSOR(TENFOLD_F64, 3), whole = TENSOR(TENFOLD_C64, 3, 2);
    const int32_t permutation[] = {1, 0}, twice[] = {0, 0};
    tenfold_transpose_options options = TENFOLD_INIT(tenfold_transpose_options);
    tenfold_transpose_plan *plan = (tenfold_transpose_plan *)&plan;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_transpose_create(context, permutation, &a, &b, NULL, &plan));
    CHECK(plan == NULL);
    CHECK_TEXT("A", last_details().first.name);
    CHECK(last_details().first.mode == 0 && last_details().first.extent == 2);
    CHECK_TEXT("B", last_details().second.name);
    CHECK(last_details().second.mode == 1 && last_details().second.extent == 5);
    CHECK_CODE(TENFOLD_ORDER_MISMATCH,
               tenfold_transpose_create(context, permutation, &a, &vector, NULL, &plan));
    CHECK(last_details().first.order == 2 && last_details().second.order == 1);
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_transpose_create(context, permutation, &whole, &a, NULL, &plan));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_transpose_create(context, twice, &a, &a, NULL, &plan));
    options.bypass_caches = 4;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_transpose_create(context, permutation, &a, &b, &options, &plan));
    CHECK_MESSAGE("bypass_caches is 4");
    options.bypass_caches = TENFOLD_NO;
    options.tuning_seconds = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_transpose_create(context, permutation, &vector, &vector, &options, &plan));
    CHECK_MESSAGE("tuning_seconds is -1; it must be more than 0");
}

static void in_one_call(const tenfold_context *context) {
    const tenfold_tensor a = TENSOR(TENFOLD_F64, 2, 3), b = TENSOR(TENFOLD_F32, 3, 2);
    const tenfold_operands operands = {&a, 1, NULL, &b}, two = {&a, 2, NULL, &b},
                           with_c = {&a, 1, &b, &b};
    const void *const input_data[] = {a_data};
    const tenfold_scalar alpha = {3, 0}, beta = {0.5, 0};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    float b_data[6];
    const tenfold_data data = {input_data, 1, NULL, b_data};
    CHECK_CODE(TENFOLD_OK, tenfold_transpose(context, "ba=ab", &operands, &data, NULL, NULL));
    CHECK(b_data[1] == 3 && b_data[3] == 2);
    options.alpha = &alpha;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose(context, "ba+=ab", &operands, &data, NULL, &options));
    CHECK(b_data[1] == 12 && b_data[3] == 8);
    options.beta = &beta;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose(context, "ba=ab", &operands, &data, NULL, &options));
    CHECK(b_data[1] == 15 && b_data[3] == 10);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_transpose(context, "ba=ab", &two, &data, NULL, NULL));
    CHECK_MESSAGE("one input");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_transpose(context, "ba=ab", &with_c, &data, NULL, NULL));
    CHECK_CODE(TENFOLD_SYNTAX, tenfold_transpose(context, "ba=a!", &operands, &data, NULL, NULL));
    CHECK(last_details().position == 4);
    CHECK_CODE(TENFOLD_UNKNOWN_LABEL,
               tenfold_transpose(context, "bc=ab", &operands, &data, NULL, NULL));
    CHECK_CODE(TENFOLD_REPEATED_LABEL,
               tenfold_transpose(context, "aa=aa", &operands, &data, NULL, NULL));
    CHECK_TEXT("a", last_details().label);
    CHECK_TEXT("A", last_details().first.name);
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_transpose(context, "ab=ab", &operands, &data, NULL, NULL));
    CHECK_TEXT("a", last_details().label);
}

static void scalars_and_complex_numbers(const tenfold_context *context) {
    const double one[] = {1, 2};
    double other[] = {0, 0};
    const tenfold_tensor a = {TENFOLD_C64, 0, NULL, NULL, 1}, b = {TENFOLD_C64, 0, NULL, NULL, 0};
    tenfold_transpose_plan *plan = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_create(context, NULL, &a, &b, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_transpose_execute(plan, one, other, NULL));
    CHECK(other[0] == 1 && other[1] == -2);
    tenfold_transpose_destroy(plan);
}

void transpose_tests(void) {
    tenfold_context *context = make_context();
    by_plan(context);
    wrong_plans(context);
    in_one_call(context);
    scalars_and_complex_numbers(context);
    tenfold_context_destroy(context);
}

// Tests what a package in the manner of NumPy needs: lists of labels, broadcasting, paths, and the
// extents of outputs.
#include <string.h>

#include "check.h"

#define LABELS(...)                                                                                \
    {                                                                                              \
        (const int32_t[]){__VA_ARGS__},                                                            \
            (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t))                          \
    }

static void labels(const tenfold_context *context) {
    const tenfold_label_list inputs[] = {LABELS(70, 3), LABELS(3, 900)};
    const tenfold_label_list output = LABELS(70, 900);
    const tenfold_label_lists lists[] = {{inputs, 2, &output}, {inputs, 2, NULL}};
    for (int i = 0; i < 2; ++i) { // the implicit output is the same
        tenfold_contraction_plan *plan = NULL;
        matrix_product product;
        const char *text = NULL;
        set_up(&product);
        CHECK_CODE(TENFOLD_OK, tenfold_contraction_create_from_labels(
                                   context, &lists[i], &product.operands, NULL, &plan));
        CHECK_CODE(TENFOLD_OK, tenfold_contraction_execute(plan, &product.data, NULL));
        CHECK(has_result(&product, 1, 0));
        CHECK_CODE(TENFOLD_OK, tenfold_contraction_explain(plan, &text));
        CHECK(strncmp(text, i == 0 ? "[70,3],[3,900]->[70,900], f64" : "[70,3],[3,900], f64",
                      i == 0 ? 29 : 19) == 0);
        tenfold_contraction_destroy(plan);
    }
}

static void labels_in_one_call(const tenfold_context *context) {
    const tenfold_label_list inputs[] = {LABELS(0, 1), LABELS(1, 2)};
    const tenfold_label_lists lists = {inputs, 2, NULL};
    const tenfold_scalar alpha = {2, 0}, beta = {-3, 0};
    tenfold_execute_options options = TENFOLD_INIT(tenfold_execute_options);
    matrix_product product;
    options.alpha = &alpha;
    options.beta = &beta;
    for (int repetition = 0; repetition < 2; ++repetition) {
        set_up(&product);
        CHECK_CODE(TENFOLD_OK, tenfold_contract_labels(context, &lists, &product.operands,
                                                       &product.data, NULL, &options));
        CHECK(has_result(&product, 2, -3)); // C is D
        set_up(&product);
        product.operands.c = &product.c;
        product.data.c = product.c_data;
        memset(product.d_data, 0, sizeof product.d_data);
        CHECK_CODE(TENFOLD_OK, tenfold_contract_labels(context, &lists, &product.operands,
                                                       &product.data, NULL, &options));
        CHECK(has_result(&product, 2, -3));
    }
}

static void ellipses(const tenfold_context *context) {
    const tenfold_label_list inputs[] = {LABELS(TENFOLD_ELLIPSIS, 0), LABELS(0, TENFOLD_ELLIPSIS)};
    const tenfold_label_list output = LABELS(TENFOLD_ELLIPSIS);
    const tenfold_label_lists lists = {inputs, 2, &output};
    const tenfold_tensor tensors[] = {TENSOR(TENFOLD_F64, 2, 1, 3), TENSOR(TENFOLD_F64, 3, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 2);
    const tenfold_operands operands = {tensors, 2, NULL, &d};
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 10, 100, 2, 20, 200};
    const void *const input_data[] = {a, b};
    double d_data[4] = {0};
    const tenfold_data data = {input_data, 2, NULL, d_data};
    int64_t extents[TENFOLD_MOST_MODES] = {0};
    int32_t order = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_contract_labels(context, &lists, &operands, &data, NULL, NULL));
    CHECK(d_data[0] == 531 && d_data[1] == 642 && d_data[2] == 1062 && d_data[3] == 1284);
    CHECK_CODE(TENFOLD_OK, tenfold_output_extents_of_labels(&lists, tensors, extents, &order));
    CHECK(order == 2 && extents[0] == 2 && extents[1] == 2);
}

static void wrong_labels(const tenfold_context *context) {
    const tenfold_label_list inputs[] = {LABELS(0, -5), LABELS(1, 2)};
    const tenfold_label_list counted[] = {{NULL, 2}, {NULL, -1}};
    const tenfold_label_list without = {NULL, 0};
    const tenfold_label_lists negative = {inputs, 2, NULL}, one = {inputs + 1, 1, NULL},
                              null = {counted, 1, NULL}, count = {counted + 1, 1, NULL},
                              nothing = {NULL, 1, NULL}, none = {inputs, 0, NULL},
                              scalar = {&without, 1, &without};
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    int64_t extents[TENFOLD_MOST_MODES];
    int32_t order = -1;
    set_up(&product);
#define REFUSED(code, lists, message)                                                              \
    CHECK_CODE(code, tenfold_contraction_create_from_labels(context, lists, &product.operands,     \
                                                            NULL, &plan));                         \
    CHECK_MESSAGE(message);                                                                        \
    CHECK(plan == NULL)
    REFUSED(TENFOLD_INVALID_ARGUMENT, &negative, "input 1 has the label -5");
    REFUSED(TENFOLD_ORDER_MISMATCH, &one, "the expression has 1 input, but 2 tensors were given");
    REFUSED(TENFOLD_INVALID_ARGUMENT, &null, "input 1: labels is NULL, but count is 2");
    REFUSED(TENFOLD_INVALID_ARGUMENT, &count, "input 1: the count of labels is -1");
    REFUSED(TENFOLD_INVALID_ARGUMENT, &nothing, "inputs is NULL");
    REFUSED(TENFOLD_INVALID_ARGUMENT, &none, "input_count is 0");
    REFUSED(TENFOLD_INVALID_ARGUMENT, NULL, "labels is NULL");
    const tenfold_tensor number = {TENFOLD_F64, 0, NULL, NULL, 0};
    CHECK_CODE(TENFOLD_OK, tenfold_output_extents_of_labels(&scalar, &number, extents, &order));
    CHECK(order == 0);
}

static void broadcasting(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 1), TENSOR(TENFOLD_F64, 2, 3)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 3);
    const tenfold_operands operands = {inputs, 2, NULL, &d};
    const double a[] = {2, 3}, b[] = {1, 2, 3, 4, 5, 6};
    const void *const input_data[] = {a, b};
    double d_data[6];
    const tenfold_data data = {input_data, 2, NULL, d_data};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    int64_t extents[TENFOLD_MOST_MODES] = {0};
    int32_t order = -1;
    const char *const expressions[] = {"ij,ij->ij", "ij=ij*ij"};
    for (int i = 0; i < 2; ++i) {
        memset(d_data, 0, sizeof d_data);
        CHECK_CODE(TENFOLD_OK,
                   tenfold_contract(context, expressions[i], &operands, &data, &options, NULL));
        CHECK(d_data[0] == 2 && d_data[3] == 12 && d_data[5] == 18);
        CHECK_CODE(TENFOLD_OK,
                   tenfold_output_extents(expressions[i], inputs, 2, &options, extents, &order));
        CHECK(order == 2 && extents[0] == 2 && extents[1] == 3);
        options.broadcast = 1; // what NumPy's notation does by itself
    }
    options.broadcast = 0;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_contract(context, expressions[1], &operands, &data, &options, NULL));
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH,
               tenfold_output_extents(expressions[1], inputs, 2, NULL, extents, &order));
    CHECK_MESSAGE("label 'j': A mode 1 has extent 1, B mode 1 has extent 3");
}

static void paths(const tenfold_context *context) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 10, 20), TENSOR(TENFOLD_F64, 20, 30),
                                     TENSOR(TENFOLD_F64, 30, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 10, 2);
    const tenfold_operands operands = {inputs, 3, NULL, &d};
    const int32_t positions[] = {0, 1, 1, 0}, counts[] = {2, 2}, bad[] = {0, 1, 2, 0};
    tenfold_path path = {positions, counts, 2}, found = {NULL, NULL, 0};
    tenfold_contract_options options = TENFOLD_INIT(tenfold_contract_options);
    tenfold_contraction_plan *plan = NULL;
    const char *json = NULL;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ij,jk,kl->il", &operands, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_path(plan, &found));
    CHECK(found.step_count == 2 && found.counts[0] == 2 && found.counts[1] == 2);
    CHECK(found.positions[0] + found.positions[1] == 1 + 2); // the last two first
    tenfold_contraction_destroy(plan);

    options.path = &path;
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ij,jk,kl->il", &operands, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_path(plan, &found));
    CHECK(found.step_count == 2);
    CHECK(memcmp(found.positions, positions, sizeof positions) == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_json(plan, &json));
    CHECK(strstr(json, "\"path\":[[0,1],[1,0]]") != NULL);
    tenfold_contraction_destroy(plan);

#define WRONG(message)                                                                             \
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,                                                           \
               tenfold_contraction_create(context, "ij,jk,kl->il", &operands, &options, &plan));   \
    CHECK_MESSAGE(message)
    path.positions = bad;
    WRONG("step 2 of the path names position 2, but the 2 operands that are left have positions 0 "
          "to 1");
    path.positions = positions;
    path.step_count = 1;
    WRONG("the path leaves 2 of 3 operands");
    path.step_count = 0;
    WRONG("step_count is 0");
    path.step_count = 2;
    path.counts = NULL;
    WRONG("the path's counts is NULL");
    path.counts = counts;
    path.positions = NULL;
    WRONG("the path's positions is NULL");
    path.positions = positions;
    path.counts = bad;
    WRONG("step 1 of the path has the count 0");
}

void numpy_rules_tests(void) {
    tenfold_context *context = make_context();
    labels(context);
    labels_in_one_call(context);
    ellipses(context);
    wrong_labels(context);
    broadcasting(context);
    paths(context);
    tenfold_context_destroy(context);
}

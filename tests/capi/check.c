#include "check.h"

#include <stdio.h>
#include <string.h>

static int failed = 0;
static int was_returned[TENFOLD_STOPPED + 1]; // by code

void check(int is_true, const char *condition, const char *file, int line) {
    if (is_true)
        return;
    ++failed;
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
}

void check_code(tenfold_error expected, tenfold_error code, const char *call, const char *file,
                int line) {
    if (code == expected) {
        was_returned[code] = 1;
        return;
    }
    ++failed;
    fprintf(stderr, "%s:%d: %s, not %s: %s\n", file, line, tenfold_error_name(code),
            tenfold_error_name(expected), call);
    if (code != TENFOLD_OK)
        fprintf(stderr, "%s\n", tenfold_last_error());
}

void check_text(const char *expected, const char *actual, const char *what, const char *file,
                int line) {
    if (actual != NULL && strcmp(expected, actual) == 0)
        return;
    ++failed;
    fprintf(stderr, "%s:%d: '%s', not '%s': %s\n", file, line, actual == NULL ? "NULL" : actual,
            expected, what);
}

void check_message(const char *part, const char *file, int line) {
    if (strstr(tenfold_last_error(), part) != NULL)
        return;
    ++failed;
    fprintf(stderr, "%s:%d: '%s' does not say '%s'\n", file, line, tenfold_last_error(), part);
}

void check_was_returned(tenfold_error code) {
    if (was_returned[code])
        return;
    ++failed;
    fprintf(stderr, "no test made a call return %s\n", tenfold_error_name(code));
}

int failed_checks(void) { return failed; }

tenfold_error_details last_details(void) {
    tenfold_error_details details = TENFOLD_INIT(tenfold_error_details);
    CHECK_CODE(TENFOLD_OK, tenfold_last_error_details(&details));
    return details;
}

tenfold_context *make_context(void) {
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    tenfold_context *context = NULL;
    settings.calibration = "off";
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(&settings, &context));
    return context;
}

static double element_of_a(int i, int k) { return 1 + i + 10 * k; }
static double element_of_b(int k, int j) { return 2 + 3 * k - j; }
static double element_of_c(int i, int j) { return 100 * i - 7 * j; }

static const int64_t extents_of_a[] = {2, 3}, extents_of_b[] = {3, 4}, extents_of_d[] = {2, 4};

void set_up(matrix_product *product) {
    const tenfold_tensor a = {TENFOLD_F64, 2, extents_of_a, NULL, 0};
    const tenfold_tensor b = {TENFOLD_F64, 2, extents_of_b, NULL, 0};
    const tenfold_tensor d = {TENFOLD_F64, 2, extents_of_d, NULL, 0};
    memset(product, 0, sizeof *product);
    product->inputs[0] = a;
    product->inputs[1] = b;
    product->c = product->d = d;
    product->operands.inputs = product->inputs;
    product->operands.input_count = 2;
    product->operands.d = &product->d;
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k)
            product->a_data[i + 2 * k] = element_of_a(i, k);
        for (int j = 0; j < 4; ++j)
            product->c_data[i + 2 * j] = product->d_data[i + 2 * j] = element_of_c(i, j);
    }
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 4; ++j)
            product->b_data[k + 3 * j] = element_of_b(k, j);
    product->input_data[0] = product->a_data;
    product->input_data[1] = product->b_data;
    product->data.inputs = product->input_data;
    product->data.input_count = 2;
    product->data.d = product->d_data;
}

double expected_element(int i, int j, double alpha, double beta) {
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += element_of_a(i, k) * element_of_b(k, j);
    return alpha * sum + beta * element_of_c(i, j);
}

int has_result(const matrix_product *product, double alpha, double beta) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            if (product->d_data[i + 2 * j] != expected_element(i, j, alpha, beta))
                return 0;
    return 1;
}

#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0;
static int was_returned[TENFOLD_TAPP_VALUE + 1]; // by code

void check(int is_true, const char *condition, const char *file, int line) {
    if (is_true)
        return;
    ++failed;
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
}

void check_code(int expected, TAPP_error code, const char *call, const char *file, int line) {
    char text[300];
    if (code == expected) {
        if (code >= 0 && code <= TENFOLD_TAPP_VALUE)
            was_returned[code] = 1;
        return;
    }
    ++failed;
    TAPP_explain_error(code, sizeof text, text);
    fprintf(stderr, "%s:%d: %d (%s), not %d: %s\n", file, line, code, text, expected, call);
}

void check_explained(const char *part, TAPP_error code, const char *file, int line) {
    char text[300];
    TAPP_explain_error(code, sizeof text, text);
    if (strstr(text, part) != NULL)
        return;
    ++failed;
    fprintf(stderr, "%s:%d: '%s' does not say '%s'\n", file, line, text, part);
}

void check_was_returned(int code) {
    if (was_returned[code])
        return;
    ++failed;
    fprintf(stderr, "no test made a call return code %d\n", code);
}

int failed_checks(void) { return failed; }

operand dense(TAPP_datatype type, const char *labels, ...) {
    operand made;
    int64_t stride = 1;
    va_list extents;
    memset(&made, 0, sizeof made);
    made.type = type;
    made.order = (int)strlen(labels);
    va_start(extents, labels);
    for (int mode = 0; mode < made.order; ++mode) {
        made.idx[mode] = labels[mode];
        made.extents[mode] = va_arg(extents, int);
        made.strides[mode] = stride;
        stride *= made.extents[mode];
    }
    va_end(extents);
    return made;
}

request matrix_product(TAPP_datatype type) {
    request made;
    made.a = dense(type, "ac", 2, 3);
    made.b = dense(type, "cb", 3, 4);
    made.c = made.d = dense(type, "ab", 2, 4);
    made.precision = TAPP_DEFAULT_PREC;
    made.handle = 0;
    return made;
}

static TAPP_error describe(const operand *of, TAPP_tensor_info *info) {
    return TAPP_create_tensor_info(info, of->type, of->order, of->extents, of->strides);
}

TAPP_error plan(const request *what, TAPP_tensor_product *made) {
    const operand *const all[] = {&what->a, &what->b, &what->c, &what->d};
    TAPP_tensor_info infos[4] = {0, 0, 0, 0};
    TAPP_error code = TENFOLD_TAPP_OK;
    for (int i = 0; i < 4 && code == TENFOLD_TAPP_OK; ++i)
        code = describe(all[i], &infos[i]);
    if (code == TENFOLD_TAPP_OK)
        code = TAPP_create_tensor_product(made, what->handle, what->a.op, infos[0], what->a.idx,
                                          what->b.op, infos[1], what->b.idx, what->c.op, infos[2],
                                          what->c.idx, what->d.op, infos[3], what->d.idx,
                                          what->precision);
    for (int i = 0; i < 4; ++i)
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(infos[i]));
    return code;
}

static double element_of_a(int i, int k) { return 1 + i + 10 * k; }
static double element_of_b(int k, int j) { return 2 + 3 * k - j; }
static double element_of_c(int i, int j) { return 100 * i - 7 * j; }

matrix_data make_data(void) {
    matrix_data made;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 2; ++i)
            made.a[i + 2 * k] = element_of_a(i, k);
        for (int j = 0; j < 4; ++j)
            made.b[k + 3 * j] = element_of_b(k, j);
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            made.c[i + 2 * j] = element_of_c(i, j);
            made.d[i + 2 * j] = -1;
        }
    return made;
}

double expected_element(int i, int j, double alpha, double beta) {
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += element_of_a(i, k) * element_of_b(k, j);
    return alpha * sum + beta * element_of_c(i, j);
}

int has_result(const matrix_data *data, double alpha, double beta) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            if (data->d[i + 2 * j] != expected_element(i, j, alpha, beta))
                return 0;
    return 1;
}

// Checks that print what failed and go on, and a product to test with.
#ifndef TENFOLD_TESTS_COMPAT_TAPP_CHECK_H
#define TENFOLD_TESTS_COMPAT_TAPP_CHECK_H

#include <tapp.h>
#include <tapp/tenfold.h>

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
/// Checks the code that a call returns, and prints what another one means.
#define CHECK_CODE(expected, call) check_code(expected, call, #call, __FILE__, __LINE__)
/// That the explanation of the last code says this.
#define CHECK_EXPLAINED(part, code) check_explained(part, code, __FILE__, __LINE__)

void check(int is_true, const char *condition, const char *file, int line);
void check_code(int expected, TAPP_error code, const char *call, const char *file, int line);
void check_explained(const char *part, TAPP_error code, const char *file, int line);
/// That CHECK_CODE() has seen a call return this code.
void check_was_returned(int code);
int failed_checks(void);

/// A tensor of a product that is to be made.
typedef struct operand {
    TAPP_datatype type;
    int order;
    int64_t extents[8], strides[8], idx[8];
    TAPP_element_op op;
} operand;

/// Dense and column-major, with labels that are characters: dense(TAPP_F64, "ab", 2, 3).
operand dense(TAPP_datatype type, const char *labels, ...);

/// d(a, b) = alpha sum_c a(a, c) b(c, b) + beta c(a, b), with a = 2, b = 4, c = 3, of F64.
typedef struct request {
    operand a, b, c, d;
    TAPP_prectype precision;
    TAPP_handle handle;
} request;

request matrix_product(TAPP_datatype type);
TAPP_error plan(const request *what, TAPP_tensor_product *made);

/// The data of a matrix product of F64, and what it gives.
typedef struct matrix_data {
    double a[6], b[12], c[8], d[8];
} matrix_data;

matrix_data make_data(void);
double expected_element(int i, int j, double alpha, double beta);
int has_result(const matrix_data *data, double alpha, double beta);

void attribute_tests(void);
void batch_tests(void);
void code_tests(void);
void object_tests(void);
void product_tests(void);
void rule_tests(void);
void tensor_info_tests(void);

#endif

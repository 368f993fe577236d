// Checks that print what failed and go on, and what the tests of the C interface share.
#ifndef TENFOLD_TESTS_CAPI_CHECK_H
#define TENFOLD_TESTS_CAPI_CHECK_H

#include <tenfold/tenfold.h>

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
/// Checks the code that a call returns, and prints the message of another one.
#define CHECK_CODE(expected, call) check_code(expected, call, #call, __FILE__, __LINE__)
#define CHECK_TEXT(expected, actual) check_text(expected, actual, #actual, __FILE__, __LINE__)
/// That the last error's message has this part.
#define CHECK_MESSAGE(part) check_message(part, __FILE__, __LINE__)

void check(int is_true, const char *condition, const char *file, int line);
void check_code(tenfold_error expected, tenfold_error code, const char *call, const char *file,
                int line);
void check_text(const char *expected, const char *actual, const char *what, const char *file,
                int line);
void check_message(const char *part, const char *file, int line);
/// That CHECK_CODE() has seen a call return this code.
void check_was_returned(tenfold_error code);
int failed_checks(void);

/// The last error in fields.
tenfold_error_details last_details(void);

/// A context that plans by typical rates, so that no test probes the machine.
tenfold_context *make_context(void);

/// Dense and column-major: TENSOR(TENFOLD_F64, 2, 3).
#define TENSOR(type, ...)                                                                          \
    {                                                                                              \
        (type), (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                     \
            (const int64_t[]){__VA_ARGS__}, NULL, 0                                                \
    }

/// ab=ak*kb with a = 2, b = 4, k = 3, of f64, on data that makes d(i, j) = sum_k a(i, k) b(k, j).
typedef struct matrix_product {
    tenfold_tensor inputs[2];
    tenfold_tensor c;
    tenfold_tensor d;
    tenfold_operands operands;
    double a_data[6], b_data[12], c_data[8], d_data[8];
    const void *input_data[2];
    tenfold_data data;
} matrix_product;

void set_up(matrix_product *product);
/// alpha * the product + beta * what C is made of at the start.
double expected_element(int i, int j, double alpha, double beta);
/// Whether D has these elements.
int has_result(const matrix_product *product, double alpha, double beta);

void calibrate_tests(void);
void context_tests(void);
void contract_tests(void);
void contraction_epilogue_tests(void);
void control_tests(void);
void epilogue_tests(void);
void error_tests(void);
void executor_tests(void);
void gemm_tests(void);
void integer_tests(void);
void null_tests(void);
void numpy_rules_tests(void);
void plan_tests(void);
void struct_tests(void);
void thread_tests(void);
void transpose_tests(void);
void wrong_number_tests(void);

#endif

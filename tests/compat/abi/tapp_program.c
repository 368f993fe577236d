/* A program that was written for TAPP, in C: it declares what it uses itself. Exits with 0 if every
   call did what it should, and with the number of those that did not. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool TAPP_check_success(int error);
size_t TAPP_explain_error(int error, size_t maxlen, char *message);
int TAPP_create_handle(intptr_t *handle);
int TAPP_destroy_handle(intptr_t handle);
int TAPP_create_executor(intptr_t *exec);
int TAPP_destroy_executor(intptr_t exec);
int TAPP_create_tensor_info(intptr_t *info, int type, int nmode, const int64_t *extents,
                            const int64_t *strides);
int TAPP_destroy_tensor_info(intptr_t info);
int TAPP_get_nmodes(intptr_t info);
int TAPP_create_tensor_product(intptr_t *plan, intptr_t handle, int op_A, intptr_t A,
                               const int64_t *idx_A, int op_B, intptr_t B, const int64_t *idx_B,
                               int op_C, intptr_t C, const int64_t *idx_C, int op_D, intptr_t D,
                               const int64_t *idx_D, int prec);
int TAPP_destroy_tensor_product(intptr_t plan);
int TAPP_execute_product(intptr_t plan, intptr_t exec, intptr_t *status, const void *alpha,
                         const void *A, const void *B, const void *beta, const void *C, void *D);
int TAPP_execute_batched_product(intptr_t plan, intptr_t exec, intptr_t *status, int num_batches,
                                 const void *alpha, const void **A, const void **B,
                                 const void *beta, const void **C, void **D);

enum { c64 = 3, identity = 0, conjugate = 1, default_precision = -1 };

static int failed = 0;

static void expect(bool is_right, const char *what) {
    if (is_right)
        return;
    ++failed;
    fprintf(stderr, "wrong: %s\n", what);
}

int main(void) {
    const int64_t extents[] = {2, 2}, strides[] = {1, 2};
    const int64_t ik[] = {'i', 'k'}, kj[] = {'k', 'j'}, ij[] = {'i', 'j'};
    const double complex a[] = {1, I, 2, 3}, b[] = {1, -1, I, 4}, c[] = {1, 2, 3, 4};
    const double complex alpha = 2, beta = I;
    double complex d[4] = {0}, expected[4];
    intptr_t handle = 0, exec = 0, info = 0, plan = 0, status = 0;

    expect(TAPP_check_success(TAPP_create_handle(&handle)) && handle != 0, "a handle");
    expect(TAPP_create_executor(&exec) == 0 && exec != 0, "an executor");
    expect(TAPP_create_tensor_info(&info, c64, 2, extents, strides) == 0, "a tensor info");
    expect(TAPP_get_nmodes(info) == 2, "its order");
    expect(TAPP_create_tensor_product(&plan, handle, conjugate, info, ik, identity, info, kj,
                                      identity, info, ij, identity, info, ij,
                                      default_precision) == 0,
           "a product");
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            expected[i + 2 * j] = alpha * (conj(a[i]) * b[2 * j] + conj(a[i + 2]) * b[1 + 2 * j]) +
                                  beta * c[i + 2 * j];
    expect(TAPP_execute_product(plan, exec, &status, &alpha, a, b, &beta, c, d) == 0,
           "its execution");
    expect(memcmp(d, expected, sizeof d) == 0, "its result");

    const void *all_a[] = {a, a}, *all_b[] = {b, b}, *all_c[] = {c, c};
    double complex first[4] = {0}, second[4] = {0};
    void *all_d[] = {first, second};
    expect(TAPP_execute_batched_product(plan, exec, &status, 2, &alpha, all_a, all_b, &beta, all_c,
                                        all_d) == 0,
           "a batch");
    expect(memcmp(first, expected, sizeof d) == 0 && memcmp(second, expected, sizeof d) == 0,
           "its results");

    char text[200] = "";
    const int code = TAPP_execute_product(plan, exec, &status, &alpha, a, b, &beta, NULL, d);
    expect(!TAPP_check_success(code) && code == 12, "the code of a C that is null");
    expect(TAPP_explain_error(code, sizeof text, text) == strlen(text) && strlen(text) > 0,
           "its explanation");

    expect(TAPP_destroy_tensor_product(plan) == 0 && TAPP_destroy_tensor_info(info) == 0 &&
               TAPP_destroy_executor(exec) == 0 && TAPP_destroy_handle(handle) == 0,
           "the end");
    return failed;
}

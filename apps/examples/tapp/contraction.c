// A contraction by TAPP's interface, from the description of the tensors to the explanation of an
// error. It runs with every implementation of TAPP.
//
//     cc -std=c99 contraction.c $(pkg-config --cflags --libs tenfold_tapp) -lm
//
// d(j, l) = 0.5 sum over i and k of a(i, j, k) b(l, k, i) + 2 c(j, l), checked against plain loops.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tapp.h>

enum { I = 4, J = 3, K = 2, L = 5 }; // extents

/// Ends the program with an explanation if a call failed.
static void must(TAPP_error code, const char *what) {
    char text[256];
    if (TAPP_check_success(code))
        return;
    TAPP_explain_error(code, sizeof text, text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

int main(void) {
    // 1. How the tensors lie: extents, and strides in elements. D is a matrix by rows.
    const int64_t a_extents[] = {I, J, K}, a_strides[] = {1, I, I * J};
    const int64_t b_extents[] = {L, K, I}, b_strides[] = {1, L, L * K};
    const int64_t d_extents[] = {J, L}, d_strides[] = {L, 1};
    const int64_t c_strides[] = {1, J};
    TAPP_tensor_info a_info, b_info, c_info, d_info;
    must(TAPP_create_tensor_info(&a_info, TAPP_F64, 3, a_extents, a_strides), "A");
    must(TAPP_create_tensor_info(&b_info, TAPP_F64, 3, b_extents, b_strides), "B");
    must(TAPP_create_tensor_info(&c_info, TAPP_F64, 2, d_extents, c_strides), "C");
    must(TAPP_create_tensor_info(&d_info, TAPP_F64, 2, d_extents, d_strides), "D");

    // 2. The product: a label for each mode. What D lacks is summed over.
    const int64_t a_labels[] = {'i', 'j', 'k'}, b_labels[] = {'l', 'k', 'i'};
    const int64_t d_labels[] = {'j', 'l'};
    TAPP_handle handle;
    TAPP_tensor_product product;
    must(TAPP_create_handle(&handle), "handle");
    must(TAPP_create_tensor_product(&product, handle, TAPP_IDENTITY, a_info, a_labels,
                                    TAPP_IDENTITY, b_info, b_labels, TAPP_IDENTITY, c_info,
                                    d_labels, TAPP_IDENTITY, d_info, d_labels, TAPP_DEFAULT_PREC),
         "product");

    // 3. Data, and the execution, which may be repeated with other data.
    double a[I * J * K], b[L * K * I], c[J * L], d[J * L];
    for (int n = 0; n < I * J * K; ++n)
        a[n] = n % 7 - 3;
    for (int n = 0; n < L * K * I; ++n)
        b[n] = n % 5 - 2;
    for (int n = 0; n < J * L; ++n)
        c[n] = n;
    const double alpha = 0.5, beta = 2;
    TAPP_executor exec;
    TAPP_status status;
    must(TAPP_create_executor(&exec), "executor");
    must(TAPP_execute_product(product, exec, &status, &alpha, a, b, &beta, c, d), "execution");
    must(TAPP_destroy_status(status), "status");

    // 4. The same by loops.
    int wrong = 0;
    for (int j = 0; j < J; ++j) {
        for (int l = 0; l < L; ++l) {
            double sum = 0;
            for (int i = 0; i < I; ++i)
                for (int k = 0; k < K; ++k)
                    sum += a[i + I * j + I * J * k] * b[l + L * k + L * K * i];
            wrong += fabs(d[l + L * j] - (alpha * sum + beta * c[j + J * l])) > 1e-12;
            printf("%7.2f", d[l + L * j]);
        }
        printf("\n");
    }
    printf("%d of %d elements differ from those of plain loops\n", wrong, J * L);
    must(TAPP_destroy_tensor_product(product), "product");

    // 5. A mistake: A's last mode has another extent than B's mode of the same label.
    const int64_t too_long[] = {I, J, K + 1};
    must(TAPP_set_extents(a_info, too_long), "A");
    const TAPP_error code = TAPP_create_tensor_product(
        &product, handle, TAPP_IDENTITY, a_info, a_labels, TAPP_IDENTITY, b_info, b_labels,
        TAPP_IDENTITY, c_info, d_labels, TAPP_IDENTITY, d_info, d_labels, TAPP_DEFAULT_PREC);
    char text[256];
    TAPP_explain_error(code, sizeof text, text);
    printf("a mistake: %s\n", text);

    must(TAPP_destroy_executor(exec), "executor");
    must(TAPP_destroy_handle(handle), "handle");
    must(TAPP_destroy_tensor_info(a_info), "A");
    must(TAPP_destroy_tensor_info(b_info), "B");
    must(TAPP_destroy_tensor_info(c_info), "C");
    must(TAPP_destroy_tensor_info(d_info), "D");
    return wrong > 0 || TAPP_check_success(code);
}

/* Somebody's program for TAPP, in C and in C++. */
#include <stdio.h>

#include <tapp.h>
#include <tapp/tenfold.h>

int main(void) {
    const int64_t extent = 3, label = 'k';
    const double a[] = {1, 2, 2}, one = 1, zero = 0;
    double d = -1;
    TAPP_tensor_info vector, scalar;
    TAPP_handle handle;
    TAPP_executor exec;
    TAPP_tensor_product product;
    TAPP_create_handle(&handle);
    TAPP_create_executor(&exec);
    TAPP_attr_set(exec, TENFOLD_TAPP_THREADS, (void *)(intptr_t)2);
    TAPP_create_tensor_info(&vector, TAPP_F64, 1, &extent, NULL);
    TAPP_create_tensor_info(&scalar, TAPP_F64, 0, NULL, NULL);
    TAPP_create_tensor_product(&product, handle, TAPP_IDENTITY, vector, &label, TAPP_IDENTITY,
                               vector, &label, TAPP_IDENTITY, scalar, NULL, TAPP_IDENTITY, scalar,
                               NULL, TAPP_DEFAULT_PREC);
    const TAPP_error code = TAPP_execute_product(product, exec, NULL, &one, a, a, &zero, NULL, &d);
    TAPP_destroy_tensor_product(product);
    TAPP_destroy_tensor_info(vector);
    TAPP_destroy_tensor_info(scalar);
    TAPP_destroy_executor(exec);
    TAPP_destroy_handle(handle);
    if (TAPP_check_success(code) && d == 9)
        return 0;
    fprintf(stderr, "code %d, the sum is %g, not 9\n", code, d);
    return 1;
}

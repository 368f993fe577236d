/* Somebody's program for TBLIS, in C. */
#include <stdio.h>

#include <tblis/tblis.h>

int main(void) {
    len_type len[] = {3};
    stride_type stride[] = {1};
    double a[] = {1, 2, 2};
    tblis_tensor A;
    tblis_scalar norm;
    len_type index;
    tblis_init_scalar_d(&norm, 0);
    tblis_init_tensor_d(&A, 1, len, a, stride);
    tblis_tensor_reduce(NULL, NULL, REDUCE_NORM_2, &A, "i", &norm, &index);
    if (norm.data.d == 3)
        return 0;
    fprintf(stderr, "the norm is %g, not 3\n", norm.data.d);
    return 1;
}

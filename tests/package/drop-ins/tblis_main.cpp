// Somebody's program for TBLIS's C interface, in C++.
#include <cstdio>

#include <tblis/tblis.h>

int main() {
    using namespace tblis;
    len_type len[] = {2, 2};
    stride_type stride[] = {1, 2};
    double a[] = {1, 2, 3, 4}, c[] = {1, 1, 1, 1};
    tblis_tensor A, C;
    tblis_init_tensor_scaled_d(&A, 0.5, 2, len, a, stride);
    tblis_init_tensor_d(&C, 2, len, c, stride);
    tblis_tensor_mult(nullptr, nullptr, &A, "ik", &A, "kj", &C, "ij");
    tblis_scalar sum(0.0);
    len_type index;
    tblis_tensor_reduce(tblis_single, nullptr, REDUCE_SUM, &C, "ij", &sum, &index);
    const bool right = c[0] == 2.75 && sum.get<double>() == 17.5 && tblis_get_num_threads() > 0;
    if (!right)
        std::fprintf(stderr, "not a quarter of the square\n");
    return right ? 0 : 1;
}

/* A program that was written for TBLIS, in C: it declares what it uses itself. Exits with 0 if
   every call did what it should, and with the number of those that did not. */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
    union {
        float s;
        double d;
        float complex c;
        double complex z;
    } data;
    int type;
} number;

typedef struct {
    int type;
    int conj;
    number scalar;
    void *data;
    unsigned ndim;
    ptrdiff_t *len;
    ptrdiff_t *stride;
} tensor;

extern const void *const tblis_single;
void tblis_set_num_threads(unsigned threads);
unsigned tblis_get_num_threads(void);
void tblis_init_scalar_d(number *s, double value);
void tblis_init_tensor_d(tensor *t, unsigned ndim, ptrdiff_t *len, double *data, ptrdiff_t *stride);
void tblis_init_tensor_scaled_z(tensor *t, double complex scalar, unsigned ndim, ptrdiff_t *len,
                                double complex *data, ptrdiff_t *stride);
void tblis_init_tensor_scaled_c(tensor *t, float complex scalar, unsigned ndim, ptrdiff_t *len,
                                float complex *data, ptrdiff_t *stride);
void tblis_tensor_mult(const void *comm, const void *config, const tensor *A, const char *idx_A,
                       const tensor *B, const char *idx_B, tensor *C, const char *idx_C);
void tblis_tensor_add(const void *comm, const void *config, const tensor *A, const char *idx_A,
                      tensor *B, const char *idx_B);
void tblis_tensor_set(const void *comm, const void *config, const number *alpha, tensor *A,
                      const char *idx_A);
void tblis_tensor_reduce(const void *comm, const void *config, int op, const tensor *A,
                         const char *idx_A, number *result, ptrdiff_t *idx);

static int failures;
static void expect(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    ++failures;
}

int main(void) {
    ptrdiff_t len[] = {2, 2}, stride[] = {1, 2};
    double a_data[] = {1, 2, 3, 4}, b_data[] = {5, 6, 7, 8}, c_data[] = {0, 0, 0, 0};
    tensor a, b, c;
    tblis_init_tensor_d(&a, 2, len, a_data, stride);
    tblis_init_tensor_d(&b, 2, len, b_data, stride);
    tblis_init_tensor_d(&c, 2, len, c_data, stride);
    tblis_tensor_mult(NULL, NULL, &a, "ik", &b, "kj", &c, "ij");
    expect(c_data[0] == 23 && c_data[1] == 34 && c_data[2] == 31 && c_data[3] == 46,
           "the product of two matrices");

    double complex x_data[] = {1 + 2 * _Complex_I, 3, 5, 7}, y_data[] = {1, 1, 1, 1};
    tensor x, y;
    tblis_init_tensor_scaled_z(&x, 2 + 1 * _Complex_I, 2, len, x_data, stride);
    tblis_init_tensor_scaled_z(&y, 3, 2, len, y_data, stride);
    x.conj = 1;
    tblis_tensor_add(tblis_single, NULL, &x, "ij", &y, "ji");
    expect(y_data[0] == (2 + 1 * _Complex_I) * (1 - 2 * _Complex_I) + 3 &&
               y_data[1] == (2 + 1 * _Complex_I) * 5 + 3,
           "a conjugated, scaled, transposed sum");
    expect(y.scalar.data.z == 1 && y.conj == 0, "the factor of the result is 1");

    float complex s_data[] = {1, 2, 3, 4};
    tensor s;
    tblis_init_tensor_scaled_c(&s, 0.5F * _Complex_I, 2, len, s_data, stride);
    number sum;
    ptrdiff_t where = 5;
    tblis_tensor_reduce(NULL, NULL, 0, &s, "ij", &sum, &where);
    expect(sum.data.c == 5.0F * _Complex_I && where == -1, "a scaled sum");
    tblis_tensor_reduce(NULL, NULL, 3, &a, "ij", &sum, &where);
    expect(sum.data.d == 4 && where == 3, "the largest absolute value");

    number nine;
    tblis_init_scalar_d(&nine, 9);
    tblis_tensor_set(NULL, NULL, &nine, &a, "ii");
    expect(a_data[0] == 9 && a_data[1] == 2 && a_data[2] == 3 && a_data[3] == 9, "a diagonal");

    tblis_set_num_threads(3);
    expect(tblis_get_num_threads() == 3, "three threads");
    return failures;
}

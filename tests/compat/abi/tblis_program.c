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
const void *tblis_get_config(const char *name);
void tblis_init_scalar_s(number *s, float value);
void tblis_init_scalar_d(number *s, double value);
void tblis_init_scalar_c(number *s, float complex value);
void tblis_init_scalar_z(number *s, double complex value);
void tblis_init_tensor_s(tensor *t, unsigned ndim, ptrdiff_t *len, float *data, ptrdiff_t *stride);
void tblis_init_tensor_c(tensor *t, unsigned ndim, ptrdiff_t *len, float complex *data,
                         ptrdiff_t *stride);
void tblis_init_tensor_z(tensor *t, unsigned ndim, ptrdiff_t *len, double complex *data,
                         ptrdiff_t *stride);
void tblis_init_tensor_scaled_s(tensor *t, float scalar, unsigned ndim, ptrdiff_t *len, float *data,
                                ptrdiff_t *stride);
void tblis_init_tensor_scaled_d(tensor *t, double scalar, unsigned ndim, ptrdiff_t *len,
                                double *data, ptrdiff_t *stride);
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

void tblis_tensor_dot(const void *comm, const void *config, const tensor *A, const char *idx_A,
                      const tensor *B, const char *idx_B, number *result);
void tblis_tensor_scale(const void *comm, const void *config, tensor *A, const char *idx_A);
void tblis_tensor_shift(const void *comm, const void *config, const number *alpha, tensor *A,
                        const char *idx_A);

static int failures;
static void expect(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    ++failures;
}

/* Each type, in a sum of products, scaled or shifted by its numbers. */
static void every_type(void) {
    ptrdiff_t len[] = {2, 2}, stride[] = {1, 2};
    float f_data[] = {1, 2, 3, 4};
    double d_data[] = {1, 2, 3, 4};
    float complex c_data[] = {1, 2 * _Complex_I, 3, 4};
    double complex z_data[] = {1, 2 * _Complex_I, 3, 4};
    tensor f, scaled_f, d, c, z;
    number sum, addend;

    tblis_init_tensor_s(&f, 2, len, f_data, stride);
    tblis_init_tensor_scaled_s(&scaled_f, 2, 2, len, f_data, stride);
    tblis_tensor_dot(NULL, NULL, &f, "ij", &scaled_f, "ij", &sum);
    expect(sum.data.s == 60, "a scaled sum of products");
    tblis_init_scalar_s(&addend, 0.5F);
    tblis_tensor_shift(NULL, NULL, &addend, &scaled_f, "ij");
    expect(f_data[0] == 2.5F && f_data[3] == 8.5F, "a scaled tensor and a number");

    tblis_init_tensor_scaled_d(&d, 3, 2, len, d_data, stride);
    tblis_tensor_scale(NULL, tblis_get_config("reference"), &d, "ij");
    expect(d_data[0] == 3 && d_data[3] == 12 && d.scalar.data.d == 1, "a scaled tensor");

    tblis_init_tensor_c(&c, 2, len, c_data, stride);
    tblis_init_scalar_c(&addend, 1 + 1 * _Complex_I);
    tblis_tensor_shift(NULL, NULL, &addend, &c, "ij");
    expect(c_data[1] == 1 + 3 * _Complex_I && c_data[2] == 4 + 1 * _Complex_I,
           "a complex tensor and a number");

    tblis_init_tensor_z(&z, 2, len, z_data, stride);
    tblis_tensor_dot(NULL, NULL, &z, "ij", &z, "ij", &sum);
    expect(sum.data.z == 1 - 4 + 9 + 16, "a sum of complex products");
    tblis_init_scalar_z(&addend, 2 * _Complex_I);
    tblis_tensor_set(NULL, NULL, &addend, &z, "ij");
    expect(z_data[0] == 2 * _Complex_I && z_data[3] == 2 * _Complex_I, "a complex number");
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

    every_type();
    tblis_set_num_threads(3);
    expect(tblis_get_num_threads() == 3, "three threads");
    return failures;
}

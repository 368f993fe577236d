/* A program that was written for HPTT, in C: it declares HPTT's functions itself. Exits with 0 if
   all four transposed, and with the number of those that did not. */
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>

void sTensorTranspose(const int *perm, int dim, float alpha, const float *A, const int *sizeA,
                      const int *outerSizeA, float beta, float *B, const int *outerSizeB,
                      int numThreads, int useRowMajor);
void dTensorTranspose(const int *perm, int dim, double alpha, const double *A, const int *sizeA,
                      const int *outerSizeA, double beta, double *B, const int *outerSizeB,
                      int numThreads, int useRowMajor);
void cTensorTranspose(const int *perm, int dim, float complex alpha, bool conjA,
                      const float complex *A, const int *sizeA, const int *outerSizeA,
                      float complex beta, float complex *B, const int *outerSizeB, int numThreads,
                      int useRowMajor);
void zTensorTranspose(const int *perm, int dim, double complex alpha, bool conjA,
                      const double complex *A, const int *sizeA, const int *outerSizeA,
                      double complex beta, double complex *B, const int *outerSizeB, int numThreads,
                      int useRowMajor);

enum { rows = 2, columns = 3, outer = 4 };
static const int perm[] = {1, 0};
static const int size[] = {rows, columns};
static const int outer_b[] = {outer, rows};

/* B(j, i) = alpha conj(A(i, j)) + beta B(j, i), with B inside a tensor of 4 x 2. */
#define CHECK(T, function, alpha, beta, conjugate, ...)                                            \
    static int check_##function(void) {                                                            \
        T a[rows * columns], b[outer * rows];                                                      \
        int wrong = 0;                                                                             \
        for (int i = 0; i < rows * columns; ++i)                                                   \
            a[i] = (T)(i + 1 + (i - 2) * (T)(imaginary_unit));                                     \
        for (int i = 0; i < outer * rows; ++i)                                                     \
            b[i] = (T)(10 * i);                                                                    \
        function(perm, 2, __VA_ARGS__, a, size, NULL, beta, b, outer_b, 2, 0);                     \
        for (int i = 0; i < rows; ++i)                                                             \
            for (int j = 0; j < outer; ++j) {                                                      \
                const int at = j + outer * i;                                                      \
                T expected = (T)(10 * at);                                                         \
                if (j < columns)                                                                   \
                    expected = alpha * conjugate(a[i + rows * j]) + beta * expected;               \
                wrong += b[at] != expected;                                                        \
            }                                                                                      \
        if (wrong > 0)                                                                             \
            fprintf(stderr, "%s: %d wrong elements\n", #function, wrong);                          \
        return wrong > 0;                                                                          \
    }

#define itself(x) (x)
#define imaginary_unit 0
CHECK(float, sTensorTranspose, 2.0F, 3.0F, itself, 2.0F)
CHECK(double, dTensorTranspose, 2.0, 3.0, itself, 2.0)
#undef imaginary_unit
#define imaginary_unit _Complex_I
static const float complex alpha_c = 2.0F + 1.0F * _Complex_I, beta_c = 3.0F - 2.0F * _Complex_I;
static const double complex alpha_z = 2.0 + 1.0 * _Complex_I, beta_z = 3.0 - 2.0 * _Complex_I;
CHECK(float complex, cTensorTranspose, alpha_c, beta_c, conjf, alpha_c, true)
CHECK(double complex, zTensorTranspose, alpha_z, beta_z, conj, alpha_z, true)

int main(void) {
    return check_sTensorTranspose() + check_dTensorTranspose() + check_cTensorTranspose() +
           check_zTensorTranspose();
}

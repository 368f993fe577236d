// The peers' C interfaces in plain loops. Results are right only if the program has set the number
// of threads, by setter and environment.
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

int threads_set = 0;

/// True if a setter was called with the number in the variable.
bool threads_agree(const char *variable) {
    const char *text = std::getenv(variable);
    return text != nullptr && threads_set > 0 && std::atoi(text) == threads_set;
}

template <class T> void gemm(const char *trans_a, const char *trans_b, const int *m, const int *n,
                             const int *k, const T *alpha, const T *a, const int *lda, const T *b,
                             const int *ldb, const T *beta, T *c, const int *ldc) {
    if (!threads_agree("OPENBLAS_NUM_THREADS"))
        return;
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            T sum = 0;
            for (int p = 0; p < *k; ++p)
                sum += (*trans_a == 'T' ? a[p + std::ptrdiff_t{i} * *lda]
                                        : a[i + std::ptrdiff_t{p} * *lda]) *
                       (*trans_b == 'T' ? b[j + std::ptrdiff_t{p} * *ldb]
                                        : b[p + std::ptrdiff_t{j} * *ldb]);
            T &target = c[i + std::ptrdiff_t{j} * *ldc];
            target = *alpha * sum + (*beta == T(0) ? T(0) : *beta * target);
        }
}

/// Mode k of b is mode perm[k] of a, both dense and column-major.
template <class T>
void transpose(const int *perm, int order, T alpha, const T *a, const int *size_a, T beta, T *b) {
    std::vector<std::ptrdiff_t> stride_a(static_cast<std::size_t>(order));
    std::ptrdiff_t size = 1;
    for (int mode = 0; mode < order; ++mode) {
        stride_a[static_cast<std::size_t>(mode)] = size;
        size *= size_a[mode];
    }
    for (std::ptrdiff_t at = 0; at < size; ++at) {
        std::ptrdiff_t rest = at;
        std::ptrdiff_t from = 0;
        for (int mode = 0; mode < order; ++mode) {
            from += rest % size_a[perm[mode]] * stride_a[static_cast<std::size_t>(perm[mode])];
            rest /= size_a[perm[mode]];
        }
        b[at] = alpha * a[from] + (beta == T(0) ? T(0) : beta * b[at]);
    }
}

/// Replaces tblis_tensor; the caller knows only its size.
template <class T> struct fake_tensor {
    T *data;
    std::ptrdiff_t *lengths, *strides;
    int order;
    char type;
    T factor;
};

template <class T> void multiply(const fake_tensor<T> &a, const char *labels_a,
                                 const fake_tensor<T> &b, const char *labels_b, fake_tensor<T> &c,
                                 const char *labels_c) {
    struct loop {
        std::ptrdiff_t length = 1, a = 0, b = 0, c = 0;
    };
    std::map<char, loop> loops;
    const auto add = [&](const fake_tensor<T> &tensor, const char *labels,
                         std::ptrdiff_t loop::*stride) {
        for (int mode = 0; mode < tensor.order; ++mode) {
            loops[labels[mode]].length = tensor.lengths[mode];
            loops[labels[mode]].*stride += tensor.strides[mode]; // of a label twice: a diagonal
        }
    };
    add(a, labels_a, &loop::a);
    add(b, labels_b, &loop::b);
    add(c, labels_c, &loop::c);
    std::vector<loop> outer, inner;
    for (const auto &[label, one] : loops)
        (std::string(labels_c).find(label) == std::string::npos ? inner : outer).push_back(one);

    const auto positions = [](const std::vector<loop> &nest) {
        std::vector<loop> list = {loop{}};
        for (const loop &one : nest) {
            std::vector<loop> next;
            for (std::ptrdiff_t i = 0; i < one.length; ++i)
                for (const loop &at : list)
                    next.push_back({1, at.a + i * one.a, at.b + i * one.b, at.c + i * one.c});
            list = std::move(next);
        }
        return list;
    };
    const std::vector<loop> sums = positions(inner);
    for (const loop &at : positions(outer)) {
        T sum = 0;
        for (const loop &term : sums)
            sum += a.data[at.a + term.a] * b.data[at.b + term.b];
        T &target = c.data[at.c];
        target = a.factor * b.factor * sum + (c.factor == T(0) ? T(0) : c.factor * target);
    }
}

template <class T> void init(void *tensor, char type, T factor, int order, std::ptrdiff_t *lengths,
                             T *data, std::ptrdiff_t *strides) {
    static_assert(sizeof(fake_tensor<T>) <= 100);
    *static_cast<fake_tensor<T> *>(tensor) = {data, lengths, strides, order, type, factor};
}

} // namespace

extern "C" {

void openblas_set_num_threads(int threads) { threads_set = threads; }
void tblis_set_num_threads(int threads) { threads_set = threads; }

#define FAKE_GEMM(name, T)                                                                         \
    void name(const char *ta, const char *tb, const int *m, const int *n, const int *k,            \
              const T *alpha, const T *a, const int *lda, const T *b, const int *ldb,              \
              const T *beta, T *c, const int *ldc) {                                               \
        gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
    }
FAKE_GEMM(sgemm_, float)
FAKE_GEMM(dgemm_, double)
FAKE_GEMM(cgemm_, std::complex<float>)
FAKE_GEMM(zgemm_, std::complex<double>)

/// Does nothing, so that --verify must find a wrong result.
void libxsmm_dgemm(const char *, const char *, const int *, const int *, const int *,
                   const double *, const double *, const int *, const double *, const int *,
                   const double *, double *, const int *) {}

#define FAKE_TRANSPOSE(name, T)                                                                    \
    void name(const int *perm, int order, T alpha, const T *a, const int *size_a, const int *,     \
              T beta, T *b, const int *, int threads, int row_major) {                             \
        if (row_major == 0 && threads == std::atoi(std::getenv("OMP_NUM_THREADS")))                \
            transpose(perm, order, alpha, a, size_a, beta, b);                                     \
    }
FAKE_TRANSPOSE(sTensorTranspose, float)
FAKE_TRANSPOSE(dTensorTranspose, double)

// GCC passes _Complex like std::complex, on which the caller relies.
void zTensorTranspose(const int *perm, int order, __complex__ double alpha, bool conj_a,
                      const std::complex<double> *a, const int *size_a, const int *,
                      __complex__ double beta, std::complex<double> *b, const int *, int,
                      int row_major) {
    if (row_major == 0 && !conj_a)
        transpose(perm, order, {__real__ alpha, __imag__ alpha}, a, size_a,
                  {__real__ beta, __imag__ beta}, b);
}

void tblis_init_tensor_scaled_s(void *tensor, float factor, int order, std::ptrdiff_t *lengths,
                                float *data, std::ptrdiff_t *strides) {
    init(tensor, 's', factor, order, lengths, data, strides);
}
void tblis_init_tensor_scaled_d(void *tensor, double factor, int order, std::ptrdiff_t *lengths,
                                double *data, std::ptrdiff_t *strides) {
    init(tensor, 'd', factor, order, lengths, data, strides);
}

void tblis_tensor_mult(const void *, const void *, const void *a, const char *labels_a,
                       const void *b, const char *labels_b, void *c, const char *labels_c) {
    if (!threads_agree("TBLIS_NUM_THREADS"))
        return;
    if (static_cast<const fake_tensor<double> *>(a)->type == 'd')
        multiply(*static_cast<const fake_tensor<double> *>(a), labels_a,
                 *static_cast<const fake_tensor<double> *>(b), labels_b,
                 *static_cast<fake_tensor<double> *>(c), labels_c);
    else
        multiply(*static_cast<const fake_tensor<float> *>(a), labels_a,
                 *static_cast<const fake_tensor<float> *>(b), labels_b,
                 *static_cast<fake_tensor<float> *>(c), labels_c);
}
}

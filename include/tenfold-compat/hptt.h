/* HPTT's interface, served by Tenfold: programs that include HPTT's <hptt.h> compile with this one
   and link libtenfold_hptt. docs/drop-ins.md says what differs. In C only the C functions are
   declared. */
#ifndef TENFOLD_COMPAT_HPTT_H
#define TENFOLD_COMPAT_HPTT_H

#define TENFOLD_HPTT_PUBLIC __attribute__((visibility("default")))

#ifdef __cplusplus
#include <algorithm>
#include <complex>
#include <list>
#include <memory>
#include <vector>

#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace hptt {

/// How long planning may take: ESTIMATE measures nothing, MEASURE up to about 1 s, PATIENT and
/// CRAZY about 10 s, all on scratch memory.
enum SelectionMethod { ESTIMATE, MEASURE, PATIENT, CRAZY };

using FloatComplex = std::complex<float>;
using DoubleComplex = std::complex<double>;

// Objects of this class and of HPTT's differ in memory. With a namespace of its own in every
// mangled name, a program that was compiled with HPTT's header never takes one for the other.
inline namespace tenfold_1 {

/// A plan for B = alpha * op(permuted A) + beta * B that also keeps pointers and factors. Mode i of
/// B is mode perm[i] of A. floatType is float, double, FloatComplex or DoubleComplex.
///
/// Wrong arguments, and executions that fail, throw tenfold::error, which is a std::runtime_error.
/// Several threads may execute one plan at a time; nothing else may be called meanwhile.
template <typename floatType> class TENFOLD_HPTT_PUBLIC Transpose {
public:
    /// Sizes are in elements, one per mode of the tensor they are named for. outerSizeA and
    /// outerSizeB are those of the whole tensors in memory, of which A and B are parts; null: the
    /// tensors are whole. numThreads 0: as many as Tenfold's settings say. threadIds: OpenMP's
    /// numbers of the threads that will call execute_expert(), numThreads of them; null: 0, 1, ..
    Transpose(const int *sizeA, const int *perm, const int *outerSizeA, const int *outerSizeB,
              const int dim, const floatType *A, const floatType alpha, floatType *B,
              const floatType beta, const SelectionMethod selectionMethod, const int numThreads,
              const int *threadIds = nullptr, const bool useRowMajor = false);
    Transpose(const Transpose &other);
    Transpose &operator=(const Transpose &other);
    ~Transpose();

    bool getConjA() const noexcept;
    void setConjA(bool conjA); ///< plans anew if this changes it
    int getNumThreads() const noexcept;
    void setNumThreads(int numThreads); ///< plans anew if this changes it
    floatType getAlpha() const noexcept;
    floatType getBeta() const noexcept;
    void setAlpha(floatType alpha) noexcept;
    void setBeta(floatType beta) noexcept;
    void setInputPtr(const floatType *A) noexcept;
    void setOutputPtr(floatType *B) noexcept;
    const floatType *getInputPtr() const noexcept;
    floatType *getOutputPtr() const noexcept;

    void resetThreadIds() noexcept;
    void addThreadId(int threadId);
    void printThreadIds() const noexcept;
    int getMasterThreadId() const noexcept; ///< -1 if there are no threads

    /// Takes effect with createPlan(): with fewer than two candidates nothing is measured. -1: the
    /// selection method decides.
    void setMaxAutotuningCandidates(int num) noexcept;
    void createPlan();

    void execute() const;
    /// Without spawnThreads, every thread of a parallel region calls this, and each does its share;
    /// the caller waits for all of them. betaIsZero: as if beta were 0. Tenfold decides itself
    /// whether stores bypass the caches.
    template <bool useStreamingStores = true, bool spawnThreads = true, bool betaIsZero>
    void execute_expert() const {
        if (spawnThreads)
            execute_all(betaIsZero);
        else
            execute_share(betaIsZero);
    }

    /// Prints Tenfold's plan to the standard output.
    void print() const noexcept;

private:
    struct __attribute__((visibility("hidden"))) state;
    void execute_all(bool beta_is_zero) const;
    void execute_share(bool beta_is_zero) const;

    std::unique_ptr<state> state_;
};

extern template class Transpose<float>;
extern template class Transpose<double>;
extern template class Transpose<FloatComplex>;
extern template class Transpose<DoubleComplex>;

#define TENFOLD_HPTT_CREATE_PLAN(T)                                                                \
    TENFOLD_HPTT_PUBLIC std::shared_ptr<Transpose<T>> create_plan(                                 \
        const int *perm, const int dim, const T alpha, const T *A, const int *sizeA,               \
        const int *outerSizeA, const T beta, T *B, const int *outerSizeB,                          \
        const SelectionMethod selectionMethod, const int numThreads,                               \
        const int *threadIds = nullptr, const bool useRowMajor = false);                           \
    TENFOLD_HPTT_PUBLIC std::shared_ptr<Transpose<T>> create_plan(                                 \
        const std::vector<int> &perm, const int dim, const T alpha, const T *A,                    \
        const std::vector<int> &sizeA, const std::vector<int> &outerSizeA, const T beta, T *B,     \
        const std::vector<int> &outerSizeB, const SelectionMethod selectionMethod,                 \
        const int numThreads, const std::vector<int> &threadIds = {},                              \
        const bool useRowMajor = false);                                                           \
    TENFOLD_HPTT_PUBLIC std::shared_ptr<Transpose<T>> create_plan(                                 \
        const int *perm, const int dim, const T alpha, const T *A, const int *sizeA,               \
        const int *outerSizeA, const T beta, T *B, const int *outerSizeB,                          \
        const int maxAutotuningCandidates, const int numThreads, const int *threadIds = nullptr,   \
        const bool useRowMajor = false);
/// Plans, as the constructor above. Empty vectors of outer sizes stand for null. In place of a
/// selection method, a number of candidates: measures as MEASURE if there are at least two.
TENFOLD_HPTT_CREATE_PLAN(float)
TENFOLD_HPTT_CREATE_PLAN(double)
TENFOLD_HPTT_CREATE_PLAN(FloatComplex)
TENFOLD_HPTT_CREATE_PLAN(DoubleComplex)
#undef TENFOLD_HPTT_CREATE_PLAN

} // namespace tenfold_1
} // namespace hptt

#define TENFOLD_HPTT_OR_COLUMN_MAJOR = 0
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions" // HPTT has C's complex numbers in C++, too
#endif
extern "C" {
#else
#include <stdbool.h>
#define TENFOLD_HPTT_OR_COLUMN_MAJOR
#endif

/* B = alpha * op(permuted A) + beta * B, without a plan of the caller's: mode i of B is mode
   perm[i] of A. Sizes and threads are those of the class above. useRowMajor: not 0 if the last mode
   is the one whose elements are adjacent. B is not read if beta is 0, nor A if alpha is 0. Wrong
   arguments throw tenfold::error; a program without a handler, such as one in C, ends with its
   message. */
TENFOLD_HPTT_PUBLIC void sTensorTranspose(const int *perm, const int dim, const float alpha,
                                          const float *A, const int *sizeA, const int *outerSizeA,
                                          const float beta, float *B, const int *outerSizeB,
                                          const int numThreads,
                                          const int useRowMajor TENFOLD_HPTT_OR_COLUMN_MAJOR);
TENFOLD_HPTT_PUBLIC void dTensorTranspose(const int *perm, const int dim, const double alpha,
                                          const double *A, const int *sizeA, const int *outerSizeA,
                                          const double beta, double *B, const int *outerSizeB,
                                          const int numThreads,
                                          const int useRowMajor TENFOLD_HPTT_OR_COLUMN_MAJOR);
TENFOLD_HPTT_PUBLIC void
cTensorTranspose(const int *perm, const int dim, const float _Complex alpha, bool conjA,
                 const float _Complex *A, const int *sizeA, const int *outerSizeA,
                 const float _Complex beta, float _Complex *B, const int *outerSizeB,
                 const int numThreads, const int useRowMajor TENFOLD_HPTT_OR_COLUMN_MAJOR);
TENFOLD_HPTT_PUBLIC void
zTensorTranspose(const int *perm, const int dim, const double _Complex alpha, bool conjA,
                 const double _Complex *A, const int *sizeA, const int *outerSizeA,
                 const double _Complex beta, double _Complex *B, const int *outerSizeB,
                 const int numThreads, const int useRowMajor TENFOLD_HPTT_OR_COLUMN_MAJOR);

#ifdef __cplusplus
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif
#undef TENFOLD_HPTT_OR_COLUMN_MAJOR

#endif

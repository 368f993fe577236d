// hptt::create_plan in all its forms.
#include <string>

#include <tenfold/error.hpp>

#include "tenfold-compat/hptt.h"

namespace hptt {
inline namespace tenfold_1 {
namespace {

/// Throws errc::order_mismatch unless `numbers` has one number per mode.
const int *array_of(const char *name, const std::vector<int> &numbers, int dim) {
    if (static_cast<int>(numbers.size()) < dim)
        throw tenfold::error(tenfold::errc::order_mismatch,
                             std::string(name) + " has " + std::to_string(numbers.size()) +
                                 " numbers for " + std::to_string(dim) + " modes");
    return numbers.data();
}

const int *array_or_null(const char *name, const std::vector<int> &numbers, int dim) {
    return numbers.empty() ? nullptr : array_of(name, numbers, dim);
}

} // namespace

#define TENFOLD_DEFINE_CREATE_PLAN(T)                                                              \
    std::shared_ptr<Transpose<T>> create_plan(                                                     \
        const int *perm, const int dim, const T alpha, const T *A, const int *sizeA,               \
        const int *outerSizeA, const T beta, T *B, const int *outerSizeB,                          \
        const SelectionMethod selectionMethod, const int numThreads, const int *threadIds,         \
        const bool useRowMajor) {                                                                  \
        return std::make_shared<Transpose<T>>(sizeA, perm, outerSizeA, outerSizeB, dim, A, alpha,  \
                                              B, beta, selectionMethod, numThreads, threadIds,     \
                                              useRowMajor);                                        \
    }                                                                                              \
    std::shared_ptr<Transpose<T>> create_plan(                                                     \
        const std::vector<int> &perm, const int dim, const T alpha, const T *A,                    \
        const std::vector<int> &sizeA, const std::vector<int> &outerSizeA, const T beta, T *B,     \
        const std::vector<int> &outerSizeB, const SelectionMethod selectionMethod,                 \
        const int numThreads, const std::vector<int> &threadIds, const bool useRowMajor) {         \
        return std::make_shared<Transpose<T>>(                                                     \
            array_of("sizeA", sizeA, dim), array_of("perm", perm, dim),                            \
            array_or_null("outerSizeA", outerSizeA, dim),                                          \
            array_or_null("outerSizeB", outerSizeB, dim), dim, A, alpha, B, beta, selectionMethod, \
            numThreads, array_or_null("threadIds", threadIds, numThreads), useRowMajor);           \
    }                                                                                              \
    std::shared_ptr<Transpose<T>> create_plan(                                                     \
        const int *perm, const int dim, const T alpha, const T *A, const int *sizeA,               \
        const int *outerSizeA, const T beta, T *B, const int *outerSizeB,                          \
        const int maxAutotuningCandidates, const int numThreads, const int *threadIds,             \
        const bool useRowMajor) {                                                                  \
        return create_plan(perm, dim, alpha, A, sizeA, outerSizeA, beta, B, outerSizeB,            \
                           maxAutotuningCandidates > 1 ? MEASURE : ESTIMATE, numThreads,           \
                           threadIds, useRowMajor);                                                \
    }
TENFOLD_DEFINE_CREATE_PLAN(float)
TENFOLD_DEFINE_CREATE_PLAN(double)
TENFOLD_DEFINE_CREATE_PLAN(FloatComplex)
TENFOLD_DEFINE_CREATE_PLAN(DoubleComplex)
#undef TENFOLD_DEFINE_CREATE_PLAN

} // namespace tenfold_1
} // namespace hptt

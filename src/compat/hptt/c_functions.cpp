// HPTT's C functions. They keep no plan of the caller's, so that they go through contract(), which
// finds the plan of a repeated call in the context's cache.
#include <tenfold/tenfold.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "compat/hptt/layouts.hpp"
#include "tenfold-compat/hptt.h"

namespace tenfold::hptt_impl {
namespace {

/// A letter for each mode of A.
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// B = alpha op(permuted A) + beta B.
template <class T> struct operation {
    T alpha;
    bool conjugate;
    const T *a;
    T beta;
    T *b;
    int threads;
};

/// "cab=abc", for at most as many modes as there are letters.
class expression {
public:
    explicit expression(std::span<const int> permutation) : length_(2 * permutation.size() + 1) {
        char *next = text_.data();
        for (const int mode : permutation)
            *next++ = letters[static_cast<std::size_t>(mode)];
        *next++ = '=';
        std::copy_n(letters.begin(), permutation.size(), next);
    }
    operator std::string_view() const noexcept { return {text_.data(), length_}; }

private:
    std::size_t length_;
    std::array<char, 2 * letters.size() + 1> text_;
};

template <class T> void transpose(const arguments &given, const operation<T> &what) {
    const shapes made(given); // has checked dim and perm
    const std::span permutation(given.perm, static_cast<std::size_t>(given.dim));
    constexpr data_type type = data_type_of<T>;
    // contract() has no plans for tensors that are scaled in place.
    if (permutation.size() > letters.size() || what.a == what.b) {
        const transpose_plan plan(permutation, type, made.a().to_layout(), type,
                                  made.b().to_layout(), what.conjugate, {.threads = what.threads});
        return plan.execute(what.alpha, what.a, what.beta, what.b).throw_if_failed();
    }
    const input_arrays a{type, made.a(), what.a, what.conjugate};
    contract(expression(permutation), std::span(&a, 1), nullptr, {type, made.b(), what.b},
             {.alpha = what.alpha, .beta = what.beta, .threads = what.threads});
}

/// The complex numbers of C are those of C++, part by part.
template <class Complex, class C> Complex as_cpp(C value) {
    return {__real__ value, __imag__ value};
}

} // namespace
} // namespace tenfold::hptt_impl

using namespace tenfold::hptt_impl;

extern "C" {

#define TENFOLD_DEFINE_REAL(name, T)                                                               \
    void name(const int *perm, const int dim, const T alpha, const T *A, const int *sizeA,         \
              const int *outerSizeA, const T beta, T *B, const int *outerSizeB,                    \
              const int numThreads, const int useRowMajor) {                                       \
        tenfold::hptt_impl::transpose<T>(                                                          \
            {perm, dim, sizeA, outerSizeA, outerSizeB, useRowMajor != 0},                          \
            {alpha, false, A, beta, B, numThreads});                                               \
    }
TENFOLD_DEFINE_REAL(sTensorTranspose, float)
TENFOLD_DEFINE_REAL(dTensorTranspose, double)
#undef TENFOLD_DEFINE_REAL

#define TENFOLD_DEFINE_COMPLEX(name, C, Complex)                                                   \
    void name(const int *perm, const int dim, const C alpha, bool conjA, const C *A,               \
              const int *sizeA, const int *outerSizeA, const C beta, C *B, const int *outerSizeB,  \
              const int numThreads, const int useRowMajor) {                                       \
        tenfold::hptt_impl::transpose<Complex>(                                                    \
            {perm, dim, sizeA, outerSizeA, outerSizeB, useRowMajor != 0},                          \
            {as_cpp<Complex>(alpha), conjA, reinterpret_cast<const Complex *>(A),                  \
             as_cpp<Complex>(beta), reinterpret_cast<Complex *>(B), numThreads});                  \
    }
TENFOLD_DEFINE_COMPLEX(cTensorTranspose, float _Complex, hptt::FloatComplex)
TENFOLD_DEFINE_COMPLEX(zTensorTranspose, double _Complex, hptt::DoubleComplex)
#undef TENFOLD_DEFINE_COMPLEX

} // extern "C"

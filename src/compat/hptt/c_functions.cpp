// HPTT's C functions. They keep no plan of the caller's, so that they go through contract(), which
// finds the plan of a repeated call in the context's cache.
#include <tenfold/tenfold.hpp>

#include <array>
#include <numeric>
#include <string>

#include "compat/hptt/layouts.hpp"
#include "tenfold-compat/hptt.h"

namespace tenfold::hptt_impl {
namespace {

constexpr int most_modes_of_contract = 64;

/// B = alpha op(permuted A) + beta B.
template <class T> struct operation {
    T alpha;
    bool conjugate;
    const T *a;
    T beta;
    T *b;
    int threads;
};

/// Labels are the numbers of A's modes.
const contraction_spec &spec_of(std::span<const int> permutation) {
    thread_local contraction_spec spec; // its vectors have their memory after some calls
    const std::size_t order = permutation.size();
    spec.inputs.resize(1);
    spec.inputs.front().resize(order);
    std::iota(spec.inputs.front().begin(), spec.inputs.front().end(), 0);
    spec.output.assign(permutation.begin(), permutation.end());
    while (spec.label_names.size() < order)
        spec.label_names.push_back(std::to_string(spec.label_names.size()));
    return spec;
}

template <class T> void transpose(const arguments &given, const operation<T> &what) {
    layouts made = make_layouts(given);
    const std::span permutation(given.perm, static_cast<std::size_t>(given.dim));
    constexpr data_type type = data_type_of<T>;
    // contract() has no plans for more modes, nor for tensors that are scaled in place.
    if (given.dim > most_modes_of_contract || what.a == what.b) {
        const transpose_plan plan(permutation, type, made.a, type, made.b, what.conjugate,
                                  {.threads = what.threads});
        return plan.execute(what.alpha, what.a, what.beta, what.b).throw_if_failed();
    }
    const input a(type, what.a, std::move(made.a));
    const output b(type, what.b, std::move(made.b));
    const contract_options options{.alpha = what.alpha, .beta = what.beta, .threads = what.threads};
    if (what.conjugate)
        contract(spec_of(permutation), std::array{conj(a)}, b, options);
    else
        contract(spec_of(permutation), std::span(&a, 1), b, options);
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

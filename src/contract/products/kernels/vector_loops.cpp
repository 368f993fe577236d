// Passes over one mode: element-wise products and dot products of vectors. One source serves every
// ISA; the loops are simple, so that the compiler vectorises them for its target.
//
// These kernels serve contractions without a matrix product (element-wise products, traces,
// stride-1 batch modes with short sums). Such passes are bound by loads and stores: with three
// streams per multiply-add, register tiling would gain nothing.
#include "contract/products/kernels/vector_abi.hpp"
#include "simd/entry.hpp"

namespace tenfold::contract_impl {
namespace {

// std::complex would add inline functions compiled for this ISA to the program.
template <class T> struct complex_of { T re, im; };

template <class T> T product(T x, T y) { return x * y; }
template <class T> complex_of<T> product(complex_of<T> x, complex_of<T> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class T> T sum(T x, T y) { return x + y; }
template <class T> complex_of<T> sum(complex_of<T> x, complex_of<T> y) {
    return {x.re + y.re, x.im + y.im};
}
template <bool Conjugate, class T> T load(T x) { return x; }
template <bool Conjugate, class T> complex_of<T> load(complex_of<T> x) {
    return {x.re, Conjugate ? -x.im : x.im};
}
template <class T> void set(T &x, const double value[2]) { x = static_cast<T>(value[0]); }
template <class T> void set(complex_of<T> &x, const double value[2]) {
    x = {static_cast<T>(value[0]), static_cast<T>(value[1])};
}
bool is_zero(const double value[2]) { return value[0] == 0 && value[1] == 0; }

/// Strides that are compile-time constants, so that unit-stride loops are vectorised.
enum class steps { unit, unit_scalar_a, unit_scalar_b, general };

template <class T, bool Conjugate_a, bool Conjugate_b, steps Steps, bool Reads_d>
void multiply_pass(const vector_operands &x, T alpha, T beta) {
    const T *__restrict a = static_cast<const T *>(x.a);
    const T *__restrict b = static_cast<const T *>(x.b);
    T *__restrict d = static_cast<T *>(x.d);
    constexpr bool unit = Steps != steps::general;
    const int64_t step_a = unit ? (Steps == steps::unit_scalar_a ? 0 : 1) : x.stride_a;
    const int64_t step_b = unit ? (Steps == steps::unit_scalar_b ? 0 : 1) : x.stride_b;
    const int64_t step_d = unit ? 1 : x.stride_d;
    for (int64_t i = 0; i < x.n; ++i) {
        const T term = product(
            alpha, product(load<Conjugate_a>(a[i * step_a]), load<Conjugate_b>(b[i * step_b])));
        d[i * step_d] = Reads_d ? sum(term, product(beta, d[i * step_d])) : term;
    }
}

template <class T, bool Conjugate_a, bool Conjugate_b, bool Reads_d>
void multiply_by_steps(const vector_operands &x, T alpha, T beta) {
    if (x.stride_d == 1 && x.stride_a == 1 && x.stride_b == 1)
        multiply_pass<T, Conjugate_a, Conjugate_b, steps::unit, Reads_d>(x, alpha, beta);
    else if (x.stride_d == 1 && x.stride_a == 0 && x.stride_b == 1)
        multiply_pass<T, Conjugate_a, Conjugate_b, steps::unit_scalar_a, Reads_d>(x, alpha, beta);
    else if (x.stride_d == 1 && x.stride_a == 1 && x.stride_b == 0)
        multiply_pass<T, Conjugate_a, Conjugate_b, steps::unit_scalar_b, Reads_d>(x, alpha, beta);
    else
        multiply_pass<T, Conjugate_a, Conjugate_b, steps::general, Reads_d>(x, alpha, beta);
}

template <class T, bool Conjugate_a, bool Conjugate_b> void multiply(const vector_operands &x) {
    T alpha, beta;
    set(alpha, x.alpha);
    set(beta, x.beta);
    if (is_zero(x.beta))
        multiply_by_steps<T, Conjugate_a, Conjugate_b, false>(x, alpha, beta);
    else
        multiply_by_steps<T, Conjugate_a, Conjugate_b, true>(x, alpha, beta);
}

/// Independent partial sums hide the latency of additions and can be vectorised. They are added in
/// a fixed tree, so that the result does not depend on alignment or vector length.
template <class T, bool Conjugate_a, bool Conjugate_b, bool Unit>
T dot_pass(const vector_operands &x) {
    constexpr int64_t lanes = 32;
    const T *a = static_cast<const T *>(x.a);
    const T *b = static_cast<const T *>(x.b);
    const int64_t step_a = Unit ? 1 : x.stride_a;
    const int64_t step_b = Unit ? 1 : x.stride_b;
    T partial[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= x.n; i += lanes)
        for (int64_t lane = 0; lane < lanes; ++lane)
            partial[lane] = sum(partial[lane], product(load<Conjugate_a>(a[(i + lane) * step_a]),
                                                       load<Conjugate_b>(b[(i + lane) * step_b])));
    for (int64_t lane = 0; i < x.n; ++i, ++lane)
        partial[lane] = sum(partial[lane], product(load<Conjugate_a>(a[i * step_a]),
                                                   load<Conjugate_b>(b[i * step_b])));
    for (int64_t half = lanes / 2; half > 0; half /= 2)
        for (int64_t lane = 0; lane < half; ++lane)
            partial[lane] = sum(partial[lane], partial[lane + half]);
    return partial[0];
}

template <class T, bool Conjugate_a, bool Conjugate_b> void dot(const vector_operands &x) {
    T alpha, beta;
    set(alpha, x.alpha);
    set(beta, x.beta);
    const bool unit = x.stride_a == 1 && x.stride_b == 1;
    const T total = product(alpha, unit ? dot_pass<T, Conjugate_a, Conjugate_b, true>(x)
                                        : dot_pass<T, Conjugate_a, Conjugate_b, false>(x));
    T &d = *static_cast<T *>(x.d);
    d = is_zero(x.beta) ? total : sum(total, product(beta, d));
}

template <class T> void multiply_complex(const vector_operands &x) {
    if (x.conjugate_a)
        x.conjugate_b ? multiply<T, true, true>(x) : multiply<T, true, false>(x);
    else
        x.conjugate_b ? multiply<T, false, true>(x) : multiply<T, false, false>(x);
}

template <class T> void dot_complex(const vector_operands &x) {
    if (x.conjugate_a)
        x.conjugate_b ? dot<T, true, true>(x) : dot<T, true, false>(x);
    else
        x.conjugate_b ? dot<T, false, true>(x) : dot<T, false, false>(x);
}

} // namespace

} // namespace tenfold::contract_impl

using namespace tenfold::contract_impl;
TENFOLD_DEFINE_ENTRY(vector_kernel_set,
                     {{multiply<float, false, false>, dot<float, false, false>},
                      {multiply<double, false, false>, dot<double, false, false>},
                      {multiply_complex<complex_of<float>>, dot_complex<complex_of<float>>},
                      {multiply_complex<complex_of<double>>, dot_complex<complex_of<double>>}})

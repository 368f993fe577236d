// Passes over one mode or two: element-wise products and dot products of vectors. One source serves
// every ISA; the loops are simple, so that the compiler vectorises them for its target.
//
// These kernels serve contractions without a matrix product (element-wise products, traces,
// stride-1 batch modes with short sums). Such passes are bound by loads and stores: with three
// streams per multiply-add, register tiling would gain nothing. Outputs beyond the caches are
// written past them, or each of their lines would be read first.
#include TENFOLD_SIMD_HEADER

#include "contract/products/kernels/vector_abi.hpp"
#include "simd/entry.hpp"

namespace tenfold::contract_impl {
namespace {

// std::complex would add inline functions compiled for this ISA to the program.
template <class T> struct complex_of { T re, im; };
template <class T> constexpr bool is_real = true;
template <class T> constexpr bool is_real<complex_of<T>> = false;

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

template <class T> struct factors { T alpha, beta; };

template <class T, bool Conjugate_a, bool Conjugate_b, steps Steps, bool Reads_d>
void multiply_row(const vector_operands &x, const T *__restrict a, const T *__restrict b,
                  T *__restrict d, const factors<T> &by) {
    const T alpha = by.alpha, beta = by.beta;
    constexpr bool unit = Steps != steps::general;
    const int64_t step_a = unit ? (Steps == steps::unit_scalar_a ? 0 : 1) : x.stride_a;
    const int64_t step_b = unit ? (Steps == steps::unit_scalar_b ? 0 : 1) : x.stride_b;
    const int64_t step_d = unit ? 1 : x.stride_d;
    const int64_t n = x.n;
    for (int64_t i = 0; i < n; ++i) {
        const T term = product(
            alpha, product(load<Conjugate_a>(a[i * step_a]), load<Conjugate_b>(b[i * step_b])));
        d[i * step_d] = Reads_d ? sum(term, product(beta, d[i * step_d])) : term;
    }
}

/// multiply_row() with strides of 1 or 0 that writes whole lines of D past the caches.
template <class T, steps Steps>
void multiply_row_past_caches(const vector_operands &x, const T *a, const T *b, T *d, T alpha) {
    using wide = typename simd<T>::wide;
    constexpr auto line = static_cast<int64_t>(64 / sizeof(T));
    constexpr int64_t step_a = Steps == steps::unit_scalar_a ? 0 : 1;
    constexpr int64_t step_b = Steps == steps::unit_scalar_b ? 0 : 1;
    const auto through_caches = [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i)
            d[i] = alpha * (a[i * step_a] * b[i * step_b]);
    };
    const auto address = reinterpret_cast<uintptr_t>(d);
    const auto after_line = static_cast<int64_t>(address % 64 / sizeof(T));
    int64_t i = after_line == 0 ? 0 : line - after_line;
    if (i + line > x.n || address % sizeof(T) != 0)
        return through_caches(0, x.n);
    through_caches(0, i);
    for (; i + line <= x.n; i += line)
        for (int64_t k = i; k < i + line; k += simd<T>::length) {
            wide factor;
            if constexpr (Steps == steps::unit_scalar_a)
                factor = *a * ::load(b + k);
            else if constexpr (Steps == steps::unit_scalar_b)
                factor = ::load(a + k) * *b;
            else
                factor = ::load(a + k) * ::load(b + k);
            stream(d + k, alpha * factor);
        }
    through_caches(i, x.n);
}

template <class T, bool Conjugate_a, bool Conjugate_b, steps Steps, bool Reads_d>
void multiply_pass(const vector_operands &x, T alpha, T beta) {
    const T *a = static_cast<const T *>(x.a);
    const T *b = static_cast<const T *>(x.b);
    T *d = static_cast<T *>(x.d);
    const factors<T> by{alpha, beta};
    constexpr bool may_stream = is_real<T> && Steps != steps::general && !Reads_d;
    for (int64_t row = 0; row < x.rows; ++row) {
        if (may_stream && x.past_caches) {
            if constexpr (may_stream)
                multiply_row_past_caches<T, Steps>(x, a, b, d, alpha);
        } else {
            multiply_row<T, Conjugate_a, Conjugate_b, Steps, Reads_d>(x, a, b, d, by);
        }
        a += x.row_stride_a;
        b += x.row_stride_b;
        d += x.row_stride_d;
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
T dot_pass(const vector_operands &x, const T *a, const T *b) {
    constexpr int64_t lanes = 32;
    const int64_t step_a = Unit ? 1 : x.stride_a;
    const int64_t step_b = Unit ? 1 : x.stride_b;
    T partial[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= x.n; i += lanes)
        for (int64_t lane = 0; lane < lanes; ++lane)
            partial[lane] = sum(partial[lane], product(load<Conjugate_a>(a[(i + lane) * step_a]),
                                                       load<Conjugate_b>(b[(i + lane) * step_b])));
    constexpr int64_t few = 8; // which are registers, too
    int64_t next = 0;          // of the lanes
    for (; i + few <= x.n; i += few, next += few)
        for (int64_t l = 0; l < few; ++l)
            partial[next + l] =
                sum(partial[next + l], product(load<Conjugate_a>(a[(i + l) * step_a]),
                                               load<Conjugate_b>(b[(i + l) * step_b])));
    for (; i < x.n; ++i, ++next)
        partial[next] = sum(partial[next], product(load<Conjugate_a>(a[i * step_a]),
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
    const T *a = static_cast<const T *>(x.a);
    const T *b = static_cast<const T *>(x.b);
    T *d = static_cast<T *>(x.d);
    for (int64_t row = 0; row < x.rows; ++row) {
        const T total =
            product(alpha, unit ? dot_pass<T, Conjugate_a, Conjugate_b, true>(x, a, b)
                                : dot_pass<T, Conjugate_a, Conjugate_b, false>(x, a, b));
        *d = is_zero(x.beta) ? total : sum(total, product(beta, *d));
        a += x.row_stride_a;
        b += x.row_stride_b;
        d += x.row_stride_d;
    }
}

/// Sums in as many lanes as a few turns have elements, a multiple of 16: registers of every length
/// are full although a turn may have two elements.
template <class T, bool Conjugate_a, bool Conjugate_b>
void dots_side_by_side(const vector_operands &x) {
    constexpr int64_t whole_registers = 16;
    constexpr int64_t enough = 64; // hides the latency of additions
    int64_t lanes = x.rows;
    while (lanes % whole_registers != 0)
        lanes *= 2;
    while (lanes < enough)
        lanes *= 2;
    T partial[whole_registers * most_dots_side_by_side] = {};
    const T *a = static_cast<const T *>(x.a);
    const T *b = static_cast<const T *>(x.b);
    const int64_t elements = x.n * x.rows;
    int64_t i = 0;
    for (; i + lanes <= elements; i += lanes)
        for (int64_t lane = 0; lane < lanes; ++lane)
            partial[lane] = sum(partial[lane], product(load<Conjugate_a>(a[i + lane]),
                                                       load<Conjugate_b>(b[i + lane])));
    for (int64_t lane = 0; i < elements; ++i, ++lane)
        partial[lane] =
            sum(partial[lane], product(load<Conjugate_a>(a[i]), load<Conjugate_b>(b[i])));
    // `lanes` is a power of two times the number of rows.
    for (; lanes > x.rows; lanes /= 2)
        for (int64_t lane = 0; lane < lanes / 2; ++lane)
            partial[lane] = sum(partial[lane], partial[lane + lanes / 2]);
    T alpha, beta;
    set(alpha, x.alpha);
    set(beta, x.beta);
    T *d = static_cast<T *>(x.d);
    for (int64_t row = 0; row < x.rows; ++row, d += x.row_stride_d) {
        const T total = product(alpha, partial[row]);
        *d = is_zero(x.beta) ? total : sum(total, product(beta, *d));
    }
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

template <class T> void dots_side_by_side_complex(const vector_operands &x) {
    if (x.conjugate_a)
        x.conjugate_b ? dots_side_by_side<T, true, true>(x) : dots_side_by_side<T, true, false>(x);
    else
        x.conjugate_b ? dots_side_by_side<T, false, true>(x)
                      : dots_side_by_side<T, false, false>(x);
}

template <class T> constexpr vector_kernels real_kernels{
    multiply<T, false, false>, dot<T, false, false>, dots_side_by_side<T, false, false>};
template <class T> constexpr vector_kernels complex_kernels{
    multiply_complex<complex_of<T>>, dot_complex<complex_of<T>>,
    dots_side_by_side_complex<complex_of<T>>};

} // namespace

} // namespace tenfold::contract_impl

using namespace tenfold::contract_impl;
TENFOLD_DEFINE_ENTRY(vector_kernel_set, {real_kernels<float>, real_kernels<double>,
                                         complex_kernels<float>, complex_kernels<double>})

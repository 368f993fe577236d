// The epilogues' kernels of f32 and f64, element-wise functions on registers: relu, exp, sigmoid,
// tanh, and the two forms of gelu.
//
// exp(x) = 2^k exp(r), k = round(x / ln 2), r = x - k ln 2 with ln 2 in two parts (W. J. Cody and
// W. Waite, Software Manual for the Elementary Functions, 1980); exp(r) - 1 = r + r^2 q(r), q near
// its minimax polynomial (interpolated in the Chebyshev nodes with 50 digits). Everything else is
// made of these two numbers, with 2^k applied last, so that results near the smallest number keep
// what precision they can have.
//
// Written without branches: an element's result depends on its value alone, whichever lane of
// whichever register it is in.
//
// Integers have relu alone, and bf16 and f16 conversions to f32 and back: the loops of both are the
// compiler's to vectorise.
#include "gemm/kernels/functions_constants.hpp"
#include "simd/entry.hpp"

namespace {

/// The value and what it lacks.
template <class T> struct two_parts { typename simd<T>::wide value, rest; };

/// The upper half of the bits of a significand.
template <class T> inline typename simd<T>::wide upper_half(typename simd<T>::wide x) {
    using bits = typename constants<T>::bits;
    return (typename simd<T>::wide)((bits)x & constants<T>::upper_half);
}

/// x y exactly (T. J. Dekker, A floating-point technique for extending the available precision,
/// Numer. Math. 18, 1971), the halves cut by masks.
template <class T> inline two_parts<T> product(typename simd<T>::wide x, typename simd<T>::wide y) {
    using wide = typename simd<T>::wide;
    const wide value = rounded(x * y);
    const wide x_upper = upper_half<T>(x), x_lower = x - x_upper;
    const wide y_upper = upper_half<T>(y), y_lower = y - y_upper;
    return {value, ((x_upper * y_upper - value) + x_upper * y_lower + x_lower * y_upper) +
                       x_lower * y_lower};
}

/// x + y exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
template <class T> inline two_parts<T> sum(typename simd<T>::wide x, typename simd<T>::wide y) {
    const auto value = rounded(x + y);
    const auto of_y = rounded(value - x);
    return {value, (x - rounded(value - of_y)) + (y - of_y)};
}

template <class T> inline typename simd<T>::wide broadcast(T value) {
    const typename simd<T>::wide zero = {};
    return zero + value;
}

/// c[0] + c[1] x + .. in two chains of half the length, the even and the odd powers.
template <class T, int terms>
inline typename simd<T>::wide polynomial(const T (&c)[terms], typename simd<T>::wide x) {
    using wide = typename simd<T>::wide;
    constexpr int last = terms - 1;
    const wide square = x * x;
    wide same = broadcast<T>(c[last]);
    wide other = broadcast<T>(c[last - 1]);
#pragma GCC unroll 16
    for (int i = last - 2; i >= 0; i -= 2)
        same = same * square + c[i];
#pragma GCC unroll 16
    for (int i = last - 3; i >= 0; i -= 2)
        other = other * square + c[i];
    return last % 2 == 0 ? same + x * other : other + x * same;
}

/// exp = (1 + minus_one) 2^exponent, |minus_one| < 0.42.
template <class T> struct exponential { typename simd<T>::wide minus_one, exponent; };

/// exp(x + rest). times_power() says how large |x| may be.
template <class T>
inline exponential<T> exponential_of(typename simd<T>::wide x, typename simd<T>::wide rest) {
    using wide = typename simd<T>::wide;
    using c = constants<T>;
    const wide k = (x * c::log2_e + c::to_integer) - c::to_integer;
    const wide r = ((x - k * c::ln2_upper) - k * c::ln2_lower) + rest;
    return {r + r * r * polynomial(c::exp_terms, r), k};
}

/// x 2^k for whole k, rounded once: by two factors, neither of which leaves the range while |k| is
/// less than twice the largest exponent.
template <class T>
inline typename simd<T>::wide times_power(typename simd<T>::wide x, typename simd<T>::wide k) {
    using wide = typename simd<T>::wide;
    using bits = typename constants<T>::bits;
    using c = constants<T>;
    const wide half = (k * T(0.5) + c::to_integer) - c::to_integer;
    // In to_integer + j, j is the last bits of the significand.
    const auto power = [](wide j) {
        return (wide)(((bits)(j + c::to_integer_biased)) << c::significand_bits);
    };
    return x * power(half) * power(k - half);
}

/// NaN stays.
template <class T> inline typename simd<T>::wide at_least(typename simd<T>::wide x, T least) {
    return x < least ? broadcast<T>(least) : x;
}
template <class T> inline typename simd<T>::wide at_most(typename simd<T>::wide x, T most) {
    return x > most ? broadcast<T>(most) : x;
}

template <class T> inline typename simd<T>::wide absolute(typename simd<T>::wide x) {
    using bits = typename constants<T>::bits;
    return (typename simd<T>::wide)((bits)x & ~constants<T>::sign);
}

// Each function is a type, so that one loop is compiled with each of them inside.

template <class T> struct relu {
    static typename simd<T>::wide of(typename simd<T>::wide x) {
        return x < T(0) ? broadcast<T>(0) : x;
    }
};

template <class T> struct exponential_function {
    static typename simd<T>::wide of(typename simd<T>::wide x) {
        using c = constants<T>;
        const auto clipped = at_most<T>(at_least<T>(x, c::exp_zero), c::exp_infinite);
        const exponential<T> e = exponential_of<T>(clipped, broadcast<T>(0));
        return times_power<T>(e.minus_one + T(1), e.exponent);
    }
};

/// weight / (1 + exp(-(s + rest))), |s| at most a few times constants<T>::exp_zero. With exp of
/// what is negative, which cannot overflow: exp(s) / (1 + exp(s)) where s < 0.
template <class T> inline typename simd<T>::wide weighted_sigmoid(typename simd<T>::wide s,
                                                                  typename simd<T>::wide rest,
                                                                  typename simd<T>::wide weight) {
    const auto negative = s < T(0);
    const exponential<T> e = exponential_of<T>(negative ? s : -s, negative ? rest : -rest);
    const auto small = e.minus_one + T(1);
    const auto quotient =
        (negative ? weight * small : weight) / (times_power<T>(small, e.exponent) + T(1));
    return negative ? times_power<T>(quotient, e.exponent) : quotient;
}

template <class T> struct sigmoid {
    static typename simd<T>::wide of(typename simd<T>::wide x) {
        using c = constants<T>;
        const auto clipped = at_most<T>(at_least<T>(x, c::exp_zero), -c::exp_zero);
        return weighted_sigmoid<T>(clipped, broadcast<T>(0), broadcast<T>(1));
    }
};

/// m / (m + 2) with m = exp(2 |x|) - 1 = 2^k (exp(r) - 1) + (2^k - 1), which loses nothing near 0.
template <class T> struct hyperbolic_tangent {
    static typename simd<T>::wide of(typename simd<T>::wide x) {
        using bits = typename constants<T>::bits;
        using wide = typename simd<T>::wide;
        using c = constants<T>;
        const wide twice = at_most<T>(absolute<T>(x) * T(2), c::tanh_one);
        const exponential<T> e = exponential_of<T>(twice, broadcast<T>(0));
        const wide power = times_power<T>(broadcast<T>(1), e.exponent);
        const wide m = power * e.minus_one + (power - T(1));
        const wide result = m / (m + T(2));
        return (wide)((bits)result | ((bits)x & c::sign));
    }
};

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) = x sigmoid(x (a + b x^2)). An error of the
/// argument is one of the result, relative to it, so the argument is computed in two parts.
template <class T> struct gelu_of_tanh {
    static typename simd<T>::wide of(typename simd<T>::wide x) {
        using c = constants<T>;
        const auto from_below = at_least<T>(x, -c::gelu_tanh_zero); // -0 below, no 0 times infinity
        const auto clipped = at_most<T>(from_below, c::gelu_tanh_zero);
        const two_parts<T> square = product<T>(clipped, clipped);
        two_parts<T> cubic = product<T>(square.value, broadcast<T>(c::gelu_b));
        cubic.rest += square.rest * c::gelu_b + square.value * c::gelu_b_rest;
        two_parts<T> slope = sum<T>(broadcast<T>(c::gelu_a), cubic.value);
        slope.rest += cubic.rest + c::gelu_a_rest;
        two_parts<T> s = product<T>(clipped, slope.value);
        s.rest += clipped * slope.rest;
        return weighted_sigmoid<T>(s.value, s.rest, from_below);
    }
};

/// x Phi(x), Phi the normal distribution function, = x / 2 (1 + erf(x / sqrt(2))).
///
/// Phi(-t) = exp(-t^2 / 2) P(v) / (1 + sqrt(2) t), v = (t - K) / (t + K): P is nearly constant over
/// all t >= 0, one polynomial (M. M. Shepherd and J. G. Laframboise, Chebyshev approximation of
/// (1 + 2x) exp(x^2) erfc(x) in 0 <= x < infinity, Math. Comp. 36, 1981). t^2 in two parts, for
/// the reason given at gelu_of_tanh.
template <class T> struct gelu_of_erf {
    static typename simd<T>::wide of(typename simd<T>::wide x) {
        using c = constants<T>;
        const auto negative = x < T(0);
        const auto t = at_most<T>(absolute<T>(x), c::gelu_erf_zero);
        const two_parts<T> square = product<T>(t, t);
        const exponential<T> e = exponential_of<T>(square.value * T(-0.5), square.rest * T(-0.5));
        // Near v = -1 P is steep: there v's rounding error goes into the result by P's derivative.
        const auto w = t * T(2) / (t + c::phi_k);
        const auto v = rounded(w - T(1));
        const auto lost = w - (v + T(1));
        const auto p =
            polynomial(c::phi_terms, v) + lost * ((c::slope_2 * w + c::slope_1) * w + c::slope_0);
        // Phi(-t) less 2^k.
        const auto tail = (e.minus_one + T(1)) * p / (t * c::sqrt_2 + T(1));
        const auto scaled = times_power<T>(negative ? -(t * tail) : tail, e.exponent);
        return negative ? scaled : x * (T(1) - scaled);
    }
};

/// d = F(d) over whole registers. Not inlined: the last elements of a column, which are no whole
/// register, must pass through the same instructions.
template <class T, class F> [[gnu::noinline]] void run_registers(T *d, int64_t registers) {
    constexpr int length = simd<T>::length;
    for (; registers > 0; --registers, d += length)
        store(d, F::of(load(d)));
}

template <class T, class F> void apply_function(const element_tile *tile) {
    constexpr int length = simd<T>::length;
    int64_t m = tile->m;
    int64_t n = tile->n;
    if (tile->column_stride == m) { // one column
        m *= n;
        n = 1;
    }
    const int64_t whole = m / length * length;
    T *d = static_cast<T *>(tile->d);
    for (int64_t j = 0; j < n; ++j, d += tile->column_stride) {
        run_registers<T, F>(d, whole / length);
        if (whole < m) {
            alignas(64) T rest[length] = {};
            for (int64_t i = whole; i < m; ++i)
                rest[i - whole] = d[i];
            run_registers<T, F>(rest, 1);
            for (int64_t i = whole; i < m; ++i)
                d[i] = rest[i - whole];
        }
    }
}

template <class T> void scale_tile(const element_tile *tile, const void *factor) {
    const T f = *static_cast<const T *>(factor);
    T *d = static_cast<T *>(tile->d);
    for (int64_t j = 0; j < tile->n; ++j, d += tile->column_stride)
        for (int64_t i = 0; i < tile->m; ++i)
            d[i] *= f;
}

/// Combines d with x element by element. Constant strides let the compiler vectorise.
template <class T, class Combine>
void combine_tile(const element_tile *tile, const tile_operand *a, const Combine &combine) {
    const T f = *static_cast<const T *>(a->factor);
    const T *x = static_cast<const T *>(a->x);
    T *d = static_cast<T *>(tile->d);
    for (int64_t j = 0; j < tile->n; ++j, d += tile->column_stride, x += a->column_stride) {
        if (a->row_stride == 1)
            for (int64_t i = 0; i < tile->m; ++i)
                combine(d[i], f, x[i]);
        else
            for (int64_t i = 0; i < tile->m; ++i)
                combine(d[i], f, x[i * a->row_stride]);
    }
}

template <class T> void add_to_tile(const element_tile *tile, const tile_operand *a) {
    combine_tile<T>(tile, a, [](T &d, T f, T x) { d += f * x; });
}

template <class T> void multiply_tile(const element_tile *tile, const tile_operand *a) {
    combine_tile<T>(tile, a, [](T &d, T f, T x) { d *= f * x; });
}

void relu_of_integers(const element_tile *tile) {
    int32_t *d = static_cast<int32_t *>(tile->d);
    for (int64_t j = 0; j < tile->n; ++j, d += tile->column_stride)
        for (int64_t i = 0; i < tile->m; ++i)
            d[i] = d[i] < 0 ? 0 : d[i];
}

inline uint32_t bits_of(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline float float_of(uint32_t bits) {
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

struct bf16_bits {
    static float widen(uint16_t stored) { return float_of(uint32_t{stored} << 16); }
    static uint16_t round(float x) {
        const uint32_t bits = bits_of(x);
        const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
        return static_cast<uint16_t>(
            (is_nan ? bits | 0x400000U : bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
    }
};

struct f16_bits {
    /// A subnormal is an integer times 2^-24: (2^23 + n) - 2^23 has it normalised, times 2^-24.
    static float widen(uint16_t stored) {
        const uint32_t magnitude = stored & 0x7fffU;
        const uint32_t special = magnitude >= 0x7c00U ? 0x38000000U : 0U;
        const uint32_t normal = (magnitude << 13) + 0x38000000U + special;
        const float fraction = (float_of(0x4b000000U + magnitude) - 8388608.0F) * 0x1p-24F;
        const uint32_t bits = magnitude < 0x400U ? bits_of(fraction) : normal;
        return float_of((uint32_t{stored} & 0x8000U) << 16 | bits);
    }
    /// A subnormal f16 is rounded to even by an addition that aligns its last bit.
    static uint16_t round(float x) {
        const uint32_t word = bits_of(x);
        const uint32_t magnitude = word & 0x7fffffffU;
        const uint32_t normal = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
        const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5F) - 0x3f000000U;
        uint32_t half = magnitude < 0x38800000U ? subnormal : normal;
        half = magnitude >= 0x477ff000U ? 0x7c00U : half;
        half = magnitude > 0x7f800000U ? 0x7e00U : half;
        return static_cast<uint16_t>((word >> 16 & 0x8000U) | half);
    }
};

template <class Bits> void widen_stored(int64_t count, const void *stored, float *to) {
    const uint16_t *from = static_cast<const uint16_t *>(stored);
    for (int64_t i = 0; i < count; ++i)
        to[i] = Bits::widen(from[i]);
}
template <class Bits> void round_stored(int64_t count, const float *from, void *stored) {
    uint16_t *to = static_cast<uint16_t *>(stored);
    for (int64_t i = 0; i < count; ++i)
        to[i] = Bits::round(from[i]);
}
template <class Bits> constexpr stored_elements stored_elements_of() {
    return {widen_stored<Bits>, round_stored<Bits>};
}

/// Unsigned, so that it is modulo 2^32.
constexpr element_kernels integer_kernels() {
    return {
        {relu_of_integers}, scale_tile<uint32_t>, add_to_tile<uint32_t>, multiply_tile<uint32_t>};
}

template <class T> constexpr element_kernels element_kernels_of() {
    return {{apply_function<T, relu<T>>, apply_function<T, exponential_function<T>>,
             apply_function<T, hyperbolic_tangent<T>>, apply_function<T, sigmoid<T>>,
             apply_function<T, gelu_of_tanh<T>>, apply_function<T, gelu_of_erf<T>>},
            scale_tile<T>,
            add_to_tile<T>,
            multiply_tile<T>};
}

} // namespace

TENFOLD_DEFINE_ENTRY(element_kernel_set,
                     {"functions__" TENFOLD_TEXT(TENFOLD_KERNEL_ISA), element_kernels_of<float>(),
                      element_kernels_of<double>(), integer_kernels(),
                      stored_elements_of<bf16_bits>(), stored_elements_of<f16_bits>()})

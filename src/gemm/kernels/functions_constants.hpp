// The numbers of functions.cpp, for each real type.
#pragma once

#include "gemm/kernels/kernel_abi.hpp"
#include "gemm/kernels/simd.hpp"

namespace {

using tenfold::gemm_impl::element_kernel_set;
using tenfold::gemm_impl::element_kernels;
using tenfold::gemm_impl::element_tile;
using tenfold::gemm_impl::stored_elements;
using tenfold::gemm_impl::tile_operand;

template <class T> struct constants;

template <> struct constants<float> {
    typedef int32_t bits __attribute__((vector_size(register_bytes)));
    static constexpr int32_t sign = INT32_MIN;
    static constexpr int32_t upper_half = -4096; ///< all bits but the last 12
    static constexpr int significand_bits = 23;
    static constexpr float to_integer = 12582912.0F; ///< 1.5 * 2^23: + and - it rounds
    static constexpr float to_integer_biased = to_integer + 127.0F;
    static constexpr float log2_e = 1.44269504F;
    static constexpr float ln2_upper = 0.693359375F; ///< 10 bits: k times it is exact
    static constexpr float ln2_lower = -2.12194440e-4F;
    /// Of (exp(r) - 1 - r) / r^2 for |r| < 0.35: exp(r) - 1 to 2^-30.
    static constexpr float exp_terms[] = {0.5F,           0.1666666668F,   0.04166645862F,
                                          0.00833331023F, 0.001393434409F, 0.0001989176161F};
    static constexpr float exp_zero = -105.0F;
    static constexpr float exp_infinite = 89.0F;
    static constexpr float tanh_one = 22.0F;       ///< of 2 |x|
    static constexpr float gelu_tanh_zero = 11.0F; ///< both at -x: below, nothing but -0 is left
    static constexpr float gelu_erf_zero = 15.0F;
    static constexpr float gelu_a = 1.59576917F; ///< 2 sqrt(2 / pi), in two parts
    static constexpr float gelu_a_rest = -4.53406804e-8F;
    static constexpr float gelu_b = 0.0713548139F; ///< 0.044715 times that
    static constexpr float gelu_b_rest = 2.39883240e-9F;
    static constexpr float sqrt_2 = 1.41421356F;
    static constexpr float phi_k = 5.25F;
    /// The polynomial's derivative for v < -1/2, in v + 1 and to 2 %: enough for a correction.
    static constexpr float slope_0 = 0.7942F, slope_1 = -2.981F, slope_2 = 2.865F;
    /// Of (1 + sqrt(2) t) exp(t^2 / 2) Phi(-t) in v = (t - K) / (t + K): to 2^-30.
    static constexpr float phi_terms[] = {
        0.6191105074F,    -0.07013344256F,  0.0008067525168F, 0.04225598966F,   -0.05493342142F,
        0.04592671147F,   -0.02866986205F,  0.01349054535F,   -0.004429147397F, 0.0006790219493F,
        0.0002050632794F, -0.000134008168F, 4.899695558e-6F,  9.974169544e-6F};
};

template <> struct constants<double> {
    typedef int64_t bits __attribute__((vector_size(register_bytes)));
    static constexpr int64_t sign = INT64_MIN;
    static constexpr int64_t upper_half = -134217728; ///< all bits but the last 27
    static constexpr int significand_bits = 52;
    static constexpr double to_integer = 6755399441055744.0; ///< 1.5 * 2^52
    static constexpr double to_integer_biased = to_integer + 1023.0;
    static constexpr double log2_e = 1.44269504088896340736;
    static constexpr double ln2_upper = 6.93147180369123816490e-01; ///< 32 bits
    static constexpr double ln2_lower = 1.90821492927058770002e-10;
    /// exp(r) - 1 to 2^-60.
    static constexpr double exp_terms[] = {0.5,
                                           0.16666666666666671336,
                                           0.0416666666666666700013,
                                           0.00833333333332567868474,
                                           0.00138888888888834223546,
                                           0.000198412698764040716858,
                                           0.0000248015873266784949941,
                                           0.00000275572534072002751536,
                                           2.75572722198902220092e-7,
                                           2.51060401178608906522e-8,
                                           2.09152747578000654842e-9};
    static constexpr double exp_zero = -746.0;
    static constexpr double exp_infinite = 710.0;
    static constexpr double tanh_one = 44.0;
    static constexpr double gelu_tanh_zero = 23.0;
    static constexpr double gelu_erf_zero = 40.0;
    static constexpr double gelu_a = 1.5957691216057308115;
    static constexpr double gelu_a_rest = -9.9693088091109203146e-17;
    static constexpr double gelu_b = 0.071354816272600249394;
    static constexpr double gelu_b_rest = -6.1751499181553154534e-19;
    static constexpr double sqrt_2 = 1.4142135623730950488;
    static constexpr double phi_k = 5.25;
    /// The polynomial's derivative for v < -1/2, in v + 1 and to 2 %: enough for a correction.
    static constexpr double slope_0 = 0.7942, slope_1 = -2.981, slope_2 = 2.865;
    /// To 2^-57.
    static constexpr double phi_terms[] = {
        0.619110507772779568,    -0.0701334424704614035,   0.000806719491568780053,
        0.0422559805306236162,   -0.054932888117029383,    0.0459268579312998953,
        -0.0286731211657561505,  0.013489661079876912,     -0.00441952965288877611,
        0.000681576320194483154, 0.000190108828936881284,  -0.00013782933401275133,
        0.000017160187288330248, 0.0000128685151326521569, -4.87501447982935726e-6,
        -9.30594713258960063e-7, 8.20933104174103722e-7,   5.12660410707498687e-8,
        -1.29044293274201552e-7, -1.43140484184570011e-9,  2.00782332688337447e-8,
        -3.8072912305238878e-11, -2.75468207940435608e-9,  -6.25318616069521757e-13,
        2.31096636099539992e-10};
};

} // namespace

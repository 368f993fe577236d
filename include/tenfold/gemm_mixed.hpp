// Matrix multiplication whose inputs are narrower than its output.
#pragma once

#include <cstdint>

#include <tenfold/gemm.hpp>
#include <tenfold/types.hpp>

namespace tenfold {

/// How products of bf16 numbers are summed.
enum class bf16_sums : std::uint8_t {
    /// The faster of the two, where it was measured; else widened. Results differ between
    /// processors.
    automatic,
    /// Inputs become f32, which is exact; fused multiply-adds where the instruction set has them.
    widened,
    /// As AVX-512's VDPBF16PS does it, bit for bit on every processor with an L1 cache of the same
    /// size, which decides where long sums are cut: pairs of k, the odd product before the even
    /// one, each by a fused multiply-add that takes subnormal numbers for zero. Slow where the
    /// instruction is missing.
    dot_products
};

/// C = alpha A B + beta C in f32 from bf16 or f16; 2 m n k flops. The rules, checks and errors are
/// those of gemm() for f32: strides of any sign, C is not read when beta = 0, A and B are not read
/// when alpha = 0 or k = 0, NaN and infinity go where f32 arithmetic on the widened numbers takes
/// them. The result does not depend on the number of threads. Of the options, conj_a, conj_b and
/// backend have no meaning here: inputs are real and the kernels Tenfold's own.
void gemm(matrix_view<const bf16> a, matrix_view<const bf16> b, matrix_view<float> c,
          const gemm_options &options = {}, bf16_sums sums = bf16_sums::automatic);
void gemm(matrix_view<const f16> a, matrix_view<const f16> b, matrix_view<float> c,
          const gemm_options &options = {});

/// C = alpha A B + beta C in integers modulo 2^32: what does not fit 32 bits wraps around, as
/// unsigned numbers do; without overflow the result is exact. alpha and beta must be integers of
/// 32 bits (errc::type_mismatch), and there is no epilogue (errc::unsupported). Otherwise as above.
void gemm(matrix_view<const std::int8_t> a, matrix_view<const std::int8_t> b,
          matrix_view<std::int32_t> c, const gemm_options &options = {});

} // namespace tenfold

// Matrix multiplication, and sums of such, whose inputs are narrower than the output.
#pragma once

#include <cstdint>

#include <tenfold/gemm.hpp>
#include <tenfold/gemm_batch.hpp>
#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// Computes C = alpha A B + beta C in f32 from bf16 or f16; 2 m n k flops. Rules, checks and errors
/// are those of gemm() for f32: strides may have any sign, C is not read when beta = 0, and A and B
/// are not read when alpha = 0 or k = 0. NaN and infinity propagate as in f32 arithmetic on the
/// widened numbers. The result does not depend on the number of threads. The options conj_a, conj_b
/// and backend are ignored: inputs are real, and only Tenfold has such kernels.
void gemm(matrix_view<const bf16> a, matrix_view<const bf16> b, matrix_view<float> c,
          const gemm_options &options = {}, bf16_sums sums = bf16_sums::automatic);
void gemm(matrix_view<const f16> a, matrix_view<const f16> b, matrix_view<float> c,
          const gemm_options &options = {});

/// Computes C = alpha A B + beta C in integers modulo 2^32: the result is exact unless it overflows
/// 32 bits, and then wraps around as unsigned numbers do. alpha and beta must be 32-bit integers
/// (errc::type_mismatch). An epilogue computes modulo 2^32, too, with vectors, matrices and
/// functions of the caller's of int32, and factors that are such integers (errc::type_mismatch); of
/// the functions there is relu (errc::unsupported). Otherwise as above.
void gemm(matrix_view<const std::int8_t> a, matrix_view<const std::int8_t> b,
          matrix_view<std::int32_t> c, const gemm_options &options = {});
void gemm(matrix_view<const std::uint8_t> a, matrix_view<const std::int8_t> b,
          matrix_view<std::int32_t> c, const gemm_options &options = {});

/// Batch-reduce GEMM: C = alpha sum_i A_i B_i + beta C, in f32 or in integers modulo 2^32 as above;
/// 2 m n k flops for each of the products. Many A_i and B_i are multiplied at once, as one product
/// of a longer k, if k is short. An empty batch gives C = beta C. Checks, errors, threads and
/// epilogue are those of gemm_batch_reduce() for one type and of gemm() above.
void gemm_batch_reduce(const matrix_batch<const bf16> &a, const matrix_batch<const bf16> &b,
                       matrix_view<float> c, const gemm_options &options = {},
                       bf16_sums sums = bf16_sums::automatic);
void gemm_batch_reduce(const matrix_batch<const f16> &a, const matrix_batch<const f16> &b,
                       matrix_view<float> c, const gemm_options &options = {});
void gemm_batch_reduce(const matrix_batch<const std::int8_t> &a,
                       const matrix_batch<const std::int8_t> &b, matrix_view<std::int32_t> c,
                       const gemm_options &options = {});
void gemm_batch_reduce(const matrix_batch<const std::uint8_t> &a,
                       const matrix_batch<const std::int8_t> &b, matrix_view<std::int32_t> c,
                       const gemm_options &options = {});

} // namespace tenfold

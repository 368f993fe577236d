#include "apps/bench/integer_product.hpp"

#include <algorithm>
#include <cmath>

#include "apps/common/generate.hpp"

namespace tenfold::apps_impl {
namespace {

/// The values of A, B and C come from disjoint ranges of counters, whatever their sizes.
constexpr std::uint64_t seed_a = 0;
constexpr std::uint64_t seed_b = std::uint64_t{1} << 48;
constexpr std::uint64_t seed_c = std::uint64_t{2} << 48;

void fill(page_memory &memory, index_t count, std::uint64_t seed) {
    for (index_t i = 0; i < count; ++i)
        memory.data()[i] =
            static_cast<std::byte>(generated_bits(seed + static_cast<std::uint64_t>(i)));
}

/// The initial value of element i of C: any 16 bits.
std::int32_t initial_c(index_t i) noexcept {
    return static_cast<std::int16_t>(generated_bits(seed_c + static_cast<std::uint64_t>(i)));
}

} // namespace

integer_product::integer_product(const extents_t &sizes, page_kind pages, int threads)
    : m_(sizes[0]), k_(sizes[1]), n_(sizes[2]), a_({std::max<index_t>(1, m_ * k_)}, pages, threads),
      b_({std::max<index_t>(1, k_ * n_)}, pages, threads) {
    fill(a_, m_ * k_, seed_a);
    fill(b_, k_ * n_, seed_b);
}

void integer_product::run(std::int32_t *c, const gemm_options &options) const {
    gemm(matrix_view<const std::int8_t>{reinterpret_cast<const std::int8_t *>(a_.data()), m_, k_},
         matrix_view<const std::int8_t>{reinterpret_cast<const std::int8_t *>(b_.data()), k_, n_},
         matrix_view<std::int32_t>{c, m_, n_}, options);
}

void integer_product::reset(std::int32_t *c, bool reads_c) const noexcept {
    for (index_t i = 0; i < m_ * n_; ++i)
        c[i] = reads_c ? initial_c(i) : INT32_MAX;
}

contract_impl::verification integer_product::check(const std::int32_t *c, double beta,
                                                   index_t samples) const {
    contract_impl::verification result;
    const auto *a = reinterpret_cast<const std::int8_t *>(a_.data());
    const auto *b = reinterpret_cast<const std::int8_t *>(b_.data());
    result.elements = std::min(samples, m_ * n_);
    for (index_t sample = 0; sample < result.elements; ++sample) {
        const auto at =
            result.elements == m_ * n_
                ? sample
                : static_cast<index_t>(generated_bits(static_cast<std::uint64_t>(sample)) %
                                       static_cast<std::uint64_t>(m_ * n_));
        std::int64_t sum = 0;
        std::int64_t magnitude = 0;
        for (index_t p = 0; p < k_; ++p) {
            const std::int64_t product = a[at % m_ + p * m_] * b[p + at / m_ * k_];
            sum += product;
            magnitude += std::abs(product);
        }
        if (beta != 0) {
            const std::int64_t old = static_cast<std::int64_t>(beta) * initial_c(at);
            sum += old;
            magnitude += std::abs(old);
        }
        // D is the sum modulo 2^32.
        const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
        const double difference = std::abs(static_cast<double>(c[at]) - wrapped);
        if (difference != 0)
            result.max_relative_error =
                std::max(result.max_relative_error,
                         difference / std::max(1.0, static_cast<double>(magnitude)));
    }
    return result;
}

} // namespace tenfold::apps_impl

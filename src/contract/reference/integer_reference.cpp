// The slow twin of contractions of integers, modulo 2^32.
#include <cstdint>

#include "base/scalars.hpp"
#include "contract/products/position_walker.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::D;

/// The number, with its sign, modulo 2^32.
std::uint32_t element(const void *data, data_type type, index_t i) noexcept {
    if (type == data_type::u8)
        return static_cast<const std::uint8_t *>(data)[i];
    return static_cast<std::uint32_t>(std::int32_t{static_cast<const std::int8_t *>(data)[i]});
}

} // namespace

void integer_contract(const reference_loops &loops, const sources &from, void *d) noexcept {
    const auto &type = loops.problem.type;
    const std::uint32_t alpha = base::integer_factor(from.alpha);
    const std::uint32_t beta = base::integer_factor(from.beta);
    auto *const to = static_cast<std::uint32_t *>(d);
    const auto *const c = static_cast<const std::uint32_t *>(from.c);
    const index_t terms = alpha == 0 ? 0 : einsum_impl::extent_of(loops.summed);
    const auto sum_at = [&](const offsets &at) {
        std::uint32_t sum = 0;
        if (terms == 0) // there is no first position
            return sum;
        position_walker summed(loops.summed, 0);
        for (index_t p = 0; p < terms; ++p, summed.step()) {
            const std::uint32_t x = element(from.a, type[A], at[A] + summed.at()[A]);
            sum += loops.problem.unary ? x : x * element(from.b, type[B], at[B] + summed.at()[B]);
        }
        return sum;
    };
    position_walker free(loops.free, 0);
    for (index_t i = einsum_impl::extent_of(loops.free); i > 0; --i, free.step()) {
        const offsets &at = free.at();
        to[at[D]] = alpha * sum_at(at) + (beta == 0 ? 0 : beta * c[at[C]]);
    }
}

} // namespace tenfold::contract_impl

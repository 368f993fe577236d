// The slow twin of contractions of integers, modulo 2^32.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "base/scalars.hpp"
#include "contract/products/position_walker.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::D;

class integer_elements {
public:
    integer_elements(const reference_loops &loops, const sources &from) noexcept
        : loops_(loops), from_(from), alpha_(base::integer_factor(from.alpha)),
          beta_(base::integer_factor(from.beta)),
          terms_(alpha_ == 0 ? 0 : einsum_impl::extent_of(loops.summed)) {}

    /// The element of D at this position.
    std::uint32_t at(const offsets &position) const noexcept {
        const auto *const c = static_cast<const std::uint32_t *>(from_.c);
        return alpha_ * sum_at(position) + (beta_ == 0 ? 0 : beta_ * c[position[C]]);
    }

private:
    std::uint32_t sum_at(const offsets &at) const noexcept {
        const auto &type = loops_.problem.type;
        std::uint32_t sum = 0;
        if (terms_ == 0) // there is no first position
            return sum;
        position_walker summed(loops_.summed, 0);
        for (index_t p = 0; p < terms_; ++p, summed.step()) {
            const std::uint32_t x = integer_element(from_.a, type[A], at[A] + summed.at()[A]);
            sum += loops_.problem.unary
                       ? x
                       : x * integer_element(from_.b, type[B], at[B] + summed.at()[B]);
        }
        return sum;
    }

    const reference_loops &loops_;
    const sources &from_;
    std::uint32_t alpha_, beta_;
    index_t terms_;
};

} // namespace

std::uint32_t integer_element(const void *data, data_type type, index_t i) noexcept {
    if (type == data_type::i32)
        return static_cast<const std::uint32_t *>(data)[i];
    if (type == data_type::u8)
        return static_cast<const std::uint8_t *>(data)[i];
    return static_cast<std::uint32_t>(std::int32_t{static_cast<const std::int8_t *>(data)[i]});
}

void integer_contract(const reference_loops &loops, const sources &from, void *d) noexcept {
    const integer_elements elements(loops, from);
    auto *const to = static_cast<std::uint32_t *>(d);
    position_walker free(loops.free, 0);
    for (index_t i = einsum_impl::extent_of(loops.free); i > 0; --i, free.step())
        to[free.at()[D]] = elements.at(free.at());
}

verification verify_integers(const reference_loops &loops, const sources &from, const void *d,
                             index_t samples, std::uint64_t seed) {
    const integer_elements elements(loops, from);
    const auto *const found = static_cast<const std::uint32_t *>(d);
    const index_t size = einsum_impl::extent_of(loops.free);
    verification result;
    result.elements = std::min(samples, size);
    std::mt19937_64 engine(seed);
    std::uniform_int_distribution<index_t> any(0, std::max<index_t>(size - 1, 0));
    for (index_t i = 0; i < result.elements; ++i) {
        const offsets at = position_walker(loops.free, samples >= size ? i : any(engine)).at();
        if (found[at[D]] != elements.at(at))
            result.max_relative_error = std::numeric_limits<double>::infinity();
    }
    return result;
}

} // namespace tenfold::contract_impl

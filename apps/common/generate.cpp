#include "apps/common/generate.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/scalars.hpp"
#include "base/with_any_type.hpp"

namespace tenfold::apps_impl {
namespace {

/// SplitMix64 (Steele, Lea and Flood 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// Multiples of 2^-52 in [-1, 1): they use all bits of a double, so that rounding shows.
double unit_value(std::uint64_t seed, std::uint64_t counter) noexcept {
    const auto bits = static_cast<std::int64_t>(mix(seed + counter) >> 11);
    return static_cast<double>(bits - (std::int64_t{1} << 52)) * 0x1p-52;
}

template <class T> T value_at(std::uint64_t seed, index_t position) noexcept {
    const auto counter = static_cast<std::uint64_t>(position);
    if constexpr (is_complex(data_type_of<T>)) {
        using real = typename T::value_type;
        return T(static_cast<real>(unit_value(seed, 2 * counter)),
                 static_cast<real>(unit_value(seed, 2 * counter + 1)));
    } else if constexpr (element_traits<T>::is_integer) {
        return static_cast<T>(mix(seed + counter) >> (64 - 8 * sizeof(T)));
    } else {
        return base::scalar_cast<T>(unit_value(seed, counter));
    }
}

template <class T> scalar widen(T value) {
    return static_cast<typename element_traits<T>::output>(value);
}

} // namespace

std::uint64_t tensor_of_input(const contraction_spec &spec, std::size_t input) {
    const std::vector<std::string> &names = spec.operand_names;
    if (names.empty())
        return input;
    const auto first = std::find(names.begin(), names.end(), names[input]);
    return static_cast<std::uint64_t>(first - names.begin());
}

scalar generated_value(data_type type, std::uint64_t tensor, index_t position) noexcept {
    return base::with_any_type(
        type, [&]<class T>(T) { return widen(value_at<T>(mix(tensor), position)); });
}

void generate(data_type type, std::uint64_t tensor, index_t first, index_t count, void *data,
              int threads) noexcept {
    base::with_any_type(type, [&]<class T>(T) {
        auto *elements = static_cast<T *>(data);
        const std::uint64_t seed = mix(tensor);
        base::run_parallel(threads, [&](base::team_member member) {
            const base::range part = base::split(count, member.size(), member.id(), 4096);
            for (index_t i = part.begin; i < part.end; ++i)
                elements[i] = value_at<T>(seed, first + i);
        });
    });
}

std::uint64_t generated_bits(std::uint64_t counter) noexcept { return mix(counter); }

template <class T> void fill_block(std::uint64_t tensor, const extents_t &whole,
                                   const extents_t &offsets, tensor_view<T> block) {
    if (block.shape().empty())
        return;
    const layout positions(whole);
    const layout part = positions.block(offsets, block.shape().extents());
    const index_t origin = positions.offset_of(offsets);
    const std::uint64_t seed = mix(tensor);
    // Visits all positions of the block like an odometer; mode 0 turns fastest.
    extents_t at(offsets.size(), 0);
    for (index_t count = block.size(); count > 0; --count) {
        block.data()[block.shape().offset_of(at)] = value_at<T>(seed, origin + part.offset_of(at));
        for (std::size_t mode = 0; mode < at.size(); ++mode) {
            if (++at[mode] < block.shape().extents()[mode])
                break;
            at[mode] = 0;
        }
    }
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void fill_block(std::uint64_t, const extents_t &, const extents_t &, tensor_view<T>);
TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_INSTANTIATE)
TENFOLD_FOR_INTEGER_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

host_array generated_array(data_type type, std::uint64_t tensor, const extents_t &extents,
                           int threads) {
    host_array array(type, layout(extents));
    generate(type, tensor, 0, array.shape().size(), array.data(), threads);
    return array;
}

} // namespace tenfold::apps_impl

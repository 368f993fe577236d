#include "reproducible/finish.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <tenfold/error.hpp>

#include "base/parallel.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::reproducible_impl {
namespace {

/// Calls use(extents, position) for the parts of a box that threads share, cut along its longest
/// mode; the part begins at `position` of that mode.
template <class Use> void share(numbers extents, int threads, const Use &use) noexcept {
    constexpr index_t worth_a_thread = 1 << 15;
    index_t size = 1;
    for (const index_t extent : extents)
        size *= extent;
    const auto team = static_cast<int>(std::clamp<index_t>(size / worth_a_thread, 1, threads));
    const auto longest = static_cast<std::size_t>(std::max_element(extents.begin(), extents.end()) -
                                                  extents.begin());
    base::run_parallel(team, [&](base::team_member me) {
        if (me.size() == 1)
            return use(extents, longest, 0);
        std::array<index_t, 2 * einsum_impl::max_modes> own;
        std::copy(extents.begin(), extents.end(), own.begin());
        const base::range mine = base::split(extents[longest], me.size(), me.id());
        own[longest] = mine.size();
        use(numbers(own).first(extents.size()), longest, mine.begin);
    });
}

} // namespace

template <class T> void finish(numbers extents, T alpha, const T *sum, numbers strides, T beta,
                               T *d, numbers strides_of_d, int threads) noexcept {
    share(extents, threads, [&](numbers own, std::size_t mode, index_t from) {
        tensor_impl::combine_box(own, alpha, from == 0 ? sum : sum + from * strides[mode], strides,
                                 beta, from == 0 ? d : d + from * strides_of_d[mode], strides_of_d);
    });
}

template <class T>
void scale(numbers extents, T beta, T *d, numbers strides_of_d, int threads) noexcept {
    share(extents, threads, [&](numbers own, std::size_t mode, index_t from) {
        tensor_impl::scale_box(own, beta, from == 0 ? d : d + from * strides_of_d[mode],
                               strides_of_d);
    });
}

void check_choices(algorithm requested, backend back) {
    if (back != backend::native)
        throw error(errc::unsupported, "reproducible: the back end '" + std::string(name(back)) +
                                           "' makes no such promise; use 'native'");
    if (requested != algorithm::automatic && requested != algorithm::leaves)
        throw error(errc::unsupported, "reproducible: there is one algorithm, and '" +
                                           std::string(name(requested)) +
                                           "' is not it; leave it automatic");
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void finish(numbers, T, const T *, numbers, T, T *, numbers, int) noexcept;           \
    template void scale(numbers, T, T *, numbers, int) noexcept;
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::reproducible_impl

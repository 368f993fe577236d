#include "reproducible/finish.hpp"

#include <string>

#include <tenfold/error.hpp>

#include "reproducible/shares.hpp"

namespace tenfold::reproducible_impl {
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

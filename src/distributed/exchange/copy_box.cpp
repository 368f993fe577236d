#include "distributed/exchange/copy_box.hpp"

#include <new>
#include <numeric>
#include <type_traits>
#include <vector>

#include <tenfold/dist_types.hpp>
#include <tenfold/transpose.hpp>

#include "base/scalars.hpp"
#include "base/sum_types.hpp"
#include "reproducible/shares.hpp"
#include "tensor/boxes.hpp"

namespace tenfold::dist_impl {
namespace {

using reproducible_impl::numbers;
using reproducible_impl::share;

template <class T> struct strided_box {
    T *elements;
    const extents_t &strides;
};

/// Computes to = from + beta to for large boxes. False: it has to be computed otherwise.
template <class T> bool transposed(const extents_t &extents, const strided_box<const T> &from,
                                   double beta, const strided_box<T> &to, int threads) {
    // Plain loops copy so much in some times the two microseconds that a plan takes.
    constexpr double worth_a_plan = 64 << 10; // bytes
    double bytes = sizeof(T);
    for (const index_t extent : extents)
        bytes *= static_cast<double>(extent);
    if (bytes < worth_a_plan)
        return false;
    try {
        std::vector<int> identity(extents.size());
        std::iota(identity.begin(), identity.end(), 0);
        transpose_options options;
        options.threads = threads;
        options.bypass_caches = false;
        constexpr data_type type = data_type_of<T>;
        const transpose_plan plan(identity, type, layout(extents, from.strides), type,
                                  layout(extents, to.strides), false, options);
        const status done = plan.execute(1.0, from.elements, beta, to.elements);
        // Plain loops copy what a stop left, but would add some of it twice.
        return done.ok() || (done.code() == errc::stopped && beta != 0.0);
    } catch (const std::bad_alloc &) { // plain loops need no memory
        return false;
    }
}

/// The element at `begin` of one mode. Scalars have no modes, and begin at 0.
template <class T>
T *element_at(T *elements, const extents_t &strides, std::size_t mode, index_t begin) {
    return begin == 0 ? elements : elements + begin * strides[mode];
}

} // namespace

template <class T> void copy_box(const extents_t &extents, const T *from,
                                 const extents_t &from_strides, T *to, const extents_t &to_strides,
                                 int threads) {
    if (!transposed<T>(extents, {from, from_strides}, 0.0, {to, to_strides}, threads))
        tensor_impl::copy_box<T>(extents, from, from_strides, to, to_strides);
}

template <class T> void update_box(const extents_t &extents, const T *from,
                                   const extents_t &from_strides, T beta, T *to,
                                   const extents_t &to_strides, int threads) {
    if (beta == T(0))
        return copy_box(extents, from, from_strides, to, to_strides, threads);
    combine_box(extents, T(1), from, from_strides, beta, to, to_strides, threads);
}

template <class T> void combine_box(const extents_t &extents, T alpha, const T *from,
                                    const extents_t &from_strides, T beta, T *to,
                                    const extents_t &to_strides, int threads) {
    // Without products there is one rounding, whichever loop adds.
    if constexpr (std::is_floating_point_v<T>)
        if (alpha == T(1) && beta == T(1) &&
            transposed<T>(extents, {from, from_strides}, 1.0, {to, to_strides}, threads))
            return;
    share(extents, threads, [&](numbers part, std::size_t mode, index_t begin) {
        tensor_impl::combine_box<T>(part, alpha, element_at(from, from_strides, mode, begin),
                                    from_strides, beta, element_at(to, to_strides, mode, begin),
                                    to_strides);
    });
}

template <class T>
void scale_box(const extents_t &extents, T beta, T *to, const extents_t &to_strides, int threads) {
    share(extents, threads, [&](numbers part, std::size_t mode, index_t begin) {
        tensor_impl::scale_box<T>(part, beta, element_at(to, to_strides, mode, begin), to_strides);
    });
}

namespace {

/// Whether numbers of type T are rounded to elements of S.
template <class S, class T> constexpr bool is_shorter =
    !element_traits<T>::is_integer &&
    element_traits<S>::is_complex == element_traits<T>::is_complex && sizeof(S) < sizeof(T);

template <class S, class T> void round_as(const rounded_box<T> &box, T beta) {
    const auto round_one = [&](index_t at) {
        S &to = static_cast<S *>(box.to)[at];
        T value = box.from == nullptr ? T(0) : box.from[at];
        if (beta != T(0)) {
            const auto before = static_cast<typename element_traits<S>::output>(to);
            const T kept = beta * static_cast<T>(before);
            value += kept;
        }
        to = base::round_once<S>(value);
    };
    const std::size_t order = box.extents.size();
    const index_t rows = order == 0 ? 1 : box.extents[0];
    const index_t stride = order == 0 ? 0 : box.strides[0];
    extents_t position(order, 0);
    index_t at = 0;
    for (std::size_t mode = 0; mode < order || order == 0;) {
        for (index_t i = 0; i < rows; ++i)
            round_one(at + i * stride);
        for (mode = 1; mode < order; ++mode) {
            at += box.strides[mode];
            if (++position[mode] < box.extents[mode])
                break;
            at -= box.strides[mode] * box.extents[mode];
            position[mode] = 0;
        }
        if (mode >= order)
            return;
    }
}

} // namespace

template <class T> void round_box(const rounded_box<T> &box, T beta) {
    for (const index_t extent : box.extents)
        if (extent == 0)
            return;
    base::with_type(box.type, [&]<class S>(S) {
        if constexpr (is_shorter<S, T>)
            round_as<S>(box, beta);
    });
}

extents_t dense_strides(const extents_t &extents) { return layout(extents).strides(); }

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy_box(const extents_t &, const T *, const extents_t &, T *,                   \
                           const extents_t &, int);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE
#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void update_box(const extents_t &, const T *, const extents_t &, T, T *,              \
                             const extents_t &, int);                                              \
    template void combine_box(const extents_t &, T, const T *, const extents_t &, T, T *,          \
                              const extents_t &, int);                                             \
    template void scale_box(const extents_t &, T, T *, const extents_t &, int);                    \
    template void round_box(const rounded_box<T> &, T);
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

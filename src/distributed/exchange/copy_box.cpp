#include "distributed/exchange/copy_box.hpp"

#include "tensor/boxes.hpp"

namespace tenfold::dist_impl {

template <class T> void copy_box(const extents_t &extents, const T *from,
                                 const extents_t &from_strides, T *to,
                                 const extents_t &to_strides) {
    tensor_impl::copy_box<T>(extents, from, from_strides, to, to_strides);
}

template <class T> void update_box(const extents_t &extents, const T *from,
                                   const extents_t &from_strides, T beta, T *to,
                                   const extents_t &to_strides) {
    tensor_impl::update_box<T>(extents, from, from_strides, beta, to, to_strides);
}

template <class T> void combine_box(const extents_t &extents, T alpha, const T *from,
                                    const extents_t &from_strides, T beta, T *to,
                                    const extents_t &to_strides) {
    tensor_impl::combine_box<T>(extents, alpha, from, from_strides, beta, to, to_strides);
}

template <class T>
void scale_box(const extents_t &extents, T beta, T *to, const extents_t &to_strides) {
    tensor_impl::scale_box<T>(extents, beta, to, to_strides);
}

extents_t dense_strides(const extents_t &extents) { return layout(extents).strides(); }

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy_box(const extents_t &, const T *, const extents_t &, T *,                   \
                           const extents_t &);                                                     \
    template void update_box(const extents_t &, const T *, const extents_t &, T, T *,              \
                             const extents_t &);                                                   \
    template void combine_box(const extents_t &, T, const T *, const extents_t &, T, T *,          \
                              const extents_t &);                                                  \
    template void scale_box(const extents_t &, T, T *, const extents_t &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl

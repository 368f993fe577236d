// Numbers and tensors that TBLIS's programs fill in by function.
#include "tenfold-compat/tblis/tblis.h"

namespace tblis {
namespace {

/// Everything else of a tensor.
struct view {
    unsigned ndim;
    len_type *len;
    void *data;
    stride_type *stride;
};

template <class T> void init(tblis_tensor *t, T factor, const view &elements) {
    t->scalar = tblis_scalar(factor);
    t->type = t->scalar.type;
    t->conj = 0;
    t->data = elements.data;
    t->ndim = elements.ndim;
    t->len = elements.len;
    t->stride = elements.stride;
}

} // namespace

#define TENFOLD_DEFINE_INIT(letter, T)                                                             \
    void tblis_init_scalar_##letter(tblis_scalar *s, T value) { *s = tblis_scalar(value); }        \
    void tblis_init_tensor_scaled_##letter(tblis_tensor *t, T scalar, unsigned ndim,               \
                                           len_type *len, T *data, stride_type *stride) {          \
        init(t, scalar, {ndim, len, data, stride});                                                \
    }                                                                                              \
    void tblis_init_tensor_##letter(tblis_tensor *t, unsigned ndim, len_type *len, T *data,        \
                                    stride_type *stride) {                                         \
        init(t, T(1), {ndim, len, data, stride});                                                  \
    }
TENFOLD_DEFINE_INIT(s, float)
TENFOLD_DEFINE_INIT(d, double)
TENFOLD_DEFINE_INIT(c, scomplex)
TENFOLD_DEFINE_INIT(z, dcomplex)
#undef TENFOLD_DEFINE_INIT

} // namespace tblis

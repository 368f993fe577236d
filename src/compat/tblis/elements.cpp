// tblis_tensor_set, tblis_tensor_scale and tblis_tensor_shift: A = addend + factor op(A).
#include <tenfold/tenfold.hpp>

#include <algorithm>
#include <array>

#include "compat/tblis/operands.hpp"
#include "compat/tblis/threads.hpp"
#include "compat/tblis/walk.hpp"

namespace tenfold::tblis_impl {
namespace {

using tblis::label_type;
using tblis::tblis_tensor;

/// A = addend + factor op(A); A is not read if the factor is 0. contract() could repeat a number by
/// strides of 0, but moves of those take several times as long as these loops.
template <class T>
void shift(const tblis_tensor &tensor, const labelled_modes &modes, T addend, T factor) {
    T *const data = static_cast<T *>(tensor.data);
    const bool conjugate = conjugates(tensor, data_type_of<T>);
    walk(modes, [&](index_t offset, index_t count, index_t stride) {
        T *const run = data + offset;
        if (factor == T(0) && stride == 1)
            std::fill_n(run, count, addend);
        else if (factor == T(0))
            for (index_t i = 0; i < count; ++i)
                run[i * stride] = addend;
        else if (conjugate)
            for (index_t i = 0; i < count; ++i)
                run[i * stride] = addend + factor * conjugate_of(run[i * stride]);
        else
            for (index_t i = 0; i < count; ++i)
                run[i * stride] = addend + factor * run[i * stride];
    });
}

/// The same for a tensor of any type. reads: its factor counts; else it is taken for 0.
void shift(const tblis_comm *comm, tblis_tensor &tensor, const label_type *labels,
           const tblis::tblis_scalar &addend, bool reads) {
    thread_local call_spec spec({"A"});
    spec.start();
    const labelled_modes modes = spec.output(tensor, labels);
    check_walked(tensor, modes, spec.get());
    static_cast<void>(threads_of(comm)); // refuses what it refuses elsewhere
    with_type(tensor.type, [&]<class T>(T) {
        shift(tensor, modes, addend.get<T>(), reads ? tensor.alpha<T>() : T(0));
    });
    reset_factor(tensor);
}

/// One contraction: 0 times something, and factor op(A).
void scale(const tblis_comm *comm, tblis_tensor &tensor, const label_type *labels) {
    thread_local call_spec spec({"0", "A"});
    spec.start();
    labelled_modes written = spec.output(tensor, labels), repeated = spec.no_modes(0);
    repeated.repeat_along(written);
    const std::array inputs{input(data_type_for(tensor.type), nullptr, repeated.take_layout())};
    contract_into(tensor, as_output(tensor, written), spec.get(), inputs,
                  {.alpha = 0, .beta = factor_of(tensor), .threads = threads_of(comm)});
    reset_factor(tensor);
}

} // namespace
} // namespace tenfold::tblis_impl

namespace tblis {

using namespace tenfold::tblis_impl;

void tblis_tensor_set(const tblis_comm *comm, const tblis_config *, const tblis_scalar *alpha,
                      tblis_tensor *A, const label_type *idx_A) {
    shift(comm, *A, idx_A, *alpha, false);
}

void tblis_tensor_scale(const tblis_comm *comm, const tblis_config *, tblis_tensor *A,
                        const label_type *idx_A) {
    scale(comm, *A, idx_A);
}

void tblis_tensor_shift(const tblis_comm *comm, const tblis_config *, const tblis_scalar *alpha,
                        tblis_tensor *A, const label_type *idx_A) {
    shift(comm, *A, idx_A, *alpha, true);
}

} // namespace tblis

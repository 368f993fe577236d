// tblis_tensor_mult, tblis_tensor_add and tblis_tensor_dot: each is one contraction.
#include <tenfold/tenfold.hpp>

#include <algorithm>
#include <array>

#include "compat/tblis/operands.hpp"
#include "compat/tblis/quick_product.hpp"
#include "compat/tblis/threads.hpp"

namespace tenfold::tblis_impl {
namespace {

using tblis::label_type;
using tblis::tblis_tensor;

/// The same elements in the same places, each mode once. contract() refuses outputs that overlap
/// inputs; a transposition may scale in place.
bool is_in_place(const tblis_tensor &a, const labelled_modes &modes_a, const tblis_tensor &b,
                 const labelled_modes &modes_b) {
    const auto &labels = *modes_a.labels;
    if (a.data != b.data || a.type != b.type || labels != *modes_b.labels ||
        modes_a.extents != modes_b.extents || modes_a.strides != modes_b.strides)
        return false;
    for (auto label = labels.begin(); label != labels.end(); ++label)
        if (std::find(label + 1, labels.end(), *label) != labels.end())
            return false;
    return !conjugates(b, data_type_for(b.type));
}

void add_in_place(const tblis_tensor &a, const tblis_tensor &b, const layout &shape, int threads) {
    std::vector<int> identity;
    for (int mode = 0; mode < shape.order(); ++mode)
        identity.push_back(mode);
    const data_type type = data_type_for(a.type);
    transpose_plan(identity, type, shape, type, shape, conjugates(a, type), {.threads = threads})
        .execute(factor_of(a), a.data, factor_of(b), b.data)
        .throw_if_failed();
}

} // namespace
} // namespace tenfold::tblis_impl

namespace tblis {

using namespace tenfold::tblis_impl;

void tblis_tensor_mult(const tblis_comm *comm, const tblis_config *, const tblis_tensor *A,
                       const label_type *idx_A, const tblis_tensor *B, const label_type *idx_B,
                       tblis_tensor *C, const label_type *idx_C) {
    if (multiply_quickly(comm, *A, idx_A, *B, idx_B, *C, idx_C))
        return reset_factor(*C);
    check_type(*A, *B, "B");
    check_type(*A, *C, "C");
    thread_local call_spec spec({"A", "B", "C"});
    spec.start();
    labelled_modes a = spec.input(0, *A, idx_A), b = spec.input(1, *B, idx_B);
    labelled_modes c = spec.output(*C, idx_C);
    const std::array inputs{as_input(*A, a), as_input(*B, b)};
    contract_into(
        *C, as_output(*C, c), spec.get(), inputs,
        {.alpha = product_of_factors(*A, *B), .beta = factor_of(*C), .threads = threads_of(comm)});
    reset_factor(*C);
}

void tblis_tensor_add(const tblis_comm *comm, const tblis_config *, const tblis_tensor *A,
                      const label_type *idx_A, tblis_tensor *B, const label_type *idx_B) {
    check_type(*A, *B, "B");
    thread_local call_spec spec({"A", "B"});
    spec.start();
    labelled_modes a = spec.input(0, *A, idx_A), b = spec.output(*B, idx_B);
    const int threads = threads_of(comm);
    if (is_in_place(*A, a, *B, b)) {
        add_in_place(*A, *B, a.take_layout(), threads);
    } else {
        a.repeat_along(b);
        const std::array inputs{as_input(*A, a)};
        contract_into(*B, as_output(*B, b), spec.get(), inputs,
                      {.alpha = factor_of(*A), .beta = factor_of(*B), .threads = threads});
    }
    reset_factor(*B);
}

void tblis_tensor_dot(const tblis_comm *comm, const tblis_config *, const tblis_tensor *A,
                      const label_type *idx_A, const tblis_tensor *B, const label_type *idx_B,
                      tblis_scalar *result) {
    check_type(*A, *B, "B");
    thread_local call_spec spec({"A", "B", "result"});
    spec.start();
    labelled_modes a = spec.input(0, *A, idx_A), b = spec.input(1, *B, idx_B);
    const std::array inputs{as_input(*A, a), as_input(*B, b)};
    with_type(A->type, [&]<class T>(T) {
        T sum{};
        tenfold::contract(spec.get(), inputs,
                          tenfold::output(tenfold::data_type_of<T>, &sum, tenfold::layout()),
                          {.threads = threads_of(comm)});
        *result = tblis_scalar(A->alpha<T>() * B->alpha<T>() * sum);
    });
}

} // namespace tblis

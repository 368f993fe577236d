// tblis_tensor_reduce: sums are contractions; what compares elements walks them on one thread.
#include <tenfold/tenfold.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "compat/tblis/operands.hpp"
#include "compat/tblis/threads.hpp"
#include "compat/tblis/walk.hpp"

namespace tenfold::tblis_impl {
namespace {

using tblis::len_type;
using tblis::reduce_t;
using tblis::tblis_tensor;

/// What a reduction found, and where.
template <class T> struct found {
    T value;
    len_type index = -1;
};

template <class T> auto real_part(const T &value) {
    if constexpr (element_traits<T>::is_complex)
        return value.real();
    else
        return value;
}

template <class T> using real_of = typename element_traits<T>::real;

template <class T> real_of<T> sum_of_absolutes(const labelled_modes &modes, const T *data) {
    double sum = 0;
    walk(modes, [&](index_t offset, index_t count, index_t stride) {
        for (index_t i = 0; i < count; ++i)
            sum += std::abs(data[offset + i * stride]);
    });
    return static_cast<real_of<T>>(sum);
}

/// The first element whose key is better than that of all before it, and than `start`.
template <class T, class Key, class Better>
found<T> best_of(const labelled_modes &modes, const T *data, T start, Key key, Better better) {
    found<T> best{start};
    auto best_key = real_part(start);
    walk(modes, [&](index_t offset, index_t count, index_t stride) {
        for (index_t i = 0; i < count; ++i) {
            const index_t at = offset + i * stride;
            const T candidate = key(data[at]);
            if (better(real_part(candidate), best_key)) {
                best = {candidate, at};
                best_key = real_part(candidate);
            }
        }
    });
    return best;
}

/// The sum of a, or of a * conj(a), by a contraction.
template <class T>
T contracted_sum(const call_spec &spec, std::span<const input> inputs, int threads) {
    T sum{};
    contract(spec.get(), inputs, output(data_type_of<T>, &sum, layout()), {.threads = threads});
    return sum;
}

template <class T> found<T> reduce_as(reduce_t op, const call_spec &spec, labelled_modes &modes,
                                      const tblis_tensor &tensor, int threads) {
    using limits = std::numeric_limits<real_of<T>>;
    const T *const data = static_cast<const T *>(tensor.data);
    const auto itself = [](const T &value) { return value; };
    const auto absolute = [](const T &value) { return T(std::abs(value)); };
    if (op != tblis::REDUCE_SUM && op != tblis::REDUCE_NORM_2) // contractions check it themselves
        check_walked(tensor, modes, spec.get());
    switch (op) {
    case tblis::REDUCE_SUM: {
        const std::array inputs{input(data_type_of<T>, data, modes.take_layout())};
        return {contracted_sum<T>(spec, inputs, threads)};
    }
    case tblis::REDUCE_NORM_2: {
        const input one(data_type_of<T>, data, modes.take_layout());
        const std::array inputs{one, conj(one)};
        return {T(std::sqrt(real_part(contracted_sum<T>(spec, inputs, threads))))};
    }
    case tblis::REDUCE_SUM_ABS:
        return {T(sum_of_absolutes(modes, data))};
    case tblis::REDUCE_MAX:
        return best_of(modes, data, T(limits::lowest()), itself, std::greater<>());
    case tblis::REDUCE_MAX_ABS:
        return best_of(modes, data, T(0), absolute, std::greater<>());
    case tblis::REDUCE_MIN:
        return best_of(modes, data, T(limits::max()), itself, std::less<>());
    case tblis::REDUCE_MIN_ABS:
        return best_of(modes, data, T(limits::max()), absolute, std::less<>());
    }
    throw error(errc::invalid_argument, "the reduction is " + std::to_string(static_cast<int>(op)) +
                                            "; TBLIS's reductions are 0 to 6");
}

/// Sums take the factor, the sums of absolute values its absolute value.
template <class T> T scaled_result(reduce_t op, const tblis_tensor &tensor, T value) {
    if (tensor.conj != 0)
        value = conjugate_of(value);
    if (op == tblis::REDUCE_SUM)
        return value * tensor.alpha<T>();
    if (op == tblis::REDUCE_SUM_ABS || op == tblis::REDUCE_NORM_2)
        return value * std::abs(tensor.alpha<T>());
    return value;
}

/// What is largest becomes smallest where the factor is below 0.
reduce_t with_sign(reduce_t op, scalar factor) {
    if (factor.real() < 0 && op == tblis::REDUCE_MIN)
        return tblis::REDUCE_MAX;
    if (factor.real() < 0 && op == tblis::REDUCE_MAX)
        return tblis::REDUCE_MIN;
    return op;
}

} // namespace
} // namespace tenfold::tblis_impl

namespace tblis {

using namespace tenfold::tblis_impl;

void tblis_tensor_reduce(const tblis_comm *comm, const tblis_config *, reduce_t op,
                         const tblis_tensor *A, const label_type *idx_A, tblis_scalar *result,
                         len_type *idx) {
    // The sum of squares has two inputs.
    thread_local call_spec sum({"A", "result"}), norm({"A", "A", "result"});
    call_spec &spec = op == REDUCE_NORM_2 ? norm : sum;
    spec.start();
    labelled_modes modes = spec.input(0, *A, idx_A);
    if (op == REDUCE_NORM_2)
        static_cast<void>(spec.input(1, *A, idx_A));
    const int threads = threads_of(comm);
    with_type(A->type, [&]<class T>(T) {
        const auto found = reduce_as<T>(with_sign(op, factor_of(*A)), spec, modes, *A, threads);
        *result = tblis_scalar(scaled_result(op, *A, found.value));
        if (idx != nullptr)
            *idx = found.index;
    });
}

} // namespace tblis

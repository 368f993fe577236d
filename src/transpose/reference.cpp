#include "transpose/reference.hpp"

#include <cstdint>

#include "base/scalars.hpp"
#include "base/with_any_type.hpp"

namespace tenfold::transpose_impl {
namespace {

scalar load(data_type type, const void *data, index_t position) {
    return base::with_any_type(type, [&]<class T>(T) -> scalar {
        using number = typename element_traits<T>::output;
        return static_cast<number>(static_cast<const T *>(data)[position]);
    });
}

void store(data_type type, void *data, index_t position, scalar value) {
    base::with_any_type(type, [&]<class T>(T) {
        if constexpr (element_traits<T>::is_integer) // modulo what T holds; the value is exact
            static_cast<T *>(data)[position] =
                static_cast<T>(static_cast<std::int64_t>(value.real()));
        else
            static_cast<T *>(data)[position] = base::scalar_cast<T>(value);
    });
}

/// factor * x, modulo 2^32 for integers.
scalar product(data_type type, scalar factor, scalar x) {
    if (!is_integer(type))
        return factor * x;
    return static_cast<double>(base::integer_factor(factor) * base::integer_factor(x));
}

} // namespace

void reference_transpose(const transposed_tensors &what, scalar alpha, const void *data_a,
                         scalar beta, void *data_b) {
    const layout &b = what.b;
    if (b.empty())
        return;
    extents_t index(static_cast<std::size_t>(b.order()), 0);
    for (;;) {
        index_t position_a = 0;
        for (std::size_t k = 0; k < index.size(); ++k)
            position_a += index[k] * what.a.stride(what.permutation[k]);
        const index_t position_b = b.offset_of(index);

        scalar value = 0;
        if (alpha != scalar(0.0)) {
            const scalar x = load(what.type_a, data_a, position_a);
            value += product(what.type_b, alpha, base::op(x, what.conjugate));
        }
        if (beta != scalar(0.0))
            value += product(what.type_b, beta, load(what.type_b, data_b, position_b));
        store(what.type_b, data_b, position_b, value);

        std::size_t k = 0;
        while (k < index.size() && ++index[k] == b.extent(static_cast<int>(k)))
            index[k++] = 0;
        if (k == index.size())
            return;
    }
}

} // namespace tenfold::transpose_impl

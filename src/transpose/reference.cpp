#include "transpose/reference.hpp"

namespace tenfold::transpose_impl {
namespace {

scalar load(data_type type, const void *data, index_t position) {
    switch (type) {
    case data_type::f32:
        return static_cast<const float *>(data)[position];
    case data_type::f64:
        return static_cast<const double *>(data)[position];
    case data_type::c32:
        return static_cast<const c32 *>(data)[position];
    case data_type::c64:
        return static_cast<const c64 *>(data)[position];
    case data_type::bf16:
        return static_cast<float>(static_cast<const bf16 *>(data)[position]);
    case data_type::f16:
        return static_cast<float>(static_cast<const f16 *>(data)[position]);
    }
    return 0;
}

void store(data_type type, void *data, index_t position, scalar value) {
    switch (type) {
    case data_type::f32:
        static_cast<float *>(data)[position] = static_cast<float>(value.real());
        break;
    case data_type::f64:
        static_cast<double *>(data)[position] = value.real();
        break;
    case data_type::c32:
        static_cast<c32 *>(data)[position] = c32(value);
        break;
    case data_type::c64:
        static_cast<c64 *>(data)[position] = value;
        break;
    case data_type::bf16:
        static_cast<bf16 *>(data)[position] = bf16(static_cast<float>(value.real()));
        break;
    case data_type::f16:
        static_cast<f16 *>(data)[position] = f16(static_cast<float>(value.real()));
        break;
    }
}

} // namespace

void reference_transpose(std::span<const int> permutation, data_type type_a, const layout &a,
                         data_type type_b, const layout &b, bool conjugate, scalar alpha,
                         const void *data_a, scalar beta, void *data_b) {
    if (b.empty())
        return;
    extents_t index(static_cast<std::size_t>(b.order()), 0);
    for (;;) {
        index_t position_a = 0;
        for (std::size_t k = 0; k < index.size(); ++k)
            position_a += index[k] * a.stride(permutation[k]);
        const index_t position_b = b.offset_of(index);

        scalar value = 0;
        if (alpha != scalar(0.0)) {
            const scalar x = load(type_a, data_a, position_a);
            value += alpha * (conjugate ? std::conj(x) : x);
        }
        if (beta != scalar(0.0))
            value += beta * load(type_b, data_b, position_b);
        store(type_b, data_b, position_b, value);

        std::size_t k = 0;
        while (k < index.size() && ++index[k] == b.extent(static_cast<int>(k)))
            index[k++] = 0;
        if (k == index.size())
            return;
    }
}

} // namespace tenfold::transpose_impl

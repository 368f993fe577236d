#include "describe.hpp"

#include <tenfold/c/types.h>

namespace {

using namespace tenfold::fortran_impl;

std::int32_t type_of(CFI_type_t type) noexcept {
    switch (type) {
    case CFI_type_float:
        return TENFOLD_F32;
    case CFI_type_double:
        return TENFOLD_F64;
    case CFI_type_float_Complex:
        return TENFOLD_C32;
    case CFI_type_double_Complex:
        return TENFOLD_C64;
    case CFI_type_int8_t:
        return TENFOLD_I8;
    case CFI_type_int32_t:
        return TENFOLD_I32;
    default:
        return other_type;
    }
}

} // namespace

void tenfold_fortran_describe(const CFI_cdesc_t *array, described_array *described) {
    described->data = array->base_addr;
    described->type = type_of(array->type);
    described->order = array->rank;
    described->conjugated = 0;
    const auto element = static_cast<std::int64_t>(array->elem_len);
    for (int mode = 0; mode < array->rank; ++mode) {
        const CFI_dim_t &dimension = array->dim[mode];
        described->extents[mode] = dimension.extent;
        if (described->type == other_type)
            continue; // the lengths of such elements may be 0
        if (dimension.extent < 0)
            described->type = assumed_size;
        else if (dimension.sm % element != 0)
            described->type = odd_stride;
        described->strides[mode] = dimension.sm / element;
    }
}

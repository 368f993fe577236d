// What the Fortran modules know of an array.
#pragma once

#include <cstdint>

#include <ISO_Fortran_binding.h>

namespace tenfold::fortran_impl {

/// Why an array cannot be used, in place of its type. fortran/arrays.f90 has the same numbers.
enum fault : std::int32_t {
    other_type = -1,   ///< its elements have a type that Tenfold does not have
    assumed_size = -2, ///< its last extent is unknown
    odd_stride = -3    ///< neighbours are no whole number of elements apart
};

/// fortran/bindings.f90 has the same type.
struct described_array {
    void *data;        ///< of its first element
    std::int32_t type; ///< of tenfold_type, or a fault
    std::int32_t order;
    std::int64_t extents[CFI_MAX_RANK];
    std::int64_t strides[CFI_MAX_RANK]; ///< in elements
    std::int32_t conjugated;
};

} // namespace tenfold::fortran_impl

extern "C" void tenfold_fortran_describe(const CFI_cdesc_t *array,
                                         tenfold::fortran_impl::described_array *described);

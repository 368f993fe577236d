// The element types of distributed tensors.
#pragma once

#include <tenfold/types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// All types of <tenfold/types.hpp>, those of integers included: f32, f64, c32, c64, bf16, f16, i8,
/// u8 and i32.
#define TENFOLD_FOR_DISTRIBUTED_TYPES(apply)                                                       \
    TENFOLD_FOR_ELEMENT_TYPES(apply) TENFOLD_FOR_INTEGER_TYPES(apply)

/// Into<float, double, ...> of all of them.
#define TENFOLD_TYPE(type, name) , type
template <template <class...> class Into> using list_of_distributed_types =
    typename types_impl::list<Into, void TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_TYPE)>::type;
#undef TENFOLD_TYPE

} // namespace tenfold

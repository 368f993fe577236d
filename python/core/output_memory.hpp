// Memory of new results.
#pragma once

#include <span>

#include <tenfold/types.hpp>

#include "numpy_api.hpp"

namespace tenfold::python {

/// glibc's malloc() uses freed blocks again up to this size, the highest value of its threshold for
/// mmap() (mallopt(3)), and maps each larger one anew. Smaller results are left to it: a block that
/// any array had before may still be in the caches.
inline constexpr index_t large_result = (index_t{4} << 20) * index_t{sizeof(long)};

/// A new array, as PyArray_New() makes it. A large one begins at a huge page, and its memory is
/// used again for the next one of its size once it is freed: the system clears each page that it
/// gives, which takes longer than to write a result there. Throws py::error_already_set.
py::object new_array(std::span<const npy_intp> shape, int numpy_number,
                     const npy_intp *strides = nullptr, int flags = 0);

void define_output_memory(py::module_ &module);

} // namespace tenfold::python

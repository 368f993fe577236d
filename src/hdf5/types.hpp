// Element types, in memory and in files.
#pragma once

#include <optional>

#include <tenfold/types.hpp>

#include "hdf5/handles.hpp"

namespace tenfold::hdf5_impl {

/// The machine's own. Not valid where HDF5 has no memory.
handle native_type(data_type type);

/// Returns the element type of a file's type; nothing for other integers than i8, u8 and i32, for
/// strings and so on.
std::optional<data_type> element_type(hid_t stored);

} // namespace tenfold::hdf5_impl

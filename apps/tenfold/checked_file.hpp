// Reads files of tensors from end to end and reports what they hold or what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "apps/tenfold/array_file.hpp"

namespace tenfold::apps_impl {

enum class file_format : std::uint8_t { npy, hdf5, checkpoint };
/// Returns "npy", "hdf5" or "checkpoint".
const char *name(file_format format) noexcept;

/// Recognises the format by the first bytes. Throws errc::io for a file that cannot be read or has
/// none of these formats.
file_format format_of(const std::string &file);

struct checked_tensor {
    std::string name;    ///< empty in .npy files
    std::string element; ///< "float64", "f64"; empty for a dataset of an unsupported type
    std::vector<index_t> extents;
    bool fortran_order; ///< true: mode 0 is the fastest
    index_t bytes;
};

/// Reads the whole file: headers, every element, and the checksums of checkpoints. If `name` has a
/// dataset of an HDF5 file, reads only that dataset. Needs a few MiB of memory. Throws
/// tenfold::error with what is wrong.
std::vector<checked_tensor> check_file(const array_name &name);

/// The same for a checkpoint. Throws in a build without the distributed part.
std::vector<checked_tensor> check_checkpoint(const std::string &file);

} // namespace tenfold::apps_impl

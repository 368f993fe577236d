// Files of tensors, read from end to end to find out what they hold or what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "apps/tenfold/array_file.hpp"

namespace tenfold::apps_impl {

enum class file_format : std::uint8_t { npy, hdf5, checkpoint };
/// "npy", "hdf5", "checkpoint".
const char *name(file_format format) noexcept;

/// By the first bytes. Throws errc::io for a file that cannot be read or is none of these.
file_format format_of(const std::string &file);

struct checked_tensor {
    std::string name;    ///< empty in .npy files
    std::string element; ///< "float64", "f64"; empty for a dataset of a type that is not read
    std::vector<index_t> extents;
    bool fortran_order; ///< mode 0 is the fastest
    index_t bytes;
};

/// Reads all of it: headers, every element, and the checksums of checkpoints. Holds a few MiB of it
/// at a time. Of an HDF5 file only the dataset, where one is named. Throws tenfold::error with what
/// is wrong.
std::vector<checked_tensor> check_file(const array_name &name);

/// The same of a checkpoint; a build without the distributed part refuses.
std::vector<checked_tensor> check_checkpoint(const std::string &file);

} // namespace tenfold::apps_impl

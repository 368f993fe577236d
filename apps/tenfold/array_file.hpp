// Arrays in files, as the command line names them: FILE.npy, FILE.h5:DATASET, or - for an .npy file
// on standard input.
#pragma once

#include <string>

#include "apps/common/host_array.hpp"

namespace tenfold::apps_impl {

struct array_name {
    std::string file;
    std::string dataset; ///< of an HDF5 file; empty: the file is .npy

    bool is_hdf5() const noexcept { return !dataset.empty(); }
    bool is_standard_input() const noexcept { return file == "-"; }
};

/// HDF5 files end in .h5 or .hdf5. Throws usage_error for one without a dataset.
array_name parse_array_name(const std::string &text);

/// The same without that: an HDF5 file may be meant as a whole.
array_name parse_file_name(const std::string &text);

/// What is known of an array without reading it.
struct array_header {
    data_type type;      ///< f64 for integers and booleans
    bool adapts;         ///< to any type that holds its values: integers, booleans, float16
    std::string element; ///< what the file calls its type
    bool fortran_order;  ///< never in HDF5 files
    extents_t shape;

    layout order() const { return fortran_order ? layout(shape) : layout::row_major(shape); }
};

/// All four throw usage_error as parse_array_name() does, and tenfold::error.
array_header read_array_header(const std::string &name);
/// The whole array in the file's order: mode i is axis i. `type` is that of its header, or any
/// other where it adapts; errc::io for a value that this type does not hold.
host_array read_array(const std::string &name, data_type type);
/// Now, if the array could not be written later.
void check_array_writable(const std::string &name);
/// Writes a dense array, row-major where the file is HDF5. Other objects of an HDF5 file stay.
void write_array(const std::string &name, const host_array &array);

} // namespace tenfold::apps_impl

// Arrays in files, as the command line names them: FILE.npy, FILE.h5:DATASET, or - for an .npy file
// on standard input.
#pragma once

#include <string>

#include "apps/common/host_array.hpp"

namespace tenfold::apps_impl {

struct array_name {
    std::string file;
    std::string dataset; ///< in an HDF5 file; empty: the file is .npy

    bool is_hdf5() const noexcept { return !dataset.empty(); }
    bool is_standard_input() const noexcept { return file == "-"; }
};

/// Parses the name of an array. Throws usage_error for an HDF5 file (.h5, .hdf5) without a dataset.
array_name parse_array_name(const std::string &text);

/// Parses the name of a file; an HDF5 file needs no dataset here and then stands for the whole
/// file.
array_name parse_file_name(const std::string &text);

/// The header of an array, which is read without its elements.
struct array_header {
    data_type type;      ///< f64 for integers and booleans
    bool adapts;         ///< can become any type that holds its values: integers, booleans,
                         ///< float16, which becomes no integers
    std::string element; ///< the type as the file names it
    bool fortran_order;  ///< false for HDF5 files
    extents_t shape;

    layout order() const { return fortran_order ? layout(shape) : layout::row_major(shape); }
};

/// The four functions below throw usage_error as parse_array_name() does, and tenfold::error.
array_header read_array_header(const std::string &name);
/// Reads the whole array in the file's order: mode i is axis i. `type` is that of the header, or
/// any other type if the array adapts. Throws errc::io for a value that `type` cannot hold.
host_array read_array(const std::string &name, data_type type);
/// Throws now if write_array() could not write an array later.
void check_array_writable(const std::string &name);
/// Writes a dense array, row-major where the file is HDF5. Other objects of an HDF5 file stay.
void write_array(const std::string &name, const host_array &array);

} // namespace tenfold::apps_impl

// Writes and reads HDF5 files as other programs do: by the HDF5 library, on one rank, whole.
#pragma once

#include <hdf5.h>

#include "mpi/files.hpp"

namespace tenfold::testing {

/// Properties of a dataset that Tenfold reads but never writes.
struct foreign_layout {
    bool big_endian = false;
    bool imaginary_first = false;
    bool compressed = false; ///< in chunks
};

template <class T> hid_t foreign_type(const foreign_layout &how) {
    constexpr data_type type = data_type_of<T>;
    constexpr bool single = type == data_type::f32 || type == data_type::c32;
    const hid_t part = single ? (how.big_endian ? H5T_IEEE_F32BE : H5T_IEEE_F32LE)
                              : (how.big_endian ? H5T_IEEE_F64BE : H5T_IEEE_F64LE);
    if (!is_complex(type))
        return H5Tcopy(part);
    const hid_t compound = H5Tcreate(H5T_COMPOUND, sizeof(T));
    H5Tinsert(compound, how.imaginary_first ? "i" : "r", 0, part);
    H5Tinsert(compound, how.imaginary_first ? "r" : "i", sizeof(T) / 2, part);
    return compound;
}

inline hid_t space_of(const extents_t &extents) {
    const std::vector<hsize_t> counts(extents.begin(), extents.end());
    return counts.empty()
               ? H5Screate(H5S_SCALAR)
               : H5Screate_simple(static_cast<int>(counts.size()), counts.data(), nullptr);
}

/// Returns value_at(.., salt) for all elements, row-major.
template <class T> std::vector<T> row_major_values(const extents_t &extents, int salt) {
    const layout shape = layout::row_major(extents);
    std::vector<T> values(static_cast<std::size_t>(shape.size()));
    for_each_position(extents_t(extents.size(), 0), extents, [&](const extents_t &position) {
        values[static_cast<std::size_t>(shape.offset_of(position))] = value_at<T>(position, salt);
    });
    return values;
}

/// Adds a dataset with value_at(.., salt) to an open file.
template <class T> void write_theirs(hid_t file, const std::string &dataset,
                                     const extents_t &extents, int salt,
                                     const foreign_layout &how = {}) {
    const hid_t memory = foreign_type<T>({}), stored = foreign_type<T>(how);
    const hid_t space = space_of(extents);
    const hid_t groups = H5Pcreate(H5P_LINK_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(groups, 1);
    const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
    if (how.compressed && !extents.empty() && !empty) {
        std::vector<hsize_t> chunk;
        for (const index_t extent : extents)
            chunk.push_back(static_cast<hsize_t>(extent + 1) / 2);
        H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
        H5Pset_deflate(creation, 4);
    }
    const hid_t there =
        H5Dcreate2(file, dataset.c_str(), stored, space, groups, creation, H5P_DEFAULT);
    ASSERT_GE(there, 0);
    const std::vector<T> values = row_major_values<T>(extents, salt);
    ASSERT_GE(H5Dwrite(there, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(there);
    for (const hid_t properties : {groups, creation})
        H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(memory);
    H5Tclose(stored);
}

/// Returns whether a dataset has this type and shape and holds value_at(.., salt).
template <class T> bool reads_back(const std::string &file, const std::string &dataset,
                                   const extents_t &extents, int salt) {
    const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t there = H5Dopen2(opened, dataset.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(there), stored = H5Dget_type(there);
    const hid_t expected_space = space_of(extents), memory = foreign_type<T>({});
    const std::vector<T> expected = row_major_values<T>(extents, salt);
    std::vector<T> found(expected.size(), T(99));
    const bool same = H5Sextent_equal(space, expected_space) > 0 && H5Tequal(stored, memory) > 0 &&
                      H5Dread(there, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) >= 0 &&
                      found == expected;
    for (const hid_t one : {space, expected_space})
        H5Sclose(one);
    for (const hid_t one : {stored, memory})
        H5Tclose(one);
    H5Dclose(there);
    H5Fclose(opened);
    return same;
}

/// Makes a new file and calls `fill` with it.
template <class Fill> void make_theirs(const std::string &file, const Fill &fill) {
    const hid_t opened = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(opened, 0);
    fill(opened);
    EXPECT_GE(H5Fclose(opened), 0);
}

} // namespace tenfold::testing

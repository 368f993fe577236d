# Finds HDF5's C library without MPI and defines HDF5C::HDF5C. CMake's own FindHDF5 needs compiler
# wrappers, and C as a language of the project.
find_path(HDF5C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5C_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5C_INCLUDE_DIR HDF5C_LIBRARY)

# H5Pset_file_locking was added in 1.10.7 and 1.12.1.
set(HDF5C_LOCKING "")
if(HDF5C_INCLUDE_DIR)
  file(STRINGS ${HDF5C_INCLUDE_DIR}/H5Ppublic.h HDF5C_LOCKING REGEX "H5Pset_file_locking\\(hid_t" LIMIT_COUNT 1)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5C REQUIRED_VARS HDF5C_LIBRARY HDF5C_INCLUDE_DIR HDF5C_LOCKING)

if(HDF5C_FOUND AND NOT TARGET HDF5C::HDF5C)
  add_library(HDF5C::HDF5C UNKNOWN IMPORTED)
  set_target_properties(HDF5C::HDF5C PROPERTIES
    IMPORTED_LOCATION ${HDF5C_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${HDF5C_INCLUDE_DIR}
    INTERFACE_INCLUDE_DIRECTORIES ${HDF5C_INCLUDE_DIR})
endif()

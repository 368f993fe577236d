#include "hdf5/handles.hpp"

#include <tenfold/error.hpp>

#include "hdf5/hdf5_file.hpp"

namespace tenfold::hdf5_impl {
namespace {

/// HDF5 walks upward, so the innermost record comes first.
herr_t take_first(unsigned number, const H5E_error2_t *record, void *reason) {
    if (number == 0 && record->desc != nullptr)
        *static_cast<std::string *>(reason) = record->desc;
    return 0;
}

} // namespace

void require_hdf5() {}

void fail(const std::string &shown, const std::string &problem) {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
    throw error(errc::io,
                "'" + shown + "': " + problem + (reason.empty() ? "" : " (HDF5: " + reason + ")"));
}

handle open_file(const std::string &shown, const std::string &path) {
    if (H5Fis_hdf5(path.c_str()) == 0)
        throw error(errc::io, "'" + shown + "': is not an HDF5 file");
    const std::string problem = "cannot be read";
    const handle access = require({H5Pcreate(H5P_FILE_ACCESS), H5Pclose}, shown, problem);
    // A program that writes the file with HDF5 holds a lock on it; some file systems have no locks.
    H5Pset_file_locking(access.get(), true, true);
    return require({H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose}, shown, problem);
}

} // namespace tenfold::hdf5_impl

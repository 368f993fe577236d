// A file as it would be after HDF5 changed it. The changes stay in memory; they are small, because
// HDF5 is not asked to write elements. HDF5 must never see a full disk: the library (1.10, 1.12)
// cannot close a file that it fails to write, and crashes when the program ends.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

#include "hdf5/handles.hpp"

namespace tenfold::hdf5_impl {

class overlay {
public:
    /// Lies over the file at `path`, which is not changed, or over nothing if there is none. Throws
    /// errc::io if it cannot be read, is not a regular file, or another program writes it with
    /// HDF5.
    overlay(std::string shown, const std::string &path);
    ~overlay();
    overlay(const overlay &) = delete;
    overlay &operator=(const overlay &) = delete;

    /// Opens it for changes, as a new HDF5 file if it is empty. Throws errc::io if it is not an
    /// HDF5 file. The handle must not outlive this object.
    handle open();
    /// Returns the size in bytes, once HDF5 has closed the file.
    index_t size() const noexcept { return end_; }

    struct range {
        index_t begin, end;
    };
    /// Passes on the changed file, except for the ranges, which the caller overwrites. Pieces come
    /// in any order; for each byte the last one counts.
    void
    write(std::vector<range> but_for,
          const std::function<void(index_t offset, const void *data, index_t size)> &put) const;

private:
    struct driver;
    using page = std::vector<char>;

    void read(index_t offset, char *data, index_t size) const;
    void change(index_t offset, const char *data, index_t size);
    /// Reads from the file below, with zeros after its end.
    void read_below(index_t offset, char *data, index_t size) const;

    std::string shown_;
    int below_ = -1;
    index_t size_below_ = 0;
    index_t end_ = 0;     ///< of what is allocated in the file
    index_t written_ = 0; ///< of what was written to the file
    std::map<index_t, page> changed_;
    handle driver_;
};

} // namespace tenfold::hdf5_impl

// A file as it would be after HDF5 changed it: what is written stays in memory. HDF5 changes little
// beside elements, which it is not asked to write. It must not meet a full disk: the library (1.10,
// 1.12) cannot close a file that it fails to write, and crashes when the program ends.
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
    /// Over the file at `path`, which is not changed, or over nothing where there is none. Throws
    /// errc::io for one that cannot be read, is no file, or that another program writes by HDF5.
    overlay(std::string shown, const std::string &path);
    ~overlay();
    overlay(const overlay &) = delete;
    overlay &operator=(const overlay &) = delete;

    /// Opens it for changes, as a new HDF5 file if it is empty. Throws errc::io where it is none.
    /// The handle must not outlive this.
    handle open();
    /// Bytes, once HDF5 has closed it.
    index_t size() const noexcept { return end_; }

    struct range {
        index_t begin, end;
    };
    /// Passes the changed file on, but for the ranges, which whoever calls overwrites: pieces in
    /// any order, the last one for a byte being the one that counts.
    void
    write(std::vector<range> but_for,
          const std::function<void(index_t offset, const void *data, index_t size)> &put) const;

private:
    struct driver;
    using page = std::vector<char>;

    void read(index_t offset, char *data, index_t size) const;
    void change(index_t offset, const char *data, index_t size);
    /// Of the file below, with zeros after its end.
    void read_below(index_t offset, char *data, index_t size) const;

    std::string shown_;
    int below_ = -1;
    index_t size_below_ = 0;
    index_t end_ = 0;     ///< of what is allocated in the file
    index_t written_ = 0; ///< end of what the file was written up to
    std::map<index_t, page> changed_;
    handle driver_;
};

} // namespace tenfold::hdf5_impl

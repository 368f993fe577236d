// Files that all ranks of a communicator read or write together. The ranks are taken to share a
// file system that shows all of them the same files under the same names, and that keeps what
// several of them write to different places of a file: a node's own, Lustre, GPFS, NFS. Where rank
// 0's file is not the others', that is found out and an error.
#pragma once

#include <functional>
#include <string>

#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// An open file, closed with it. Its functions throw errc::io with a message that names the file.
class file_handle {
public:
    explicit file_handle(std::string name) : name_(std::move(name)) {}
    ~file_handle();
    file_handle(const file_handle &) = delete;
    file_handle &operator=(const file_handle &) = delete;

    const std::string &name() const noexcept { return name_; }
    bool is_open() const noexcept { return descriptor_ >= 0; }
    int descriptor() const noexcept { return descriptor_; }

    /// Of `path`, with open()'s flags; false, with errno, where that fails.
    bool try_open(const std::string &path, int flags) noexcept;
    void open(const std::string &path, int flags);
    void read(index_t offset, void *data, index_t size) const;
    void write(index_t offset, const void *data, index_t size) const;
    /// Makes what was written survive a loss of power.
    void synchronise() const;
    /// Tells what closing finds, as network file systems do when the disk is full.
    void close();
    [[noreturn]] void fail(const std::string &problem) const;
    /// The problem and why: errno.
    [[noreturn]] void fail_for(const std::string &problem) const;

private:
    std::string name_;
    int descriptor_ = -1;
};

/// A file that exists and is read.
class shared_input {
public:
    explicit shared_input(const std::string &path) : file_(path) {}

    /// Collective. Opens the file on all ranks and returns its header, as rank 0 sees it:
    /// `size_of_header` tells its size by the file's first `prefix` bytes (or all, where it has
    /// fewer), and throws where these are wrong.
    std::string
    open(communicator &comm, const std::string &operation, index_t prefix,
         const std::function<index_t(const std::string &start, index_t file_size)> &size_of_header);

    index_t size() const noexcept { return size_; }
    const file_handle &file() const noexcept { return file_; }

private:
    void open_here();
    std::string start(index_t size) const;

    file_handle file_;
    index_t size_ = 0;
};

/// A file that comes into being, or is replaced, at once: the ranks write FILE.saving, which takes
/// FILE's name when it is complete and on the disk. Whenever the program ends, FILE is what it was
/// or what it was to become. What a killed program leaves is removed by whoever saves FILE next.
class shared_output {
public:
    /// FILE; where it is a link, what that leads to.
    explicit shared_output(const std::string &path);
    /// Removes FILE.saving unless it became FILE.
    ~shared_output();

    /// Collective. Reserves `size` bytes, at least 32: a disk that is too full is noticed here.
    void create(communicator &comm, const std::string &operation, index_t size);
    void write(index_t offset, const void *data, index_t size) const {
        file_.write(offset, data, size);
    }
    /// Collective, when all has been written but the header, whose first bytes serve to tell
    /// whether all ranks write the same file until now.
    void commit(communicator &comm, const std::string &operation, const std::string &header);

    /// Sixteen bytes that are different for every file, the same on all ranks; after create().
    const std::string &id() const noexcept { return id_; }

private:
    void create_here(index_t size);
    bool try_create();
    void reserve(index_t size) const;
    void rename_here();

    std::string final_;
    std::string temporary_;
    file_handle file_;
    std::string id_;
    bool is_ours_ = false; ///< this rank made the temporary file and has to remove it
};

} // namespace tenfold::dist_impl

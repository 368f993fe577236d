// Files that all ranks of a communicator read or write together. The ranks must share a file system
// that shows all of them the same files under the same names and keeps what several ranks write to
// different parts of a file: a node's own, Lustre, GPFS, NFS. If ranks see different files, an
// error says so.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/function_ref.hpp"
#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// An open file; the destructor closes it. Functions throw errc::io with a message that names the
/// file.
class file_handle {
public:
    explicit file_handle(std::string name) : name_(std::move(name)) {}
    ~file_handle();
    file_handle(const file_handle &) = delete;
    file_handle &operator=(const file_handle &) = delete;

    const std::string &name() const noexcept { return name_; }
    bool is_open() const noexcept { return descriptor_ >= 0; }
    int descriptor() const noexcept { return descriptor_; }

    /// Opens `path` with open()'s flags; returns false and leaves errno if that fails.
    bool try_open(const std::string &path, int flags) noexcept;
    void open(const std::string &path, int flags);
    void read(index_t offset, void *data, index_t size) const;
    void write(index_t offset, const void *data, index_t size) const;
    /// Makes what was written survive a loss of power.
    void synchronise() const;
    /// Reports errors that appear at closing, for example when the disk of a network file system is
    /// full.
    void close();
    [[noreturn]] void fail(const std::string &problem) const;
    /// Throws with the problem and the text of errno.
    [[noreturn]] void fail_for(const std::string &problem) const;

private:
    std::string name_;
    int descriptor_ = -1;
};

/// A file that exists and is read. One on each rank, made where the ranks agree on the call.
class shared_input {
public:
    explicit shared_input(const std::string &path) : file_(path) {}

    /// Collective. Opens the file on all ranks and returns its header, as rank 0 reads it.
    /// `size_of_header` returns the header's size, given the first `prefix` bytes of the file (all
    /// bytes if the file is shorter), and throws if these are wrong.
    std::string
    open(communicator &comm, const char *operation, index_t prefix,
         base::function_ref<index_t(const std::string &start, index_t file_size)> size_of_header);

    index_t size() const noexcept { return size_; }
    const file_handle &file() const noexcept { return file_; }

private:
    void open_here();
    std::string start(index_t size) const;

    file_handle file_;
    index_t size_ = 0;
};

/// A file that is created or replaced atomically: the ranks write FILE.saving, which is renamed to
/// FILE once it is complete and on the disk. Whenever the program ends, FILE has either its old
/// content or its new one. If a program is killed, the next save of FILE removes what it left. One
/// on each rank, made where the ranks agree on the call.
class shared_output {
public:
    /// Saves to `path`; if that is a link, to its target.
    explicit shared_output(const std::string &path);
    /// Removes FILE.saving unless it became FILE.
    ~shared_output();

    /// Collective. Reserves `size` bytes, at least 32; throws if the disk has too little space.
    void create(communicator &comm, const char *operation, index_t size);
    void write(index_t offset, const void *data, index_t size) const {
        file_.write(offset, data, size);
    }
    /// Collective. Writes the header that `header()` returns on rank 0 and renames the file;
    /// everything else must have been written. Until now the first bytes of the file served to
    /// check that all ranks write the same file.
    void commit(communicator &comm, const char *operation,
                base::function_ref<std::string()> header);

    /// Returns sixteen bytes that are unique to the file and equal on all ranks; valid after
    /// create().
    std::string_view id() const noexcept { return {id_.data(), id_.size()}; }

private:
    void create_here(index_t size);
    bool try_create();
    void reserve(index_t size) const;
    void rename_here();

    std::string final_;
    std::string temporary_;
    file_handle file_;
    static constexpr index_t id_size = 16;
    std::array<char, id_size> id_{};
    bool is_ours_ = false; ///< this rank made the temporary file and has to remove it
};

} // namespace tenfold::dist_impl

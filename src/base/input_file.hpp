// Files that are read: what may be one is decided here. Opening never waits, and what is no regular
// file is refused: a pipe would be waited for, a device might have no end.
#pragma once

#include <string>

#include <sys/stat.h>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// What keeps something from being read or replaced as a file, for messages: "is a directory", "is
/// not a regular file"; null for a regular file.
const char *why_no_file(const struct stat &about) noexcept;

/// A regular file that is open for reading. Throws errc::io with a message that names the file.
class input_file {
public:
    explicit input_file(std::string path);
    ~input_file();
    input_file(const input_file &) = delete;
    input_file &operator=(const input_file &) = delete;

    const std::string &name() const noexcept { return name_; }
    int descriptor() const noexcept { return descriptor_; }
    /// Bytes, when it was opened.
    index_t size() const noexcept { return size_; }

    /// Up to `size` bytes from `offset` on; fewer at the end of the file only.
    index_t read_some(index_t offset, void *data, index_t size) const;
    /// All of them; that the file ends earlier is an error.
    void read(index_t offset, void *data, index_t size) const;
    /// The first `most` bytes, or all.
    std::string start(index_t most) const;

    [[noreturn]] void fail(const std::string &problem) const;

private:
    std::string name_;
    int descriptor_ = -1;
    index_t size_ = 0;
};

} // namespace tenfold::base

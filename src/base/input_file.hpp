// Input files. Only regular files are accepted and opening never blocks: reading a pipe might wait
// forever, and a device might have no end.
#pragma once

#include <string>

#include <sys/stat.h>

#include <tenfold/types.hpp>

namespace tenfold::base {

/// Says why something cannot be read or replaced as a file, for messages: "is a directory", "is not
/// a regular file"; null for a regular file.
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
    /// Size in bytes at the time of opening.
    index_t size() const noexcept { return size_; }

    /// Reads up to `size` bytes at `offset`; returns fewer only at the end of the file.
    index_t read_some(index_t offset, void *data, index_t size) const;
    /// Reads exactly `size` bytes; throws if the file ends earlier.
    void read(index_t offset, void *data, index_t size) const;
    /// Returns the first `most` bytes, or the whole file if it is shorter.
    std::string start(index_t most) const;

    [[noreturn]] void fail(const std::string &problem) const;

private:
    std::string name_;
    int descriptor_ = -1;
    index_t size_ = 0;
};

} // namespace tenfold::base

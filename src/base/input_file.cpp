#include "base/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <tenfold/error.hpp>

namespace tenfold::base {

static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

const char *why_no_file(const struct stat &about) noexcept {
    if (S_ISDIR(about.st_mode))
        return "is a directory";
    return S_ISREG(about.st_mode) ? nullptr : "is not a regular file";
}

input_file::input_file(std::string path) : name_(std::move(path)) {
    do
        descriptor_ = ::open(name_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    while (descriptor_ < 0 && errno == EINTR);
    // ENXIO is the error for a socket, which cannot be opened.
    if (descriptor_ < 0)
        fail(errno == ENXIO ? "is not a regular file"
                            : std::string("cannot be opened: ") + std::strerror(errno));
    struct stat about {};
    const bool known = fstat(descriptor_, &about) == 0;
    const std::string problem = !known ? std::string("cannot be read: ") + std::strerror(errno)
                                : why_no_file(about) != nullptr ? why_no_file(about)
                                                                : "";
    if (!problem.empty()) {
        close(descriptor_);
        fail(problem);
    }
    size_ = about.st_size;
}

input_file::~input_file() { close(descriptor_); }

void input_file::fail(const std::string &problem) const {
    throw error(errc::io, "'" + name_ + "': " + problem);
}

index_t input_file::read_some(index_t offset, void *data, index_t size) const {
    index_t done = 0;
    while (done < size) {
        const ssize_t now = pread(descriptor_, static_cast<char *>(data) + done,
                                  static_cast<std::size_t>(size - done), offset + done);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            fail(std::string("cannot be read: ") + std::strerror(errno));
        if (now == 0)
            break;
        done += now;
    }
    return done;
}

void input_file::read(index_t offset, void *data, index_t size) const {
    if (read_some(offset, data, size) < size)
        fail("became shorter while it was read");
}

std::string input_file::start(index_t most) const {
    std::string bytes(static_cast<std::size_t>(std::min(most, size_)), '\0');
    read(0, bytes.data(), static_cast<index_t>(bytes.size()));
    return bytes;
}

} // namespace tenfold::base

#include "apps/server/confined_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenfold/error.hpp>

#include "apps/server/refusal.hpp"

namespace tenfold::server {
namespace {

constexpr std::size_t most_parts = 32;
constexpr std::size_t most_bytes = 255; ///< of a part
constexpr std::string_view suffixes[] = {".npy", ".h5", ".hdf5"};

bool has_suffix(std::string_view name) {
    return std::any_of(std::begin(suffixes), std::end(suffixes), [&](std::string_view suffix) {
        return name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
    });
}

bool is_plain(std::string_view part) {
    return !part.empty() && part.front() != '.' && part.size() <= most_bytes &&
           std::all_of(part.begin(), part.end(), [](char letter) {
               return static_cast<unsigned char>(letter) >= 32 && letter != 127;
           });
}

} // namespace

std::vector<std::string> parse_file_path(std::string_view text) {
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t end = text.find('/');
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    if (parts.size() > most_parts || !std::all_of(parts.begin(), parts.end(), is_plain) ||
        !has_suffix(parts.back()))
        throw wrong_request(
            "file: expected a path below the server's --root whose names do not begin "
            "with '.', such as results/T2.npy, or an HDF5 file's: results/ccsd.h5");
    return parts;
}

bool is_hdf5(const std::vector<std::string> &parts) {
    return parts.back().substr(parts.back().size() - suffixes[0].size()) != suffixes[0];
}

void confined_file::reject(const std::string &problem) const {
    throw error(errc::io, "'" + name_ + "': " + problem);
}

confined_file::confined_file(const std::string &folder, const std::vector<std::string> &parts)
    : path_(folder), last_(parts.back()) {
    for (const std::string &part : parts) {
        path_ += "/" + part;
        name_ += (name_.empty() ? "" : "/") + part;
    }
    parent_ = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (std::size_t i = 0; parent_ >= 0 && i + 1 < parts.size(); ++i) {
        const int next =
            openat(parent_, parts[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int cause = errno;
        close(parent_);
        parent_ = next;
        errno = cause;
    }
    if (parent_ < 0)
        reject(errno == ENOENT ? "there is no such folder" : "its folder cannot be used");
    struct stat found {};
    is_there_ = fstatat(parent_, last_.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there_ ? !S_ISREG(found.st_mode) : errno != ENOENT) {
        close(parent_);
        reject("it is no regular file");
    }
}

confined_file::~confined_file() { close(parent_); }

confined_file::content confined_file::read(std::size_t most) const {
    // A file may have become a pipe meanwhile, which would not answer.
    const int file = openat(parent_, last_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat found {};
    content result{std::string(most, '\0'), 0};
    ssize_t size = -1;
    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode))
        size = pread(file, result.start.data(), most, 0);
    if (file >= 0)
        close(file);
    if (size < 0)
        reject("it cannot be read");
    result.start.resize(static_cast<std::size_t>(size));
    result.size = found.st_size;
    return result;
}

} // namespace tenfold::server

#include "apps/common/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include <tenfold/error.hpp>

namespace tenfold::apps_impl {

void reject(const std::string &path, const std::string &problem) {
    throw error(errc::io, "'" + path + "': " + problem);
}

void check_writable(const std::string &path) {
    const std::filesystem::path file(path);
    std::error_code problem;
    if (std::filesystem::exists(file, problem)) {
        if (std::filesystem::is_directory(file, problem))
            reject(path, "is a directory");
        if (access(path.c_str(), W_OK) != 0)
            reject(path, std::string("cannot be written: ") + std::strerror(errno));
        return;
    }
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (access(folder.c_str(), W_OK) != 0)
        reject(path, std::string("cannot be created: ") + std::strerror(errno));
}

} // namespace tenfold::apps_impl

#include "apps/server/connection_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace tenfold::server {
namespace {

[[noreturn]] void reject(const std::string &path) {
    throw std::runtime_error("cannot write '" + path + "': " + std::strerror(errno));
}

} // namespace

connection_file::connection_file(std::string path, const nlohmann::json &content)
    : path_(std::move(path)), text_(content.dump(2) + "\n") {
    const std::string beside = path_ + "." + std::to_string(getpid());
    unlink(beside.c_str());
    const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        reject(beside);
    const auto written = write(file, text_.data(), text_.size());
    if (close(file) != 0 || written != static_cast<ssize_t>(text_.size()) ||
        std::rename(beside.c_str(), path_.c_str()) != 0) {
        const int cause = errno;
        unlink(beside.c_str());
        errno = cause;
        reject(path_);
    }
}

connection_file::~connection_file() {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream now;
    now << file.rdbuf();
    if (file && now.str() == text_)
        unlink(path_.c_str());
}

} // namespace tenfold::server

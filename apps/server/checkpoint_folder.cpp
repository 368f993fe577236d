#include "apps/server/checkpoint_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenfold::server {
namespace {

class descriptor {
public:
    explicit descriptor(int number) noexcept : number_(number) {}
    ~descriptor() {
        if (number_ >= 0)
            close(number_);
    }
    descriptor(const descriptor &) = delete;
    descriptor &operator=(const descriptor &) = delete;
    int number() const noexcept { return number_; }

private:
    int number_;
};

/// "12.tensor", and "12.tensor.saving" of a server that was killed.
bool is_tensor_file(std::string_view name) {
    const auto begins_behind = std::find_if_not(
        name.begin(), name.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
    const std::string_view rest =
        name.substr(static_cast<std::size_t>(begins_behind - name.begin()));
    return rest.size() < name.size() && (rest == ".tensor" || rest == ".tensor.saving");
}

/// The signal that ends the server comes while it saves, and must not keep it from that: file
/// systems of a network give up calls for it.
template <class Call> auto uninterrupted(const Call &call) {
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

} // namespace

void checkpoint_folder::reject(const std::string &name) const {
    throw std::runtime_error("'" + path_ + (name.empty() ? "" : "/" + name) +
                             "': " + std::strerror(errno));
}

checkpoint_folder::checkpoint_folder(const std::string &path) : path_(path) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        reject("");
    folder_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<char, decltype(&std::free)> whole(realpath(path.c_str(), nullptr),
                                                            &std::free);
    if (folder_ < 0 || !whole) {
        if (folder_ >= 0)
            close(folder_);
        reject("");
    }
    path_ = whole.get();
    lock_ = openat(folder_, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const int cause = errno;
        close(folder_);
        if (lock_ >= 0)
            close(lock_);
        errno = cause;
        if (cause == EWOULDBLOCK)
            throw std::runtime_error("'" + path_ + "': another server uses this checkpoint");
        reject("lock");
    }
}

checkpoint_folder::~checkpoint_folder() {
    close(lock_);
    close(folder_);
}

std::uint64_t checkpoint_folder::count_start() const {
    const std::string text = read("starts").value_or("0");
    std::uint64_t before = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), before);
    const std::string rest(end, text.data() + text.size());
    if (failure != std::errc() || (rest != "" && rest != "\n"))
        throw std::runtime_error("'" + path_ + "/starts' is no number");
    write("starts", std::to_string(before + 1) + "\n");
    return before;
}

std::optional<std::string> checkpoint_folder::read_manifest() const {
    return read("manifest.json");
}

void checkpoint_folder::write_manifest(const std::string &text) const {
    write("manifest.json", text);
}

std::optional<std::string> checkpoint_folder::read(const std::string &name) const {
    const descriptor file(openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.number() < 0 && errno == ENOENT)
        return std::nullopt;
    if (file.number() < 0)
        reject(name);
    std::string text;
    std::vector<char> piece(1 << 16);
    for (;;) {
        const ssize_t size =
            uninterrupted([&] { return ::read(file.number(), piece.data(), piece.size()); });
        if (size < 0)
            reject(name);
        if (size == 0)
            return text;
        text.append(piece.data(), static_cast<std::size_t>(size));
    }
}

void checkpoint_folder::write(const std::string &name, const std::string &text) const {
    const std::string beside = name + ".saving";
    {
        const descriptor file(openat(folder_, beside.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (file.number() < 0)
            reject(beside);
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t size = uninterrupted(
                [&] { return ::write(file.number(), text.data() + done, text.size() - done); });
            if (size < 0)
                reject(beside);
            done += static_cast<std::size_t>(size);
        }
        if (uninterrupted([&] { return fsync(file.number()); }) != 0)
            reject(beside);
    }
    if (renameat(folder_, beside.c_str(), folder_, name.c_str()) != 0 ||
        uninterrupted([&] { return fsync(folder_); }) != 0)
        reject(name);
}

void checkpoint_folder::remove_others(const std::set<std::string> &files) const noexcept {
    const int again = openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct closer {
        void operator()(DIR *list) const noexcept { closedir(list); }
    };
    const std::unique_ptr<DIR, closer> list(again < 0 ? nullptr : fdopendir(again));
    if (!list)
        return;
    std::vector<std::string> old;
    while (const dirent *entry = readdir(list.get()))
        if (is_tensor_file(entry->d_name) && files.count(entry->d_name) == 0)
            old.emplace_back(entry->d_name);
    for (const std::string &one : old)
        unlinkat(folder_, one.c_str(), 0);
}

} // namespace tenfold::server

#include "base/kept_file.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenfold::base {
namespace {

using nlohmann::json;
namespace filesystem = std::filesystem;

/// Enough for some hundred thousand entries; a larger file is not one of ours.
constexpr std::streamoff largest_file = std::streamoff{64} << 20;
/// Our files have five levels. Deep nesting takes many times the text's size in memory, and one
/// stack frame per level when it is written.
constexpr int most_levels = 32;

kept_file broken(const std::string &fault) { return {{}, fault, false}; }
kept_file stale(const std::string &fault) { return {{}, fault, true}; }

/// Shows the file's text only if it looks like a version.
std::string version_text(const std::string &version) {
    const bool plain =
        version.size() <= 32 &&
        version.find_first_not_of("0123456789.abcdefghijklmnopqrstuvwxyz-+") == std::string::npos;
    return plain ? "Tenfold " + version : "another version of Tenfold";
}

/// Returns a discarded value if the text is not JSON.
json parse(const std::string &text) {
    bool too_deep = false;
    json content = json::parse(
        text,
        [&too_deep](int level, json::parse_event_t, json &) {
            too_deep = too_deep || level > most_levels;
            return !too_deep;
        },
        /*allow_exceptions=*/false);
    return too_deep ? json(json::value_t::discarded) : std::move(content);
}

/// The target of a link.
filesystem::path target_of(const std::string &file) {
    std::error_code failed;
    const filesystem::path target = filesystem::weakly_canonical(file, failed);
    return failed ? filesystem::path(file) : target;
}

std::mutex &changing() {
    static std::mutex mutex;
    return mutex;
}

/// False if the file was replaced meanwhile. The opened file then has no name, and its lock
/// excludes nobody.
bool is_still(const std::string &file, int descriptor) {
    struct stat opened {
    }, named{};
    return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string replace(const filesystem::path &file, const std::string &text) {
    static std::atomic<unsigned> count = 0;
    std::string temporary;
    std::FILE *stream = nullptr;
    for (int attempt = 0; stream == nullptr; ++attempt) {
        temporary =
            file.string() + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".tmp";
        stream = std::fopen(temporary.c_str(), "wx");
        // The name may be left from a dead process with our id, or belong to a process on another
        // machine.
        if (stream == nullptr && (errno != EEXIST || attempt == 100))
            return std::strerror(errno);
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
                         std::fflush(stream) == 0 && fsync(fileno(stream)) == 0;
    const int why = errno;
    const bool closed = std::fclose(stream) == 0;
    if (written && closed && std::rename(temporary.c_str(), file.c_str()) == 0)
        return {};
    const std::string reason = std::strerror(written ? errno : why);
    std::remove(temporary.c_str());
    return reason;
}

} // namespace

const json *member(const json &object, const char *name) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

bool says(const json *value, const std::string &text) {
    return value != nullptr && value->is_string() && value->get_ref<const std::string &>() == text;
}

kept_file not_of_kind(const std::string &what) {
    return broken("it is damaged, or no " + what + " file");
}

kept_file read_kept_file(const std::string &file, const std::string &version,
                         const std::string &what) {
    std::error_code failed;
    const filesystem::file_status status = filesystem::status(file, failed);
    if (status.type() == filesystem::file_type::not_found)
        return {};
    if (status.type() == filesystem::file_type::none)
        return broken(failed.message());
    if (status.type() != filesystem::file_type::regular)
        return broken("it is not a regular file"); // reading a pipe would block
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream)
        return broken(std::strerror(errno));
    // Takes the size from the open stream, because the name may refer to another file by now.
    const std::streamoff size = stream.tellg();
    if (size == 0)
        return {};
    if (size < 0 || size > largest_file)
        return broken("it is larger than any " + what);
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.seekg(0);
    stream.read(text.data(), size);
    text.resize(static_cast<std::size_t>(stream.gcount()));

    json content = parse(text);
    const json *its_version = member(content, "tenfold");
    if (its_version == nullptr || !its_version->is_string())
        return not_of_kind(what);
    if (!says(its_version, version))
        return stale("it is of " + version_text(its_version->get<std::string>()) + ", this is " +
                     version);
    return {std::move(content), {}, true};
}

kept_file_lock::kept_file_lock(const std::string &file) : threads_(changing()) {
    using clock = std::chrono::steady_clock;
    const std::string target = target_of(file).string();
    const clock::time_point deadline = clock::now() + patience;
    while (true) {
        // O_NONBLOCK: do not wait for another process to open the other end of a pipe.
        descriptor_ = open(target.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (descriptor_ < 0)
            return;
        const bool locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
        if (locked && is_still(target, descriptor_))
            return;
        const bool taken = locked || errno == EWOULDBLOCK;
        close(descriptor_);
        descriptor_ = -1;
        if (!taken || clock::now() > deadline)
            return;
        if (!locked)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

kept_file_lock::~kept_file_lock() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

std::string replace_kept_file(const std::string &file, const json &content) {
    return replace(target_of(file),
                   content.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

} // namespace tenfold::base

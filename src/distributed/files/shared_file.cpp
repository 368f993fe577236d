#include "distributed/files/shared_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenfold/error.hpp>

#include "base/input_file.hpp"

namespace tenfold::dist_impl {
namespace {

static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

/// Returns true if the path still leads to the file that was opened by it.
bool is_still(const std::string &path, int descriptor) noexcept {
    struct stat opened {
    }, named{};
    return fstat(descriptor, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string target_of(const std::string &path) {
    std::error_code failed;
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
    return failed ? path : target.string();
}

std::string folder_of(const std::string &path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

enum class lock_result { taken, held_by_another, impossible };
lock_result lock(const file_handle &file) noexcept {
    if (flock(file.descriptor(), LOCK_EX | LOCK_NB) == 0)
        return lock_result::taken;
    return errno == EWOULDBLOCK ? lock_result::held_by_another : lock_result::impossible;
}

void draw_id(std::span<char> id) {
    std::random_device source;
    for (char &one : id)
        one = static_cast<char>(source() & 0xff);
}

} // namespace

// --- file_handle

file_handle::~file_handle() {
    if (is_open())
        ::close(descriptor_);
}

void file_handle::fail(const std::string &problem) const {
    throw error(errc::io, "'" + name_ + "': " + problem);
}

void file_handle::fail_for(const std::string &problem) const {
    fail(problem + ": " + std::strerror(errno));
}

bool file_handle::try_open(const std::string &path, int flags) noexcept {
    do
        descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor_ < 0 && errno == EINTR);
    return is_open();
}

void file_handle::open(const std::string &path, int flags) {
    if (!try_open(path, flags))
        fail_for("cannot be opened");
}

void file_handle::read(index_t offset, void *data, index_t size) const {
    for (char *next = static_cast<char *>(data); size > 0;) {
        const ssize_t done = pread(descriptor_, next, static_cast<std::size_t>(size), offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            fail_for("cannot be read");
        if (done == 0)
            fail("became shorter while it was read");
        next += done;
        offset += done;
        size -= done;
    }
}

void file_handle::write(index_t offset, const void *data, index_t size) const {
    for (const char *next = static_cast<const char *>(data); size > 0;) {
        const ssize_t done = pwrite(descriptor_, next, static_cast<std::size_t>(size), offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            fail_for("cannot be written");
        next += done;
        offset += done;
        size -= done;
    }
}

void file_handle::synchronise() const {
    int result = 0;
    do
        result = fsync(descriptor_);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        fail_for("cannot be written");
}

void file_handle::close() {
    const int closed = is_open() ? ::close(descriptor_) : 0;
    descriptor_ = -1;
    if (closed != 0 && errno != EINTR)
        fail_for("cannot be written");
}

// --- shared_input

void shared_input::open_here() {
    // O_NONBLOCK: opening a pipe must not wait until another process opens its other end.
    file_.open(file_.name(), O_RDONLY | O_NONBLOCK);
    struct stat about {};
    if (fstat(file_.descriptor(), &about) != 0)
        file_.fail_for("cannot be read");
    if (const char *problem = base::why_no_file(about))
        file_.fail(problem);
    size_ = about.st_size;
}

std::string shared_input::start(index_t size) const {
    std::string bytes(static_cast<std::size_t>(std::min(size, size_)), '\0');
    file_.read(0, bytes.data(), static_cast<index_t>(bytes.size()));
    return bytes;
}

std::string shared_input::open(
    communicator &comm, const char *operation, index_t prefix,
    base::function_ref<index_t(const std::string &start, index_t file_size)> size_of_header) {
    std::string header;
    index_t sizes[2] = {0, 0};
    collectively(comm, operation, [&] {
        if (comm.rank() != 0)
            return;
        open_here();
        header = start(size_of_header(start(prefix), size_));
        sizes[0] = static_cast<index_t>(header.size());
        sizes[1] = size_;
    });
    comm.broadcast(sizes, sizeof sizes, 0);
    collectively(comm, operation, [&] {
        header.resize(static_cast<std::size_t>(sizes[0]));
        comm.prepare_control(sizes[0]);
    });
    comm.broadcast(header.data(), sizes[0], 0);
    collectively(comm, operation, [&] {
        if (comm.rank() == 0)
            return;
        open_here();
        if (size_ != sizes[1] || start(sizes[0]) != header)
            file_.fail(
                "is not the file that rank 0 reads: it was replaced meanwhile, or ranks have "
                "different working directories or file systems");
    });
    return header;
}

// --- shared_output

shared_output::shared_output(const std::string &path)
    : final_(target_of(path)), temporary_(final_ + ".saving"), file_(path) {}

shared_output::~shared_output() {
    if (is_ours_)
        unlink(temporary_.c_str());
}

void shared_output::create(communicator &comm, const char *operation, index_t size) {
    collectively(comm, operation, [&] {
        if (comm.rank() == 0)
            create_here(size);
    });
    comm.broadcast(id_.data(), id_size, 0);
    collectively(comm, operation, [&] {
        if (comm.rank() == 0)
            return;
        std::array<char, id_size> found{};
        if (!file_.try_open(temporary_, O_RDWR | O_NOFOLLOW) ||
            pread(file_.descriptor(), found.data(), found.size(), id_size) != id_size ||
            found != id_)
            file_.fail("cannot be written together with rank 0, whose file is not seen here: all "
                       "ranks need the same working directory and file system");
    });
}

void shared_output::create_here(index_t size) {
    if (final_.empty())
        file_.fail("is no name of a file");
    struct stat about {};
    const bool exists = stat(final_.c_str(), &about) == 0;
    if (const char *problem = exists ? base::why_no_file(about) : nullptr) // a rename would replace
                                                                           // a device by a file
        file_.fail(problem);
    if (exists && access(final_.c_str(), W_OK) != 0)
        file_.fail_for("cannot be written");
    for (int attempt = 0; !try_create(); ++attempt)
        if (attempt == 100)
            file_.fail("is being saved by another program");
    if (exists)
        static_cast<void>(fchmod(file_.descriptor(), about.st_mode & 07777));
    reserve(size);
    draw_id(id_);
    file_.write(id_size, id_.data(), id_size);
    file_.synchronise(); // network file systems then show the id to other nodes
}

/// A lock tells a file that is being written from one that a killed program left, because a lock
/// ends with its process. A left-over file is removed rather than reused: ranks of the killed
/// program on other nodes may live a little longer than its rank 0.
bool shared_output::try_create() {
    file_.close();
    if (file_.try_open(temporary_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)) {
        const lock_result result = lock(file_);
        if (result == lock_result::held_by_another)
            file_.fail("is being saved by another program");
        is_ours_ = is_still(temporary_, file_.descriptor());
        return is_ours_;
    }
    if (errno != EEXIST)
        file_.fail_for("cannot be created");
    file_handle left(file_.name());
    if (!left.try_open(temporary_, O_RDWR | O_NOFOLLOW)) {
        if (errno == ENOENT)
            return false;
        left.fail_for("'" + temporary_ + "' is in the way and cannot be opened");
    }
    if (lock(left) == lock_result::held_by_another)
        file_.fail("is being saved by another program");
    if (is_still(temporary_, left.descriptor()))
        unlink(temporary_.c_str());
    return false;
}

void shared_output::reserve(index_t size) const {
    int result = 0;
    do
        result = fallocate(file_.descriptor(), 0, 0, size);
    while (result != 0 && errno == EINTR);
    // If the file system cannot reserve space, a full disk shows while writing.
    if (result != 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL))
        result = ftruncate(file_.descriptor(), size);
    if (result != 0)
        file_.fail_for("cannot be written (" + std::to_string(size) + " bytes)");
}

void shared_output::commit(communicator &comm, const char *operation,
                           base::function_ref<std::string()> header) {
    collectively(comm, operation, [&] {
        if (comm.rank() == 0) {
            const std::string bytes = header();
            write(0, bytes.data(), static_cast<index_t>(bytes.size()));
        }
        file_.synchronise(); // each rank flushes what it wrote, which its node may still hold
        if (comm.rank() != 0)
            file_.close(); // rank 0 keeps the lock
    });
    collectively(comm, operation, [&] {
        if (comm.rank() == 0)
            rename_here();
    });
}

void shared_output::rename_here() {
    if (rename(temporary_.c_str(), final_.c_str()) != 0)
        file_.fail_for("cannot be replaced");
    is_ours_ = false;
    file_handle folder(file_.name());
    if (!folder.try_open(folder_of(final_), O_RDONLY | O_DIRECTORY))
        return; // the folder can be written but not read
    if (fsync(folder.descriptor()) != 0 && errno != EINVAL && errno != EROFS)
        folder.fail_for("is complete, but its folder cannot be written to the disk");
    file_.close();
}

} // namespace tenfold::dist_impl

#include "mpi/file_faults.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace tenfold::testing {
namespace {

std::optional<file_fault> current;
long calls = 0;

/// Returns true if the call must fail, and sets errno.
bool fails(const std::string &path) {
    if (!current || !path.starts_with(current->folder))
        return false;
    const long call = calls++ - current->works;
    if (call < 0 || (current->fails >= 0 && call >= current->fails))
        return false;
    if (current->error_number == 0)
        raise(SIGKILL);
    errno = current->error_number;
    return true;
}

bool fails(int descriptor) {
    if (!current)
        return false;
    char path[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = readlink(link.c_str(), path, sizeof path);
    return size > 0 && fails(std::string(path, static_cast<std::size_t>(size)));
}

/// Returns the function that this program's function hides.
template <class Function> Function *next(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace

void set_file_fault(const file_fault &fault) {
    current = fault;
    calls = 0;
}

long clear_file_fault() {
    current.reset();
    return calls;
}

} // namespace tenfold::testing

using tenfold::testing::fails;
using tenfold::testing::next;

extern "C" {

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
    return fails(descriptor) ? -1
                             : next<decltype(pwrite)>("pwrite")(descriptor, data, size, offset);
}
int fsync(int descriptor) {
    return fails(descriptor) ? -1 : next<decltype(fsync)>("fsync")(descriptor);
}
int fallocate(int descriptor, int mode, off_t offset, off_t size) {
    return fails(descriptor)
               ? -1
               : next<decltype(fallocate)>("fallocate")(descriptor, mode, offset, size);
}
int ftruncate(int descriptor, off_t size) noexcept {
    return fails(descriptor) ? -1 : next<decltype(ftruncate)>("ftruncate")(descriptor, size);
}
int rename(const char *from, const char *to) noexcept {
    return fails(std::string(from)) ? -1 : next<decltype(rename)>("rename")(from, to);
}
}

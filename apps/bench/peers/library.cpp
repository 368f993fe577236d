#include "apps/bench/peers/library.hpp"

#include <dlfcn.h>

#include "apps/common/program.hpp"

namespace tenfold::apps_impl {

library::library(std::string peer, const std::string &path) : peer_(std::move(peer)), path_(path) {
    int mode = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__)
    // The library's own symbols come first, because this program may have linked another library
    // that exports dgemm_ or bli_init. AddressSanitizer does not support that.
    mode |= RTLD_DEEPBIND;
#endif
    handle_ = dlopen(path.c_str(), mode);
    if (handle_ == nullptr)
        throw failure("peer '" + peer_ + "': " + dlerror());
}

library::~library() {
    // Not closed, because the thread pools of several of these libraries do not survive it.
}

void *library::find(const std::string &symbol) const noexcept {
    return dlsym(handle_, symbol.c_str());
}

void *library::require_address(const std::string &symbol) const {
    void *address = find(symbol);
    if (address == nullptr)
        throw failure("peer '" + peer_ + "': '" + path_ + "' does not export " + symbol);
    return address;
}

} // namespace tenfold::apps_impl

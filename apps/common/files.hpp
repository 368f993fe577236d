// Files that programs read and write.
#pragma once

#include <string>

namespace tenfold::apps_impl {

/// Throws tenfold::error(errc::io) that names the file.
[[noreturn]] void reject(const std::string &path, const std::string &problem);

/// Throws tenfold::error(errc::io) now if `path` could not be created or written after the work is
/// done.
void check_writable(const std::string &path);

} // namespace tenfold::apps_impl

// The version is defined here; CMakeLists.txt reads it from this file.
#pragma once

#define TENFOLD_VERSION_MAJOR 0
#define TENFOLD_VERSION_MINOR 1
#define TENFOLD_VERSION_PATCH 0

namespace [[gnu::visibility("default")]] tenfold {

/// The version of the linked library, for instance "0.1.0"; it may differ from this header's.
const char *version() noexcept;

} // namespace tenfold

// The version, in one place: CMakeLists.txt reads it from here.
#pragma once

#define TENFOLD_VERSION_MAJOR 0
#define TENFOLD_VERSION_MINOR 1
#define TENFOLD_VERSION_PATCH 0

namespace tenfold {

/// "0.1.0", of the library that was linked (not of this header).
const char *version() noexcept;

} // namespace tenfold

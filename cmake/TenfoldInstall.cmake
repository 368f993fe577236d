# Install rules and the CMake package: find_package(tenfold) gives tenfold::tenfold and, where MPI
# was there, tenfold::dist.
include(CMakePackageConfigHelpers)

install(TARGETS tenfold EXPORT tenfold-targets)
install(DIRECTORY include/tenfold TYPE INCLUDE PATTERN dist.hpp EXCLUDE)

// Preloaded, the HDF5 library as damaged files make it: it crashes when it reads a dataset.
#include <csignal>
#include <cstdlib>
#include <cstring>

extern "C" int H5Dread(...) { // NOLINT(readability-identifier-naming): HDF5's name
    const char *const wanted = std::getenv("TENFOLD_TEST_CRASH");
    std::raise(wanted != nullptr && std::strcmp(wanted, "ABRT") == 0 ? SIGABRT : SIGSEGV);
    return -1;
}

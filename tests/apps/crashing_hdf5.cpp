// When preloaded, makes the HDF5 library crash when it reads a dataset, as damaged files can.
#include <csignal>
#include <cstdlib>
#include <cstring>

extern "C" int H5Dread(...) { // NOLINT(readability-identifier-naming): HDF5's name
    const char *const wanted = std::getenv("TENFOLD_TEST_CRASH");
    std::raise(wanted != nullptr && std::strcmp(wanted, "ABRT") == 0 ? SIGABRT : SIGSEGV);
    return -1;
}

// Prints the seed once, so that any random test can be repeated.
#include <cfenv>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "support/no_calibration.hpp"
#include "support/random.hpp"
#include "support/thrown_cases.hpp"
#include "support/watchdog.hpp"

// Tests of failing allocations ask for more memory than there is. By default sanitizers end the
// program then; with these functions, which they look up by name, they return a null pointer.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

/// With TENFOLD_TEST_TRAPS=1, invalid operations, divisions by zero and overflows end the program,
/// as in hosts that trap them. Only for tests of planning: kernels compute whatever their data
/// gives.
static void trap_if_asked() {
    const char *const asked = std::getenv("TENFOLD_TEST_TRAPS");
    if (asked != nullptr && asked[0] == '1')
        feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}

int main(int argc, char **argv) {
    ::testing::InitGoogleTest(&argc, argv);
    tenfold::testing::tell_cases_that_throw();
    tenfold::testing::watch_for_hangs();
    trap_if_asked();
    tenfold::testing::ignore_calibrations();
    std::printf("seed: TENFOLD_TEST_SEED=%llu\n",
                static_cast<unsigned long long>(tenfold::testing::seed()));
    return RUN_ALL_TESTS();
}

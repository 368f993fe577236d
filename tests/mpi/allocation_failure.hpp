// Fails one allocation of one rank after the other: all ranks must throw or all succeed, and the
// world must be usable afterwards. If a rank waits for ever, the watchdog ends the program.
//
// Allocations by malloc() are beyond it: MPI, HDF5 and OpenMP make them.
#pragma once

#include <functional>

namespace tenfold::testing {

/// One try of an operation. `call` has all its arguments, so that it alone allocates.
struct trial {
    std::function<void()> call;
    std::function<void()> check = [] {}; ///< of the result
};

struct operation {
    const char *name; ///< as messages have it; empty where they have the names of several steps
    std::function<trial()> prepare;
};

/// Fails each allocation that the operation makes on rank 1, then on rank 0, to which others turn
/// in some operations. Nothing on one rank.
void fail_each(const operation &one);

} // namespace tenfold::testing

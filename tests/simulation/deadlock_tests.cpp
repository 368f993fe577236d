// The control of all tests under SMPI: a program whose ranks all wait ends at once, and says so.
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

TEST(DISABLED_Deadlock, OneRankSkipsACall) {
    if (ranks().rank() != 1)
        dist_tensor<double>(ranks(), {4, 4});
}

} // namespace
} // namespace tenfold::testing

// The control of all tests under SMPI: a program whose ranks all wait must end at once with a
// message.
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

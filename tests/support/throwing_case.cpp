// Tests that end by exceptions, for the test of what is told then.
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tenfold::testing {
namespace {

TEST(Throwing, InTheThirdCase) {
    for (const int test_case : cases(5)) {
        SCOPED_TRACE(rerun_line(test_case));
        if (test_case == 2)
            throw std::runtime_error("thrown on purpose");
    }
}

TEST(Throwing, WithoutCases) { throw std::runtime_error("thrown on purpose"); }

} // namespace
} // namespace tenfold::testing

// The random cases of tests of operations on several ranks.
#pragma once

#include <vector>

#include "mpi/ranks.hpp"

namespace tenfold::testing {

/// Returns few of them, since they come with every element type; the long leg sets
/// TENFOLD_TEST_RANDOM.
inline std::vector<int> operation_cases() {
    return random_cases(static_cast<int>(cases_per_rank(24).size()));
}

} // namespace tenfold::testing

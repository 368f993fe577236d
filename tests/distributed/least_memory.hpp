// The least memory that a refused plan names.
#pragma once

#include <charconv>
#include <cstring>

#include <gtest/gtest.h>
#include <tenfold/error.hpp>

namespace tenfold::testing {

/// Returns the bytes in "..; the least is 24.8 MiB (25977674 bytes)", with which plan() throws; 0
/// if it throws nothing.
template <class Plan> index_t least_named_by(const Plan &plan) {
    try {
        plan();
    } catch (const error &thrown) {
        EXPECT_EQ(thrown.code(), errc::workspace_too_small);
        const char *number = std::strrchr(thrown.what(), '(');
        index_t least = 0;
        if (number != nullptr)
            std::from_chars(number + 1, number + std::strlen(number), least);
        return least;
    }
    return 0;
}

} // namespace tenfold::testing

// Prints the seed once, so that any random test can be repeated.
#include <cstdio>

#include <gtest/gtest.h>

#include "support/random.hpp"

int main(int argc, char **argv) {
    ::testing::InitGoogleTest(&argc, argv);
    std::printf("seed: TENFOLD_TEST_SEED=%llu\n",
                static_cast<unsigned long long>(tenfold::testing::seed()));
    return RUN_ALL_TESTS();
}

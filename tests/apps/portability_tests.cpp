// Tests the metric of tenfold-bench --portability.
#include <gtest/gtest.h>

#include "apps/bench/portability.hpp"

namespace tenfold::testing {
namespace {

using apps_impl::performance_portability;
using apps_impl::portability_table;

TEST(Portability, IsTheHarmonicMean) {
    EXPECT_DOUBLE_EQ(performance_portability({0.5}), 0.5);
    EXPECT_DOUBLE_EQ(performance_portability({1.0, 0.25, 0.5}), 3.0 / 7);
}

TEST(Portability, IsZeroWhereAPlatformIsNotSupported) {
    EXPECT_EQ(performance_portability({0.9, 0.0, 0.8}), 0);
    EXPECT_EQ(performance_portability({}), 0);
}

TEST(Portability, SumsUpCases) {
    portability_table table;
    table.isas = {isa::avx2, isa::generic};
    table.cases = {{"even", {0.5, 0.5}}, {"odd", {1.0, 0.25}}, {"best", {1.0, 1.0}}};
    EXPECT_DOUBLE_EQ(table.mean(), (0.5 + 0.4 + 1) / 3);
    EXPECT_EQ(table.worst().name, "odd");
    EXPECT_NEAR(table.geomean(0), 0.7937005259840998, 1e-15); // the cubic root of 0.5
    EXPECT_DOUBLE_EQ(table.geomean(1), 0.5);

    table.cases.push_back({"absent", {1.0, 0.0}});
    EXPECT_EQ(table.worst().name, "absent");
    EXPECT_EQ(table.worst().portability(), 0);
    EXPECT_EQ(table.geomean(1), 0);
}

} // namespace
} // namespace tenfold::testing

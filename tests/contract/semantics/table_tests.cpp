// Tests that docs/semantics.md lists exactly the tests of this program.
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

/// The names in backticks in the last column of all tables.
std::set<std::string> tests_in_the_tables() {
    std::ifstream page(TENFOLD_SEMANTICS_PAGE);
    EXPECT_TRUE(page) << TENFOLD_SEMANTICS_PAGE;
    std::set<std::string> names;
    for (std::string line; std::getline(page, line);) {
        if (line.empty() || line.front() != '|' || line.back() != '|')
            continue;
        const std::string last_column =
            line.substr(line.rfind('|', line.size() - 2) + 1, std::string::npos);
        const std::size_t begin = last_column.find('`');
        const std::size_t end = last_column.rfind('`');
        const bool elsewhere = last_column.starts_with(" in ");
        const bool heading = last_column == " test |" || last_column == "---|";
        if (begin != end && !elsewhere)
            EXPECT_TRUE(names.insert(last_column.substr(begin + 1, end - begin - 1)).second)
                << "twice: " << line;
        else
            EXPECT_TRUE(elsewhere || heading) << "a row without a test: " << line;
    }
    return names;
}

std::set<std::string> tests_of_the_suite() {
    std::set<std::string> names;
    const ::testing::UnitTest &all = *::testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const ::testing::TestSuite &suite = *all.GetTestSuite(i);
        if (suite.name() == std::string("Semantics"))
            for (int k = 0; k < suite.total_test_count(); ++k)
                names.insert(suite.GetTestInfo(k)->name());
    }
    return names;
}

TEST(SemanticsPage, every_row_is_a_test_and_every_test_a_row) {
    const std::set<std::string> rows = tests_in_the_tables();
    EXPECT_GT(rows.size(), 40U) << "the tables were not read";
    EXPECT_EQ(rows, tests_of_the_suite());
}

} // namespace

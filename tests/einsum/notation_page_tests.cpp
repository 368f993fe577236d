// Tests docs/notation.md: its examples parse, and its errors are those of parse().
#include <fstream>

#include <gtest/gtest.h>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

namespace tenfold {
namespace {

/// Returns the cells of "| a | b |"; none for other lines and rulers.
std::vector<std::string> cells_of(const std::string &line) {
    std::vector<std::string> cells;
    if (!line.starts_with("| "))
        return cells;
    for (std::size_t begin = 1, end; (end = line.find('|', begin)) != std::string::npos;
         begin = end + 1)
        cells.push_back(line.substr(begin + 1, end - begin - 2));
    return cells;
}

/// Returns the text in the first pair of backticks.
std::string code_in(const std::string &cell) {
    const auto begin = cell.find('`');
    const auto end = cell.find('`', begin + 1);
    return end == std::string::npos ? "" : cell.substr(begin + 1, end - begin - 1);
}

std::vector<std::vector<std::string>> rows_below(const std::string &header) {
    std::ifstream page(TENFOLD_NOTATION_PAGE);
    EXPECT_TRUE(page) << TENFOLD_NOTATION_PAGE;
    std::vector<std::vector<std::string>> rows;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line == header)
            inside = true;
        else if (!line.starts_with("|"))
            inside = false;
        else if (inside && !cells_of(line).empty())
            rows.push_back(cells_of(line));
    }
    return rows;
}

TEST(NotationPage, notations_agree) {
    const auto rows = rows_below("| notation | example | who writes so |");
    ASSERT_EQ(rows.size(), 4U);
    const contraction_spec first = parse(code_in(rows[0][1]));
    for (const auto &row : rows) {
        const contraction_spec spec = parse(code_in(row[1]));
        EXPECT_EQ(spec.inputs, first.inputs) << row[1];
        EXPECT_EQ(spec.output, first.output) << row[1];
        EXPECT_EQ(spec.label_names, first.label_names) << row[1];
    }
}

TEST(NotationPage, examples_parse) {
    const auto rows = rows_below("| expression | meaning |");
    EXPECT_GE(rows.size(), 20U);
    for (const auto &row : rows) {
        const std::string expression = code_in(row[0]);
        const bool ellipsis = expression.starts_with("...");
        const std::vector<int> orders = ellipsis ? std::vector<int>{3, 3} : std::vector<int>{};
        EXPECT_NO_THROW((void)parse(expression, orders)) << expression;
    }
}

TEST(NotationPage, errors_are_reported) {
    const auto rows = rows_below("| expression | code | first line of the message |");
    EXPECT_GE(rows.size(), 10U);
    for (const auto &row : rows) {
        SCOPED_TRACE(row[0]);
        const bool with_order = row[0].find("with a tensor of order 3") != std::string::npos;
        const std::vector<int> orders = with_order ? std::vector<int>{3, 4} : std::vector<int>{};
        try {
            (void)parse(code_in(row[0]), orders);
            ADD_FAILURE() << "accepted";
        } catch (const error &e) {
            const std::string what = e.what();
            EXPECT_EQ(name(e.code()), code_in(row[1]));
            EXPECT_EQ(what.substr(0, what.find('\n')), code_in(row[2]));
        }
    }
}

} // namespace
} // namespace tenfold

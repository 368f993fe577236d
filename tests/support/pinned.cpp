#include "support/pinned.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

namespace tenfold::testing {
namespace {

struct pinned_row {
    lines before; ///< comments and empty lines before the row
    std::string question;
    lines answer;
    int line = 0; ///< of the question, from 1
};

bool is_indented(const std::string &text) { return text.starts_with("    "); }

std::vector<pinned_row> read(const std::string &file) {
    std::vector<pinned_row> rows;
    std::ifstream in(file);
    EXPECT_TRUE(in) << file << " cannot be read";
    lines before;
    int number = 0;
    for (std::string text; std::getline(in, text);) {
        ++number;
        if (text.empty() || text.front() == '#') {
            before.push_back(text);
        } else if (is_indented(text)) {
            if (rows.empty())
                ADD_FAILURE() << file << ':' << number << ": an answer before any question";
            else
                rows.back().answer.push_back(text.substr(4));
        } else {
            rows.push_back({std::move(before), text, {}, number});
            before.clear();
        }
    }
    return rows;
}

std::string text_of(const std::string &question, const lines &answer) {
    std::string text = question + '\n';
    for (const std::string &line : answer)
        text += "    " + line + '\n';
    return text;
}

/// Returns the value of a word like "1.30"; empty for whole numbers, which are counts.
std::optional<double> measure_in(const std::string &word) {
    if (word.find('.') == std::string::npos)
        return std::nullopt;
    char *end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    return end == word.c_str() + word.size() ? std::optional(value) : std::nullopt;
}

bool all_agree(const lines &some, const lines &others) {
    if (some.size() != others.size())
        return false;
    for (std::size_t i = 0; i < some.size(); ++i)
        if (!agree(some[i], others[i]))
            return false;
    return true;
}

std::string differences(const lines &was, const lines &is) {
    std::string text;
    for (std::size_t i = 0; i < std::max(was.size(), is.size()); ++i) {
        if (i < was.size() && i < is.size() && agree(was[i], is[i]))
            continue;
        if (i < was.size())
            text += "  was  " + was[i] + '\n';
        if (i < is.size())
            text += "  is   " + is[i] + '\n';
    }
    return text;
}

} // namespace

bool agree(const std::string &one, const std::string &other) {
    constexpr double tolerance = 0.01; // numbers are written with three digits
    std::istringstream first(one), second(other);
    std::string a, b;
    while (true) {
        const bool more = static_cast<bool>(first >> a);
        if (more != static_cast<bool>(second >> b))
            return false;
        if (!more)
            return true;
        const auto x = measure_in(a), y = measure_in(b);
        if (x && y ? std::abs(*x - *y) > tolerance * std::abs(*x) : a != b)
            return false;
    }
}

void expect_pinned(const std::string &file,
                   const std::function<lines(const std::string &question)> &answer) {
    const bool repin = std::getenv("TENFOLD_TEST_REPIN") != nullptr;
    const std::vector<pinned_row> rows = read(file);
    EXPECT_FALSE(rows.empty()) << file << " asks nothing";
    std::string text;
    int asked = 0;
    for (const pinned_row &row : rows) {
        lines now = answer(row.question);
        const bool stays = now.empty() || all_agree(row.answer, now);
        asked += !now.empty();
        if (!stays && !repin)
            ADD_FAILURE_AT(file.c_str(), row.line)
                << "the answer is not the pinned one:\n"
                << differences(row.answer, now) << "The row as it is now:\n"
                << text_of(row.question, now)
                << "If the change is meant, paste it, or run this test with TENFOLD_TEST_REPIN=1, "
                   "which writes all rows; see tests/support/pinned.hpp.";
        for (const std::string &line : row.before)
            text += line + '\n';
        text += text_of(row.question, stays ? row.answer : now);
    }
    EXPECT_GT(asked, 0) << "this build answers none of " << file;
    if (repin && !(std::ofstream(file) << text))
        ADD_FAILURE() << file << " cannot be written";
}

} // namespace tenfold::testing

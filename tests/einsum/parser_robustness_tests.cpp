// Tests that any text is either an expression or a clear error.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "support/random.hpp"

namespace tenfold {
namespace {

/// Any bytes give a spec that parses back from its own text, or an error about the expression.
void expect_sane(const std::string &text, std::span<const int> orders) {
    try {
        const contraction_spec spec = parse(text, orders);
        EXPECT_EQ(spec.text, text);
        const contraction_spec again = parse(spec.to_string());
        EXPECT_EQ(again.inputs, spec.inputs);
        EXPECT_EQ(again.output, spec.output);
        EXPECT_EQ(again.scale, spec.scale);
        EXPECT_EQ(again.path, spec.path);
    } catch (const error &e) {
        EXPECT_TRUE(e.code() == errc::syntax || e.code() == errc::unknown_label ||
                    e.code() == errc::order_mismatch)
            << e.what();
        const std::string what = e.what();
        EXPECT_EQ(what.back(), '^');
        EXPECT_EQ(std::count(what.begin(), what.end(), '\n'), 2) << what;
    }
}

TEST(ParseRobustness, random_bytes) {
    const std::string likely = "aabbcijAB_01.29e+-=*,->[] \t...()";
    for (const int test_case : testing::cases(100'000)) {
        testing::random_source random(test_case);
        std::string text(static_cast<std::size_t>(random.integer(0, 24)), ' ');
        const bool any_byte = random.chance(0.2);
        for (char &c : text)
            c = any_byte ? static_cast<char>(random.integer(-128, 127))
                         : likely[static_cast<std::size_t>(random.integer(0, 31))];
        std::vector<int> orders(static_cast<std::size_t>(random.integer(0, 3)));
        for (int &order : orders)
            order = static_cast<int>(random.integer(-1, 6));
        SCOPED_TRACE("'" + text + "' " + testing::rerun_line(test_case));
        ASSERT_NO_THROW(expect_sane(text, orders));
        if (HasFailure())
            break;
    }
}

/// Expressions one edit away from a valid one, where a parser's corner cases are.
TEST(ParseRobustness, mutations) {
    const std::vector<std::string> good{"abcd=aebf*dfce",
                                        "ab-=-0.5e-1*ac*cb",
                                        "...ij,...jk->...ik",
                                        "abcd-aebf-dfce",
                                        "C[occ,...0]+=2*A[occ,k]*B[k,...0]",
                                        "ae=2*(ab*bc)*(cd*((d)*e))",
                                        "[0,1]=([0,2]*[2,3])*[3,1]"};
    for (const int test_case : testing::cases(50'000)) {
        testing::random_source random(test_case);
        std::string text = random.pick(good);
        for (auto edits = random.integer(1, 3); edits > 0; --edits) {
            const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(text) - 1));
            const std::string &other = random.pick(good);
            const char c =
                other[static_cast<std::size_t>(random.integer(0, std::ssize(other) - 1))];
            if (random.chance(0.3) && text.size() > 1)
                text.erase(at, 1);
            else if (random.chance(0.5))
                text.insert(at, 1, c);
            else
                text[at] = c;
        }
        const std::vector<int> orders{3, 3};
        SCOPED_TRACE("'" + text + "' " + testing::rerun_line(test_case));
        ASSERT_NO_THROW(expect_sane(text, random.chance(0.5) ? orders : std::vector<int>{}));
        if (HasFailure())
            break;
    }
}

} // namespace
} // namespace tenfold

// Tests lists of labels: they say what numpy's notation says.
#include <climits>

#include <gtest/gtest.h>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "support/message_of.hpp"

namespace tenfold {
namespace {

using labels = std::vector<label_t>;
using names = std::vector<std::string>;
using testing::message_of;

TEST(LabelLists, any_numbers_are_labels) {
    const contraction_spec spec =
        parse({.inputs = {{7, 1000}, {1000, INT_MAX}}, .output = {{INT_MAX, 7}}});
    EXPECT_EQ(spec.inputs, (std::vector<labels>{{0, 1}, {1, 2}}));
    EXPECT_EQ(spec.output, (labels{2, 0}));
    EXPECT_EQ(spec.label_names, (names{"7", "1000", "2147483647"}));
    EXPECT_TRUE(spec.broadcast);
    EXPECT_EQ(spec.text, "[7,1000],[1000,2147483647]->[2147483647,7]");
    EXPECT_EQ(parse(spec.to_string()).inputs, spec.inputs);
}

TEST(LabelLists, implicit_output_ascends) {
    const contraction_spec spec = parse({.inputs = {{10, 9}, {9, 2}}});
    EXPECT_EQ(spec.output, (labels{2, 0})) << "2, then 10";
    EXPECT_EQ(spec.text, "[10,9],[9,2]");
    EXPECT_EQ(parse({.inputs = {{3, 3}}}).output, labels{});
    EXPECT_EQ(parse({.inputs = {{0}, {0}, {0, 1}}}).output, labels{1});
    EXPECT_EQ(parse({.inputs = {{}}}).output, labels{});
    EXPECT_EQ(parse({.inputs = {{0}}, .output = labels{}}).output, labels{});
}

TEST(LabelLists, ellipses_are_those_of_numpys_notation) {
    const std::vector<int> orders{3, 4};
    const contraction_spec lists = parse(
        {.inputs = {{ellipsis, 8, 9}, {ellipsis, 9, 10}}, .output = {{ellipsis, 8, 10}}}, orders);
    const contraction_spec letters = parse("...ij,...jk->...ik", orders);
    EXPECT_EQ(lists.inputs, letters.inputs);
    EXPECT_EQ(lists.output, letters.output);
    EXPECT_EQ(lists.label_names, (names{"...1", "8", "9", "...0", "10"}));
    EXPECT_EQ(parse({.inputs = {{ellipsis, 8, 9}, {ellipsis, 9, 10}}}, orders).output,
              letters.output);
    EXPECT_EQ(parse({.inputs = {{5, ellipsis}}}, std::vector<int>{3}).output, (labels{1, 2, 0}));
}

TEST(LabelLists, errors_point_at_a_label) {
    const auto refused = [](errc code, const label_lists &lists, std::vector<int> orders = {}) {
        return message_of([&] { (void)parse(lists, orders); }, code);
    };
    EXPECT_EQ(refused(errc::invalid_argument, {.inputs = {{0, 1}, {-2}}}),
              "input 2 has the label -2; labels are 0 or more, or tenfold::ellipsis");
    EXPECT_EQ(refused(errc::invalid_argument, {.inputs = {{0}}, .output = {{-7}}}),
              "the output has the label -7; labels are 0 or more, or tenfold::ellipsis");
    EXPECT_EQ(refused(errc::invalid_argument, {}),
              "a contraction has at least one input, this one has no list of labels");
    EXPECT_EQ(refused(errc::unknown_label, {.inputs = {{0, 1}}, .output = {{0, 12}}}),
              "label '12' of the output is in no input\n  [0,1]->[0,12]\n            ^");
    EXPECT_EQ(refused(errc::order_mismatch, {.inputs = {{0, 1}, {1, 2}}}, {2, 3}),
              "B has 3 modes, but '[1,2]' names 2\n  [0,1],[1,2]\n        ^");
    EXPECT_EQ(refused(errc::order_mismatch, {.inputs = {{0, 1}}}, {2, 3}),
              "the expression has 1 input, but 2 tensors were given\n  [0,1]\n  ^");
    EXPECT_EQ(refused(errc::syntax, {.inputs = {{ellipsis, 0, ellipsis}}}, {4}),
              "a second '...' in one operand\n  [...,0,...]\n         ^");
    EXPECT_EQ(refused(errc::syntax, {.inputs = {{ellipsis, 0}}}),
              "'...' stands for as many modes as the tensors have beside their labels: it needs "
              "the tensors or their orders\n  [...,0]\n   ^");
    EXPECT_EQ(refused(errc::syntax, {.inputs = {{ellipsis, 0}}, .output = {{0}}}, {2}),
              "the inputs have '...', so the output needs it too\n  [...,0]->[0]\n           ^");
}

} // namespace
} // namespace tenfold

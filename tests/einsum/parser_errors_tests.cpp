// Tests every error of parse() with the column of its caret.
#include <algorithm>

#include <gtest/gtest.h>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

namespace tenfold {
namespace {

struct failure {
    errc code = errc::ok;
    std::string message; ///< its first line
    std::string quote;   ///< its second, without the indentation
    int column = -1;     ///< of the caret, counted in the quote
};

failure failure_of(std::string_view text, std::span<const int> orders = {}) {
    try {
        (void)parse(text, orders);
    } catch (const error &e) {
        const std::string what = e.what();
        const auto first_end = what.find('\n');
        const auto second_end = what.find('\n', first_end + 1);
        const std::string caret_line = what.substr(second_end + 1);
        EXPECT_EQ(caret_line.find_first_not_of(' '), caret_line.size() - 1) << what;
        EXPECT_EQ(caret_line.back(), '^') << what;
        EXPECT_EQ(what.substr(first_end + 1, 2), "  ") << what;
        return {e.code(), what.substr(0, first_end),
                what.substr(first_end + 3, second_end - first_end - 3),
                static_cast<int>(caret_line.size()) - 3};
    }
    ADD_FAILURE() << "'" << text << "' was accepted";
    return {};
}

struct error_case {
    const char *text;
    int column;
    const char *message;
    errc code = errc::syntax;
    std::vector<int> orders = {};
};

void expect_failures(const std::vector<error_case> &list) {
    for (const error_case &expected : list) {
        SCOPED_TRACE(expected.text);
        const failure found = failure_of(expected.text, expected.orders);
        EXPECT_EQ(found.code, expected.code);
        EXPECT_EQ(found.column, expected.column);
        EXPECT_EQ(found.message, expected.message);
        EXPECT_EQ(found.quote, expected.text);
    }
}

TEST(ParseErrors, whole_message) {
    try {
        (void)parse("abcd=aebf*");
        FAIL();
    } catch (const error &e) {
        EXPECT_STREQ(e.what(), "expected a label after '*'\n"
                               "  abcd=aebf*\n"
                               "            ^");
    }
}

TEST(ParseErrors, tokens) {
    expect_failures({
        {"ab=a$c*cb", 4, "unexpected character '$'"},
        {"ab=a.c*cb", 4, "unexpected character '.'"},
        {"ab=ac\\cb", 5, "unexpected character '\\'"},
        {"ab = ac ; cb", 8, "unexpected character ';'"},
        {"C{a,b}=A{a,k}", 1, "unexpected character '{'"},
        {"ab- >c", 4, "unexpected character '>'"},
        {"..a", 0, "unexpected character '.'"},
    });
    const failure utf8 = failure_of("ab\xe2\x86\x92"
                                    "ba");
    EXPECT_EQ(utf8.message, "unexpected byte 0xE2");
    EXPECT_EQ(utf8.quote, "ab???ba");
    EXPECT_EQ(utf8.column, 2);
    const failure zero = failure_of(std::string_view("ab=\0ba", 6));
    EXPECT_EQ(zero.message, "unexpected byte 0x00");
    EXPECT_EQ(zero.quote, "ab=?ba");
    EXPECT_EQ(zero.column, 3);
    const failure lines = failure_of("ab\n=\t$");
    EXPECT_EQ(lines.quote, "ab = $");
    EXPECT_EQ(lines.column, 5);
}

TEST(ParseErrors, empty) {
    expect_failures({
        {"", 0, "the expression is empty"},
        {"   ", 0, "the expression is empty"},
    });
}

TEST(ParseErrors, assignment) {
    const char *const update = "expected '=', '+=' or '-=' after 'ab'";
    expect_failures({
        {"ab=", 3, "expected a label after '='"},
        {"ab+=", 4, "expected a label after '+='"},
        {"=", 1, "expected a label after '='"},
        {"ab=*cd", 3, "expected a label after '='"},
        {"ab=ac*", 6, "expected a label after '*'"},
        {"ab=ac**cb", 6, "expected a label after '*'"},
        {"ab=ac*cb*", 9, "expected a label after '*'"},
        {"ab=ac=cb", 5, "unexpected '=' after 'ac'"},
        {"ab=ac-cb", 5, "unexpected '-' after 'ac'"},
        {"ab=ac+cb", 5, "unexpected '+' after 'ac'"},
        {"ab=-=ac", 3, "expected a label after '='"},
        {"ab=--2*ac", 4, "expected a label after '-'"},
        {"ab*ac", 2, update},
        {"ab + = ac", 3, update},
        {"2*ab=ab", 0, "a number can only stand before the first input"},
        {"*", 0, "expected '=', '+=' or '-='"},
        {"a1=a1", 1, "'1' is not a label: outside brackets a label is a letter"},
        {"ab=a_*_b", 4, "'_' is not a label: outside brackets a label is a letter"},
    });
}

TEST(ParseErrors, scalars) {
    const char *const late = "a number can only stand before the first input";
    expect_failures({
        {"ab=2", 4, "expected '*' and an input after '2'"},
        {"ab=2ac*cb", 4, "expected '*' and an input after '2'"},
        {"ab=2e*ac", 4, "expected '*' and an input after '2'"},
        {"ab=2*", 5, "expected a label after '*'"},
        {"ab=2*3*ab", 5, late},
        {"ab=ac*2*cb", 6, late},
        {"C[a]=A[a]*2", 10, late},
        {"ab=1.2.3*ab", 3, "'1.2.3' is not a number"},
        {"ab=1..*ab", 3, "'1..' is not a number"},
        {"ab=1e999*ab", 3, "'1e999' does not fit a double"},
        {"ab=-1e-999*ab", 4, "'1e-999' does not fit a double"},
        {"C[a]=1e400*A[a]", 5, "'1e400' does not fit a double"},
    });
    const std::string digits(500, '9');
    const failure overflow = failure_of("ab=" + digits + "*ab");
    EXPECT_EQ(overflow.message, "'" + digits.substr(0, 40) + "...' does not fit a double");
    EXPECT_EQ(overflow.column, 3);
}

TEST(ParseErrors, numpy) {
    expect_failures({
        {"ab->ba->ab", 6, "unexpected '->' after 'ba'"},
        {"ab->b,a", 5, "unexpected ',' after 'b'"},
        {"ab,bc->ad", 8, "label 'd' of the output is in no input", errc::unknown_label},
        {"a1,b", 1, "'1' is not a label: outside brackets a label is a letter"},
        {"...a...->a", 4, "a second '...' in one operand", errc::syntax, {3}},
        {"a->......", 6, "a second '...' in one operand", errc::syntax, {1}},
        {"a...->a", 6, "the inputs have '...', so the output needs it too", errc::syntax, {2}},
        {"ab,b...->a...", 4,
         "'...' stands for as many modes as the tensors have beside their labels: it needs the "
         "tensors or their orders"},
    });
}

TEST(ParseErrors, tccg) {
    expect_failures({
        {"ab-", 3, "expected a label after '-'"},
        {"ab--cd", 3, "expected a label after '-'"},
        {"-", 1, "expected a label after '-'"},
        {"ab-ac-cb-", 9, "expected a label after '-'"},
    });
}

TEST(ParseErrors, brackets) {
    expect_failures({
        {"C[a,b", 5, "expected ',' or ']' after 'b'"},
        {"C[a b]=A[a]", 4, "expected ',' or ']' after 'a'"},
        {"C[a,]=A[a]", 4, "expected a label after ','"},
        {"C[,a]=A[a]", 2, "expected a label after '['"},
        {"C[a]]=A[a]", 4, "expected '=', '+=' or '-=' after ']'"},
        {"C[[a]]=A[a]", 2, "expected a label after '['"},
        {"C a[a]=A[a]", 2, "expected '[' after 'C'"},
        {"C]a", 1, "expected '[' after 'C'"},
        {"C[a]", 4, "expected '=', '+=' or '-=' after ']'"},
        {"C[a]=", 5, "expected an operand like A[a,b] after '='"},
        {"C[a]=A", 6, "expected '[' after 'A'"},
        {"C[a]=A[a]*", 10, "expected an operand like A[a,b] after '*'"},
        {"C[a]=A[a]B[a]", 9, "unexpected 'B' after ']'"},
        {"C[a]=A[a]-B[a]", 9, "unexpected '-' after ']'"},
        {"C[a,b]=A(a,k)", 8, "expected '[' after 'A'"},
        {"C[1.5]=A[1.5]", 2,
         "'1.5' is not a label: in brackets a label is a name or a whole number"},
        {"C[1e5]=A[1e5]", 2,
         "'1e5' is not a label: in brackets a label is a name or a whole number"},
        {"C[1a]=A[1a]", 3, "expected ',' or ']' after '1'"},
        {"C[a]=[a]", 5, "name all operands or none"},
        {"[a]=A[a]*[a]", 4, "name all operands or none"},
        {"C[...]=A[...]", 2, "in brackets '...' needs its number, as '...0'"},
        {"C[... 0]=A[...0]", 2, "in brackets '...' needs its number, as '...0'"},
        {"C[...0.5]=A[a]", 2, "in brackets '...' needs its number, as '...0'"},
        {"C[...x]=A[a]", 2, "in brackets '...' needs its number, as '...0'"},
        {"C[...", 2, "in brackets '...' needs its number, as '...0'"},
        {"C[a,occ]=A[a,b]", 4, "label 'occ' of the output is in no input", errc::unknown_label},
    });
}

TEST(ParseErrors, parentheses) {
    expect_failures({
        {"ab=(ac*cb", 3, "this '(' is not closed"},
        {"ab=(ac*(cd*db)", 3, "this '(' is not closed"},
        {"ab=((ac*cd)*(db", 12, "this '(' is not closed"},
        {"ab=ac*cb)", 8, "unexpected ')' after 'cb'"},
        {"ab=(ac*cb))", 10, "unexpected ')' after ')'"},
        {"ab=()*ab", 4, "expected a label after '('"},
        {"ab=(ac*)*cb", 7, "expected a label after '*'"},
        {"ab=(ac=cb)", 6, "expected '*' or ')' after 'ac'"},
        {"ab=(2*ac)*cb", 4, "a number can only stand before the first input"},
        {"ab=(ac)cb", 7, "unexpected 'cb' after ')'"},
        {"(ab)=ab", 0, "expected '=', '+=' or '-='"},
        {"C[a]=(A[a]*B[a]", 5, "this '(' is not closed"},
        {"C[a]=(A[a]*[a])*B[a]", 11, "name all operands or none"},
        {"(ij,jk)->ik", 0,
         "two notations are mixed: ',' announces aebf,dfce->abcd, where '(' has no place"},
        {"ab-(ac-cb)", 3,
         "two notations are mixed: '-' announces abcd-aebf-dfce, where '(' has no place"},
    });
}

TEST(ParseErrors, mixed_notations) {
    const std::string letters = "abcd=aebf*dfce", numpy = "aebf,dfce->abcd",
                      tccg = "abcd-aebf-dfce", brackets = "C[a,b]=A[a,k]*B[k,b]";
    const auto expect_mixture = [](const char *text, int column, const std::string &announcer,
                                   const std::string &notation, const std::string &stranger) {
        SCOPED_TRACE(text);
        const failure found = failure_of(text);
        EXPECT_EQ(found.code, errc::syntax);
        EXPECT_EQ(found.column, column);
        EXPECT_EQ(found.message, "two notations are mixed: '" + announcer + "' announces " +
                                     notation + ", where '" + stranger + "' has no place");
    };
    expect_mixture("ab=ac,cb", 5, "=", letters, ",");
    expect_mixture("ab=ac->cb", 5, "=", letters, "->");
    expect_mixture("ab=...", 3, "=", letters, "...");
    expect_mixture("ab=A[a,b]", 4, "=", letters, "[");
    expect_mixture("ac,cb=ab", 5, ",", numpy, "=");
    expect_mixture("ac*cb->ab", 2, "->", numpy, "*");
    expect_mixture("2,ab->ab", 0, ",", numpy, "2");
    expect_mixture("ac,cb-ab", 5, ",", numpy, "-");
    expect_mixture("ac,B[a]", 4, ",", numpy, "[");
    expect_mixture("ab-ac,cb", 5, "-", tccg, ",");
    expect_mixture("ab-ac*cb", 5, "-", tccg, "*");
    expect_mixture("ab-ac=cb", 5, "-", tccg, "=");
    expect_mixture("ab-2-cb", 3, "-", tccg, "2");
    expect_mixture("A[a,k],B[k,b]->C[a,b]", 13, "[", brackets, "->");
}

TEST(ParseErrors, unknown_labels_of_the_output) {
    expect_failures({
        {"abx=ac*cb", 2, "label 'x' of the output is in no input", errc::unknown_label},
        {"a b X = ac*cb", 4, "label 'X' of the output is in no input", errc::unknown_label},
        {"axb-ac-cb", 1, "label 'x' of the output is in no input", errc::unknown_label},
    });
}

TEST(ParseErrors, orders) {
    expect_failures({
        {"abcd=aebf*dfce", 5, "A has 3 modes, but 'aebf' names 4", errc::order_mismatch, {3, 4}},
        {"abcd=aebf*dfce", 10, "B has 5 modes, but 'dfce' names 4", errc::order_mismatch, {4, 5}},
        {"ab->ba", 0, "A has 1 mode, but 'ab' names 2", errc::order_mismatch, {1}},
        {"ab,ab->", 0, "A has 0 modes, but 'ab' names 2", errc::order_mismatch, {0, 2}},
        {",ab->ab", 0, "A has 1 mode, but '' names 0", errc::order_mismatch, {1, 2}},
        {"ad=ab*bc*cd",
         9,
         "input 3 has 3 modes, but 'cd' names 2",
         errc::order_mismatch,
         {2, 2, 3}},
        {"R[a]=T1[ a,b ]*V[b]",
         5,
         "'T1' has 1 mode, but 'T1[ a,b ]' names 2",
         errc::order_mismatch,
         {1, 1}},
        {"ab...->ab...",
         0,
         "A has 1 mode, but 'ab...' names at least 2",
         errc::order_mismatch,
         {1}},
        {"a=ab*b",
         5,
         "the expression has 2 inputs, but 1 tensor was given",
         errc::order_mismatch,
         {2}},
        {"a=ab*b",
         5,
         "the expression has 2 inputs, but 3 tensors were given",
         errc::order_mismatch,
         {2, 1, 1}},
        {"ba=ab",
         3,
         "the expression has 1 input, but 2 tensors were given",
         errc::order_mismatch,
         {2, 2}},
    });
}

TEST(ParseErrors, long_expressions_are_quoted_around_the_caret) {
    const std::string half(100'000, 'a');
    const failure found = failure_of(half + "=" + half + "$" + half);
    EXPECT_EQ(found.message, "unexpected character '$'");
    EXPECT_EQ(found.quote, "..." + std::string(40, 'a') + "$" + std::string(39, 'a') + "...");
    EXPECT_EQ(found.quote[static_cast<std::size_t>(found.column)], '$');
    const failure at_end = failure_of(half + "=" + half + "*");
    EXPECT_EQ(at_end.quote, "..." + std::string(39, 'a') + "*");
    EXPECT_EQ(at_end.column, static_cast<int>(at_end.quote.size()));
}

TEST(ParseErrors, long_expressions_are_read_in_linear_time) {
    std::string chain = "=a";
    for (int k = 0; k < 300'000; ++k)
        chain += "*a";
    EXPECT_EQ(parse(chain).inputs.size(), 300'001U);
    EXPECT_EQ(parse(std::string(1'000'000, 'a') + "->").inputs[0].size(), 1'000'000U);
    EXPECT_THROW((void)parse(std::string(1'000'000, '[')), error);
    EXPECT_THROW((void)parse("a=" + std::string(1'000'000, '-')), error);
    std::string nested = "=" + std::string(100'000, '(') + "a";
    for (int k = 0; k < 100'000; ++k)
        nested += "*a)";
    const contraction_spec spec = parse(nested);
    EXPECT_EQ(spec.path.size(), 100'000U);
    EXPECT_EQ(parse(spec.to_string()).path, spec.path);
    EXPECT_THROW((void)parse("=" + std::string(1'000'000, '(')), error);
}

TEST(ParseErrors, line_breaks_in_the_expression_are_none_in_the_message) {
    try {
        static_cast<void>(parse("a\nb->ba", std::vector<int>{1}));
        ADD_FAILURE() << "no error";
    } catch (const error &e) {
        EXPECT_EQ(std::string(e.what()), "A has 1 mode, but 'a b' names 2\n  a b->ba\n  ^");
    }
}

} // namespace
} // namespace tenfold

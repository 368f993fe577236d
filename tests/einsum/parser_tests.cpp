// Tests the meaning of the four notations, and specs written back as text.
#include <cmath>

#include <gtest/gtest.h>

#include <tenfold/einsum.hpp>
#include <tenfold/error.hpp>

#include "support/random.hpp"

namespace tenfold {
namespace {

using labels = std::vector<label_t>;
using names = std::vector<std::string>;
using update = contraction_spec::update;

/// Compares everything but the text.
void expect_equal(const contraction_spec &one, const contraction_spec &other) {
    EXPECT_EQ(one.inputs, other.inputs);
    EXPECT_EQ(one.output, other.output);
    EXPECT_EQ(one.label_names, other.label_names);
    EXPECT_EQ(one.operand_names, other.operand_names);
    EXPECT_EQ(one.operation, other.operation);
    EXPECT_EQ(one.scale, other.scale);
    EXPECT_EQ(one.path, other.path);
}

contraction_spec without_names(contraction_spec spec) {
    spec.operand_names.clear();
    return spec;
}

TEST(Parse, numbers_labels_by_first_appearance_in_the_inputs) {
    const contraction_spec spec = parse("abcd=aebf*dfce");
    EXPECT_EQ(spec.inputs, (std::vector<labels>{{0, 1, 2, 3}, {4, 3, 5, 1}}));
    EXPECT_EQ(spec.output, (labels{0, 2, 5, 4}));
    EXPECT_EQ(spec.label_names, (names{"a", "e", "b", "f", "d", "c"}));
    EXPECT_TRUE(spec.operand_names.empty());
    EXPECT_EQ(spec.operation, update::assign);
    EXPECT_EQ(spec.scale, scalar(1.0));
    EXPECT_EQ(spec.text, "abcd=aebf*dfce");
}

TEST(Parse, four_notations_agree) {
    const contraction_spec spec = parse("abcd=aebf*dfce");
    expect_equal(parse("aebf,dfce->abcd"), spec);
    expect_equal(parse("abcd-aebf-dfce"), spec);
    const contraction_spec bracketed = parse("C[a,b,c,d]=A[a,e,b,f]*B[d,f,c,e]");
    EXPECT_EQ(bracketed.operand_names, (names{"A", "B", "C"}));
    expect_equal(without_names(bracketed), spec);
    expect_equal(parse("[a,b,c,d]=[a,e,b,f]*[d,f,c,e]"), spec);
}

TEST(Parse, ignores_white_space_between_tokens) {
    expect_equal(parse(" ab\tcd = ae bf\n* d fce\r\n"), parse("abcd=aebf*dfce"));
    expect_equal(parse(" ae bf , dfce -> ab cd "), parse("aebf,dfce->abcd"));
    expect_equal(parse("a b - a c - c b"), parse("ab-ac-cb"));
    expect_equal(parse(" C [ a , b ] += - 2 * A [ a , k ] * B [ k , b ] "),
                 parse("C[a,b]+=-2*A[a,k]*B[k,b]"));
}

TEST(Parse, labels_are_case_sensitive) {
    EXPECT_EQ(parse("aA=ak*Ak").label_names, (names{"a", "k", "A"}));
}

TEST(Parse, one_input_and_many) {
    EXPECT_EQ(parse("badc=abcd").inputs.size(), 1U);
    EXPECT_EQ(parse("ba-ab").output, (labels{1, 0}));
    EXPECT_EQ(parse("ad=ab*bc*cd*dd").inputs.size(), 4U);
    EXPECT_EQ(parse("ab,bc,cd->ad").inputs.size(), 3U);
    EXPECT_EQ(parse("ad-ab-bc-cd").inputs.size(), 3U);
}

TEST(Parse, repeated_labels_are_left_to_the_planner) {
    EXPECT_EQ(parse("a=aab*bb").inputs, (std::vector<labels>{{0, 0, 1}, {1, 1}}));
    EXPECT_EQ(parse("aa=a").output, (labels{0, 0}));
}

TEST(Parse, update_operations) {
    EXPECT_EQ(parse("ab=ac*cb").operation, update::assign);
    EXPECT_EQ(parse("ab+=ac*cb").operation, update::add);
    EXPECT_EQ(parse("ab-=ac*cb").operation, update::subtract);
    EXPECT_EQ(parse("C[a,b]+=A[a,c]*B[c,b]").operation, update::add);
    EXPECT_EQ(parse("C[a,b]-=A[a,c]*B[c,b]").operation, update::subtract);
}

TEST(Parse, leading_scalars) {
    const std::pair<const char *, double> cases[] = {
        {"2*", 2},      {"-0.5*", -0.5},   {"+3*", 3},          {"- 4 *", -4}, {"1e-3*", 1e-3},
        {"1E+3*", 1e3}, {".25*", 0.25},    {"2.*", 2},          {"-", -1},     {"+", 1},
        {"0*", 0},      {"1e308*", 1e308}, {"5e-324*", 5e-324}, {"0.1*", 0.1}, {"", 1},
    };
    for (const auto &[text, value] : cases) {
        SCOPED_TRACE(text);
        EXPECT_EQ(parse("ab=" + std::string(text) + "ac*cb").scale, scalar(value));
        EXPECT_EQ(parse("ab -=" + std::string(text) + "ac*cb").scale, scalar(value));
        EXPECT_EQ(parse("C[a,b]=" + std::string(text) + "A[a,c]*B[c,b]").scale, scalar(value));
    }
    EXPECT_EQ(parse("ab += 1e-3*ac*cb").operation, update::add);
    // An exponent needs its digits: this is the label e.
    EXPECT_EQ(parse("ae=2*ea").label_names, (names{"e", "a"}));
}

TEST(Parse, order_zero) {
    EXPECT_EQ(parse("=ab*ab").output, labels{});
    EXPECT_EQ(parse("+=ab*ab").operation, update::add);
    EXPECT_EQ(parse("ab,ab->").output, labels{});
    EXPECT_EQ(parse("-ab-ab").output, labels{});
    EXPECT_EQ(parse("C[]=A[i]*B[i]").output, labels{});
    EXPECT_EQ(parse(",ab->ab").inputs, (std::vector<labels>{{}, {0, 1}}));
    EXPECT_EQ(parse("ab,->ab").inputs, (std::vector<labels>{{0, 1}, {}}));
    EXPECT_EQ(parse("->").inputs, (std::vector<labels>{{}}));
    EXPECT_EQ(parse("C[a]=A[]*B[a]").inputs, (std::vector<labels>{{}, {0}}));
    EXPECT_EQ(parse("C[] = 2 * A[]").scale, scalar(2.0));
}

TEST(Parse, brackets_keep_names) {
    const contraction_spec spec = parse("R2[i_occ,_v]-=0.5*T_1[i_occ,X9]*W[X9,_v]");
    EXPECT_EQ(spec.operand_names, (names{"T_1", "W", "R2"}));
    EXPECT_EQ(spec.label_names, (names{"i_occ", "X9", "_v"}));
    EXPECT_EQ(spec.output, (labels{0, 2}));
}

TEST(Parse, numpy_implicit_output_is_in_ascii_order) {
    EXPECT_EQ(parse("ba").output, (labels{1, 0}));
    EXPECT_EQ(parse("ii").output, labels{});
    EXPECT_EQ(parse("ij,jk").output, (labels{0, 2}));
    EXPECT_EQ(parse("ij,jh").output, (labels{2, 0}));       // h before i
    EXPECT_EQ(parse("bA,aB").output, (labels{1, 3, 2, 0})); // A B a b
    EXPECT_EQ(parse("ab,ab,ac").output, (labels{2}));
}

TEST(Parse, numpy_ellipsis) {
    const std::vector<int> orders{3, 4};
    const contraction_spec spec = parse("...ij,...jk->...ik", orders);
    // "..." stands for one mode of A and two of B; A's is the last of B's.
    EXPECT_EQ(spec.label_names, (names{"...1", "i", "j", "...0", "k"}));
    EXPECT_EQ(spec.inputs, (std::vector<labels>{{0, 1, 2}, {3, 0, 2, 4}}));
    EXPECT_EQ(spec.output, (labels{3, 0, 1, 4}));
    expect_equal(parse("...ij,...jk", orders), spec);

    EXPECT_EQ(parse("i...j->j...i", std::vector<int>{4}).output, (labels{3, 1, 2, 0}));
    EXPECT_EQ(parse("i...", std::vector<int>{3}).output, (labels{1, 2, 0}));
    EXPECT_EQ(parse("...->...", std::vector<int>{2}).output, (labels{0, 1}));
    EXPECT_EQ(parse("...i->i", std::vector<int>{1}).output, (labels{0}));
    EXPECT_EQ(parse("i,j->i...j").output, (labels{0, 1}));
    EXPECT_EQ(parse("...,...->...", std::vector<int>{0, 0}).output, labels{});
}

TEST(Parse, numpys_notation_broadcasts) {
    EXPECT_TRUE(parse("ij,jk->ik").broadcast);
    EXPECT_TRUE(parse("ii").broadcast);
    for (const char *text : {"ik=ij*jk", "ik-ij-jk", "C[i,k]=A[i,j]*B[j,k]"})
        EXPECT_FALSE(parse(text).broadcast) << text;
}

TEST(Parse, brackets_take_numbers) {
    const contraction_spec spec = parse("[0,102]=[0,7]*[7,102]");
    EXPECT_EQ(spec.label_names, (names{"0", "7", "102"}));
    EXPECT_EQ(spec.output, (labels{0, 2}));
    EXPECT_EQ(spec.to_string(), "[0,102]=[0,7]*[7,102]");
    EXPECT_EQ(parse("C[01,1]=A[1,01]").label_names, (names{"1", "01"}));
}

TEST(Parse, parentheses_are_a_path) {
    const std::pair<const char *, path_steps> cases[] = {
        {"ab=ac*cd*db", {}},
        {"ab=(ac*cd)*db", {{0, 1}, {1, 0}}},
        {"ab=ac*(cd*db)", {{1, 2}, {0, 1}}},
        {"ab = ( ac * cd ) * db", {{0, 1}, {1, 0}}},
        {"ab+=-2*(ac*cd)*db", {{0, 1}, {1, 0}}},
        {"ae=(ab*bc)*(cd*de)", {{0, 1}, {0, 1}, {0, 1}}},
        {"ae=ab*((bc*cd)*de)", {{1, 2}, {2, 1}, {0, 1}}},
        {"ae=ab*(bc*cd*de)", {{1, 2, 3}, {0, 1}}},
        {"ae=(ab*bc)*cd*de", {{0, 1}, {2, 0, 1}}}, // free among the three that are left
        {"ae=((ab*bc)*cd*de)", {{0, 1}, {2, 0, 1}}},
        // What leaves the order free is no path.
        {"ab=(ac*cb)", {}},
        {"ab=(ac)*((cb))", {}},
        {"ae=(ab*bc*cd*de)", {}},
    };
    for (const auto &[text, path] : cases)
        EXPECT_EQ(parse(text).path, path) << text;
    EXPECT_EQ(parse("D[a,b]=(A[a,c]*B[c,d])*E[d,b]").path, (path_steps{{0, 1}, {1, 0}}));
}

TEST(Parse, right_orders_are_accepted) {
    EXPECT_NO_THROW(parse("abcd=aebf*dfce", std::vector<int>{4, 4}));
    EXPECT_NO_THROW(parse(",ab->ab", std::vector<int>{0, 2}));
}

TEST(ToString, chooses_the_shortest_notation) {
    EXPECT_EQ(parse("aebf,dfce->abcd").to_string(), "abcd=aebf*dfce");
    EXPECT_EQ(parse("ab -= - 0.5 * ac * cb").to_string(), "ab-=-0.5*ac*cb");
    EXPECT_EQ(parse("C[a,b]+=2*A[a,k]*B[k,b]").to_string(), "C[a,b]+=2*A[a,k]*B[k,b]");
    EXPECT_EQ(parse(",ab->ba").to_string(), "[b,a]=[]*[a,b]");
    EXPECT_EQ(parse("[ij]=[ij]").to_string(), "[ij]=[ij]");
    EXPECT_EQ(parse("...i->i...", std::vector<int>{2}).to_string(), "[i,...0]=[...0,i]");
    EXPECT_EQ(parse("ab,ab->").to_string(), "=ab*ab");
}

TEST(ToString, writes_parentheses) {
    for (const char *text :
         {"ab=(ac*cd)*db", "ab=ac*(cd*db)", "ae=(ab*bc)*(cd*de)", "ae-=2*ab*((bc*cd)*de)",
          "ae=ab*(bc*cd*de)", "ae=(ab*bc)*cd*de", "D[a,b]=(A[a,c]*B[c,d])*E[d,b]"}) {
        EXPECT_EQ(parse(text).to_string(), text);
        expect_equal(parse(parse(text).to_string()), parse(text));
    }
    contraction_spec apart = parse("ab=ac*cd*db");
    apart.path = {{0, 2}, {0, 1}}; // not neighbours
    EXPECT_EQ(apart.to_string(), "ab=ac*cd*db");
    apart.path = {{0, 1, 2}};
    EXPECT_EQ(apart.to_string(), "ab=ac*cd*db");
}

/// Returns a spec that some expression could have: labels are numbered by first appearance.
contraction_spec random_spec(testing::random_source &random) {
    contraction_spec spec;
    const bool letters = random.chance(0.5);
    const auto label_count = static_cast<std::size_t>(random.integer(0, letters ? 12 : 30));
    std::vector<std::string> pool;
    for (std::size_t k = 0; k < label_count; ++k)
        pool.push_back(letters ? std::string(1, "aBcDeFgHiJkL"[k])
                               : (random.chance(0.2) ? "...0" : "_x") + std::to_string(k));
    random.shuffle(pool);

    spec.inputs.resize(static_cast<std::size_t>(random.integer(1, 5)));
    for (auto &input : spec.inputs)
        for (auto modes = random.integer(letters ? 1 : 0, 6); modes > 0 && !pool.empty(); --modes) {
            const auto known = static_cast<label_t>(spec.label_names.size());
            const auto label = static_cast<label_t>(
                random.integer(0, std::min<std::int64_t>(known, std::ssize(pool) - 1)));
            if (label == known)
                spec.label_names.push_back(pool[static_cast<std::size_t>(label)]);
            input.push_back(label);
        }
    for (std::size_t label = 0; label < spec.label_names.size(); ++label)
        if (random.chance(0.6))
            spec.output.push_back(static_cast<label_t>(label));
    random.shuffle(spec.output);
    if (random.chance(0.3))
        for (std::size_t k = 0; k <= spec.inputs.size(); ++k)
            spec.operand_names.push_back("T" + std::to_string(random.integer(0, 99)));
    spec.operation = static_cast<update>(random.integer(0, 2));
    if (random.chance(0.5))
        spec.scale = (random.real() - 0.5) * std::pow(10.0, random.integer(-300, 300));
    return spec;
}

TEST(ToString, parses_back_to_an_equal_spec) {
    for (const int test_case : testing::cases(20'000)) {
        testing::random_source random(test_case);
        const contraction_spec spec = random_spec(random);
        const std::string text = spec.to_string();
        SCOPED_TRACE(text + "\n" + testing::rerun_line(test_case));
        ASSERT_NO_THROW(expect_equal(parse(text), spec));
        if (HasFailure())
            break;
    }
}

} // namespace
} // namespace tenfold

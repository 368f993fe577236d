// Runs the examples with small sizes. Their own checks verify the results, and each check must be
// there.
#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

program_result run_example(const std::string &arguments) {
    return run_command(TENFOLD_EXAMPLE + arguments, "");
}

struct example_run {
    const char *arguments;
    const char *told; ///< part of the output
};

std::size_t count(const std::string &text, const std::string &piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
        ++found;
    return found;
}

void expect_right(const example_run &example, std::size_t checks) {
    SCOPED_TRACE(example.arguments);
    const program_result result = run_example(example.arguments);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(count(result.out, "\nok "), checks) << result.out;
    EXPECT_EQ(count(result.out, "WRONG"), 0U) << result.out;
    EXPECT_NE(result.out.find(example.told), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("GFLOP/s"), std::string::npos) << result.out;
}

TEST(Examples, AttentionIsRight) {
    for (const example_run &one :
         {example_run{"attention --tokens 40", "vghqb=vhkb*kqghb*qghb"},
          example_run{"attention --tokens 33 --causal --type f64", "f64, causal"},
          example_run{"attention --tokens 1 --depth 1 --heads 1 --group 1 --sequences 1", "1 x 1"},
          example_run{"attention --tokens 50 --depth 7 --heads 3 --group 5 --sequences 3 --causal "
                      "--threads 1 --seed 7",
                      "3 x 5 heads of 7"},
          example_run{"attention --tokens 8 --plans", "chosen: "}})
        expect_right(one, 4);
}

TEST(Examples, GroundStateIsRight) {
    // Thousands of small contractions run on one thread, because threads that share cores would
    // wait for each other.
    for (const example_run &one :
         {example_run{"ground-state --threads 1", "exact:    energy -20.0163879"},
          example_run{"ground-state --sites 2", "exact:    energy -2.236067977"},
          example_run{"ground-state --sites 3 --bond 1", "bonds up to 1"},
          example_run{"ground-state --sites 10 --bond 3 --field 1.25 --steps 2 --threads 1",
                      "field 1.25"},
          example_run{"ground-state --sites 4 --sweeps 1 --steps 2", "sweep  1"}})
        expect_right(one, 7);
    // Too many sites to check all elements.
    expect_right({"ground-state --sites 30 --bond 8 --threads 1", "chain of 30 spins"}, 4);
}

TEST(Examples, TuckerIsRight) {
    for (const example_run &one :
         {example_run{"tucker --extents 20,18,16 --ranks 4,3,2", "iteration  2"},
          example_run{"tucker --extents 9,10,11 --ranks 9,10,11", "iteration"},
          example_run{"tucker --extents 12,5,30 --ranks 1,1,1 --noise 3", "iteration"},
          example_run{"tucker --extents 1,8,8 --ranks 1,2,3 --seed 5", "abc=ijk*ia*jb*kc"}})
        expect_right(one, 12);
    // Not converged, so that only the last factor is the best one.
    expect_right(
        {"tucker --extents 10,10,10 --ranks 2,3,4 --iterations 1 --threads 1", "iteration  1"}, 10);
}

TEST(Examples, HelpAndVersionSucceed) {
    for (const std::string name : {"attention", "ground-state", "tucker"})
        for (const char *option : {" --help", " --version"}) {
            const program_result result = run_example(name + option);
            EXPECT_EQ(result.status, 0) << result.err;
            EXPECT_FALSE(result.out.empty());
            EXPECT_EQ(result.err, "");
        }
}

TEST(Examples, WrongOptionsAreRefusedWithStatusTwo) {
    for (const example_run &wrong :
         {example_run{"attention --tokens 0", "--tokens '0'"},
          example_run{"attention --type c32", "expected f32 or f64"},
          example_run{"attention 5", "unexpected argument '5'"},
          example_run{"ground-state --sites 1", "at least 2"},
          example_run{"ground-state --steps 1", "at least 2"},
          example_run{"ground-state --field 0.5", "expected 1 or more"},
          example_run{"ground-state --field nan", "--field 'nan'"},
          example_run{"tucker --ranks 8,7", "three numbers each"},
          example_run{"tucker --extents 8,8,8 --ranks 9,1,1",
                      "9 is not between 1 and the extent 8"},
          example_run{"tucker --extents 8,8,8 --ranks 0,1,1", "0 is not between"},
          example_run{"tucker --noise -1", "--noise '-1'"},
          example_run{"tucker --rank 1,1,1", "rank"}}) {
        SCOPED_TRACE(wrong.arguments);
        const program_result result = run_example(wrong.arguments);
        EXPECT_EQ(result.status, 2) << result.out << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(wrong.told), std::string::npos) << result.err;
    }
}

} // namespace
} // namespace tenfold::testing

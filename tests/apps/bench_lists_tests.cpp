// Tests the lists of cases that tenfold-bench has and reads.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

TEST(BenchLists, CasesAreSelectedByName) {
    const program_result result =
        run_bench("small --repeat 1 --threads 1 --cases '4x4x*,5x6x7,1?x12x12'");
    ASSERT_EQ(result.status, 0) << result.err;
    for (const char *name : {"\n4x4x4 ", "\n5x6x7 ", "\n12x12x12 "})
        EXPECT_NE(result.out.find(name), std::string::npos) << name << result.out;
    EXPECT_EQ(result.out.find("\n8x8x8 "), std::string::npos);
    EXPECT_NE(result.out.find("geometric mean"), std::string::npos);
}

TEST(BenchLists, TheBuiltInOnesAreComplete) {
    // Cases are looked up before peers are loaded, so that the error shows that the case was found.
    for (const char *arguments :
         {"ttc --cases ttc57 --peer hptt", "tccg --cases tccg24 --peer ttgt",
          "gemm --cases '384x376x1474*' --peer blas"}) {
        const program_result result = run_bench(std::string(arguments) + "=/nonexistent.so");
        EXPECT_EQ(result.status, 1) << result.err;
        EXPECT_NE(result.err.find("/nonexistent.so"), std::string::npos) << result.err;
    }
    EXPECT_EQ(run_bench("ttc --cases ttc58").status, 2);
    EXPECT_EQ(run_bench("tccg --cases tccg25").status, 2);
}

TEST(BenchLists, MalformedOnesNameTheLine) {
    const temporary_directory directory;
    struct wrong_list {
        const char *suite, *text, *told;
    };
    for (const auto &[suite, text, told] :
         {wrong_list{"ttc", "swap 1,0 50,60\nbad 1,1 50,60\n", "line 2: '1,1' is not"},
          wrong_list{"ttc", "bad 1,0 50\n", "line 1"}, wrong_list{"ttc", "bad 1,0\n", "line 1"},
          wrong_list{"tccg", "bad ab-ac-cb a=1,b=2\n", "no extent for label 'c'"},
          wrong_list{"tccg", "bad ab-ac-cb a=1,b=2,c=3,d=4\n", "does not have"},
          wrong_list{"tccg", "bad ab+=ac*cb a=1,b=2,c=3\n", "--beta"},
          wrong_list{"tccg", "bad ab-ac-cd a=1,b=2,c=3,d=4\n", "line 1"},
          wrong_list{"gemm", "3x4\n", "MxNxK"}, wrong_list{"gemm", "3x4x0\n", "MxNxK"},
          wrong_list{"gemm", "3x4x5x6\n", "MxNxK"}}) {
        SCOPED_TRACE(text);
        write_text(directory.file("list"), text);
        const program_result result =
            run_bench(std::string(suite) + " --file " + directory.file("list"));
        EXPECT_EQ(result.status, 1);
        EXPECT_NE(result.err.find(told), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("line "), std::string::npos) << result.err;
    }
}

/// Reading a pipe without a writer, or an endless device, would never end.
TEST(BenchLists, AreRegularFiles) {
    const temporary_directory directory;
    const std::string pipe = directory.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::string sparse = directory.file("sparse");
    write_text(sparse, "");
    ASSERT_EQ(truncate(sparse.c_str(), off_t{1} << 40), 0);
    for (const auto &[file, told] : {std::pair(pipe, "is not a regular file"),
                                     {"/dev/zero", "is not a regular file"},
                                     {directory.file(""), "is a directory"},
                                     {directory.file("none"), "cannot be opened"},
                                     {sparse, "is larger than any list"}}) {
        SCOPED_TRACE(file);
        const program_result result =
            run_command(std::string("timeout 20 ") + TENFOLD_BENCH_PROGRAM, "gemm --file " + file);
        EXPECT_EQ(result.status, 1) << result.err;
        EXPECT_NE(result.err.find("'" + file + "': " + told), std::string::npos) << result.err;
    }
}

} // namespace
} // namespace tenfold::testing

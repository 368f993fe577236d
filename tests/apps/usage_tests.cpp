// Tests exit statuses, help, and messages for wrong command lines.
#include <algorithm>
#include <thread>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

TEST(Usage, HelpAndVersionSucceedEverywhere) {
    for (const char *command : {"", "contract ", "explain ", "transpose ", "check ", "info "})
        for (const char *option : {"--help", "--version"}) {
            const program_result result = run_tenfold(std::string(command) + option);
            SCOPED_TRACE(std::string(command) + option);
            EXPECT_EQ(result.status, 0) << result.err;
            EXPECT_FALSE(result.out.empty());
            EXPECT_EQ(result.err, "");
        }
    for (const char *option : {"--help", "--version"}) {
        const program_result result = run_bench(option);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_FALSE(result.out.empty());
        EXPECT_EQ(result.err, "");
    }
}

TEST(Usage, HelpNamesEveryOption) {
    const std::string help = run_tenfold("contract --help").out;
    for (const char *option : {"--extents", "--type", "--f64-sums", "--alpha", "--beta",
                               "--threads", "--algorithm", "--backend", "--workspace-limit",
                               "--verify", "--repeat", "--json", "--a", "--b", "--c", "--out"})
        EXPECT_NE(help.find(option), std::string::npos) << option;
    const std::string bench = run_bench("--help").out;
    for (const char *option :
         {"--type",   "--threads",   "--cases",    "--file", "--beta",   "--repeat",     "--flush",
          "--verify", "--algorithm", "--peer",     "--json", "--csv",    "--offset",     "--pages",
          "--random", "--choice",    "--contract", "--plot", "--tuning", "--portability"})
        EXPECT_NE(bench.find(option), std::string::npos) << option;
}

struct wrong_command {
    const char *arguments;
    const char *told; ///< part of the message on stderr
};

void expect_refused(const program_result &result, const wrong_command &wrong, int status = 2) {
    SCOPED_TRACE(wrong.arguments);
    EXPECT_EQ(result.status, status) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("error: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(wrong.told), std::string::npos) << result.err;
}

TEST(Usage, WrongCommandLinesAreRefusedWithStatusTwo) {
    const wrong_command commands[] = {
        {"", "a command is missing"},
        {"contrac", "unknown command 'contrac'"},
        {"contract", "SPEC is missing"},
        {"contract ab=ac*cb", "no extent for label 'a'"},
        {"contract ab=ac*cb --extents a=2,b=3", "no extent for label 'c'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4,z=5", "label 'z' is not in 'ab=ac*cb'"},
        {"contract ab=ac*cb --extents a=2,a=3,b=3,c=4", "label 'a' is given twice"},
        {"contract ab=ac*cb --extents a=2,b=3,c=-4", "--extents"},
        {"contract ab=ac*cb --extents a=2,b=3,c", "'c' is not one"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4k", "--extents"},
        {"contract ab=ac*cb --extents a=2,b=3,c=99999999999999999999", "--extents"},
        {"contract ab=ac*cd --extents a=2,b=3,c=4,d=5", "'b'"},
        {"contract 'ab=ac*' --extents a=2,b=3,c=4", "^"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type f80", "--type 'f80'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type f64-f32", "whose sums hold the inputs"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type f32,f80", "--type 'f32,f80': expected"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type i8,f32", "do not mix"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type f32,", "--type 'f32,'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type f32,f32,f32",
         "has 2 inputs, but 3 types are named"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --type i8 --f64-sums", "summed as integers"},
        {"explain ab=ac*cb --extents a=2,b=3,c=4 --f64-sums --ranks 2", "--f64-sums"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --alpha one", "--alpha 'one'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --alpha 1+2i", "--alpha is complex"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --threads 0", "--threads '0'"},
        {"contract ab=ac*cb --extents a=999,b=999,c=999 --threads 4097",
         "--threads '4097': expected an integer from 1 to 4096"},
        {"explain ab=ac*cb --extents a=2,b=3,c=4 --threads 2147483647", "--threads '2147483647'"},
        {"calibrate --seconds 0.01 --threads 99999", "--threads '99999'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --repeat 1.5", "--repeat '1.5'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --algorithm magic", "--algorithm 'magic'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --backend mkl", "--backend 'mkl'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --workspace-limit 3MB",
         "--workspace-limit '3MB'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --workspace-limit -1", "--workspace-limit"},
        {"contract ab+=ac*cb --extents a=2,b=3,c=4 --beta 2", "leave out --beta"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 extra", "unexpected argument 'extra'"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --bogus", "bogus"},
        {"contract ab=ac*cb --ext a=2,b=3,c=4", "ext"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --json --json", "json"},
        {"contract ab=ac*cb --b B.npy", "--a is missing"},
        {"explain ab=ac*cb --extents a=2,b=3,c=4 --ranks 0", "--ranks '0'"},
        {"explain ab=ac*cb --extents a=2,b=3,c=4 --memory-per-rank 1GiB", "--ranks"},
        {"explain ab=ac*cb --extents a=2,b=3,c=4 --tuning slow", "estimate, measure or patient"},
        {"explain ab=ac*cb --extents a=2,b=3,c=4 --tuning measure --ranks 2", "are not tuned"},
        {"transpose ab=ac*cb --extents a=2,b=3,c=4", "one input"},
        {"transpose a=ab --extents a=2,b=3", "the same labels"},
        {"transpose ba=ab --extents a=2,b=3 --tuning eager", "--tuning 'eager'"},
        {"transpose ba=ab --extents a=2,b=3 --type c32-f32", "two types such as f32-f64"},
        {"transpose ba=ab --extents a=2,b=3 --type i16", "--type 'i16'"},
        {"transpose ba=ab --extents a=2,b=3 --outer-a a=1",
         "--outer-a: label 'a': offset 0 and extent 2 pass the end of the outer extent 1"},
        {"transpose ba=ab --extents a=2,b=3 --outer-b b=5 --offset-b b=3", "--outer-b: label 'b'"},
        {"transpose ba=ab --extents a=2,b=3 --outer-b z=5", "--outer-b: label 'z' is not in"},
        {"transpose ba=ab --extents a=2,b=3 --offset-a z=0", "--offset-a: label 'z' is not in"},
        {"transpose ba=ab --extents a=2,b=3 --outer-a a=5 --out /tmp/B.npy",
         "made-up tensors only"},
        {"info now", "unexpected argument 'now'"},
    };
    for (const wrong_command &wrong : commands)
        expect_refused(run_tenfold(wrong.arguments), wrong);
}

TEST(Usage, ExpressionsMayBeginWithAHyphen) {
    for (const char *arguments :
         {"contract -ab-ab --extents a=3,b=4 --verify", "contract '->' --verify",
          "contract '->' --alpha -0.5 --verify", "contract --alpha -0.5 -ab-ab --extents a=3,b=4",
          "contract --extents a=3,b=4 --verify -- -ab-ab", "contract --verify -- '->'",
          "contract -a-a-a --extents a=3 --verify", "explain -ab-ab --extents a=3,b=4",
          "explain '->' --ranks 2", "transpose '->' --verify"}) {
        SCOPED_TRACE(arguments);
        const program_result result = run_tenfold(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.err, "");
    }
    for (const wrong_command &wrong :
         {wrong_command{"contract -ab-ab --extents a=3", "no extent for label 'b'"},
          wrong_command{"contract --verfy -ab-ab --extents a=3,b=4", "--verfy"},
          wrong_command{"contract -ab-ab -a-a --extents a=3,b=4", "unexpected argument '-a-a'"},
          wrong_command{"contract -x ab=ac*cb --extents a=2,b=3,c=4", "-x"},
          wrong_command{"info -ab-ab", "-ab-ab"}})
        expect_refused(run_tenfold(wrong.arguments), wrong);
}

TEST(Usage, WrongBenchmarksAreRefusedWithStatusTwo) {
    const wrong_command commands[] = {
        {"", "SUITE is missing"},
        {"gem", "unknown suite 'gem'"},
        {"dist --random 3", "do not apply to the suite dist"},
        {"tccg --trace /tmp/t.json", "under mpirun"},
        {"ttc --cases nothing*", "matches no case of ttc"},
        {"ttc --repeat 0", "--repeat '0'"},
        {"ttc --peer hptt", "NAME=LIBRARY.so"},
        {"ttc --peer fftw=libfftw.so", "unknown peer 'fftw'"},
        {"ttc --peer blas=libblas.so", "takes part in gemm or small"},
        {"ttc --algorithm fused", "--algorithm"},
        {"ceilings --peer blas=libblas.so", "--peer"},
        {"small --peer xsmm=libxsmm.so --type c64", "xsmm"},
        {"gemm --type f32-f64", "two types apply to the suites ttc and tccg"},
        {"tccg --type f64-f32", "whose sums hold the inputs"},
        {"tccg --type f32-bf16 --peer tblis=libtblis.so", "leave out --peer"},
        {"ttc --type c32-f32", "two types such as f32-f64"},
        {"ttc --type f80", "--type 'f80'"},
        {"tccg --type i32", "does not apply to tccg"},
        {"ceilings --type i8", "does not apply to ceilings"},
        {"ttc --type i8 --peer hptt=libhptt.so", "leave out --peer"},
        {"gemm --type f16 --peer blas=libblas.so", "leave out --peer"},
        {"gemm --type i8 --beta 0.5", "an integer"},
        {"ttc --offset 4", "a multiple of 8"},
        {"ttc --offset 4 --type f32-f64", "a multiple of 8"},
        {"ttc --offset 2 --type c32", "a multiple of 4"},
        {"ttc --offset -8", "--offset '-8'"},
        {"ttc --offset 4096", "less than a page"},
        {"gemm --offset 16", "suite ttc only"},
        {"ttc --random 0", "--random '0'"},
        {"ttc --random 5:", "N:SEED"},
        {"ttc --random 5:4294967296", "below 2^32"},
        {"ttc --random 5:1 --file list", "--random and --file"},
        {"gemm --random 5", "suites ttc and tccg"},
        {"gemm --choice", "suite tccg and to small --contract only"},
        {"gemm --contract", "suite small only"},
        {"small --contract --type i8 --beta 0.5", "an integer"},
        {"small --contract --efficiency", "not to small --contract"},
        {"small --contract --peer blas=libblas.so", "not in small --contract"},
        {"small --peer tblis=libtblis.so",
         "takes part in tccg, small --contract or interfaces, not in small"},
        {"interfaces --type bf16", "the interfaces are compared for f32, f64, c32 and c64"},
        {"interfaces --type f32-f64", "the interfaces are compared for"},
        {"interfaces --peer c=libtenfold.so", "unknown peer 'c'"},
        {"interfaces --peer ttgt=libttgt.so", "takes part in tccg or small --contract, not in"},
        {"small --random 5", "suites ttc and tccg and to small --contract"},
        {"small --contract --cases 4x4x4", "matches no case of small --contract"},
        {"tccg --choice --algorithm fused", "--choice and --algorithm"},
        {"tccg --random 5:x", "N:SEED"},
        {"tccg --random 5:1 --file list", "--random and --file"},
        {"ttc --tuning slow", "estimate, measure or patient"},
        {"gemm --tuning measure", "suite ttc only"},
        {"small --portability", "suite ttc only"},
        {"ttc --portability --peer hptt=libhptt.so", "leave out --peer"},
        {"ttc --pages large", "small, huge or default"},
        {"tccg --pages small", "suite ttc only"},
    };
    for (const wrong_command &wrong : commands)
        expect_refused(run_bench(wrong.arguments), wrong);
}

TEST(Usage, WhatCannotBeDoneHasStatusOne) {
    const temporary_directory directory;
    const wrong_command commands[] = {
        {"contract ab=ac*cb --a /nonexistent/A.npy --b B.npy", "/nonexistent/A.npy"},
        {"contract ab=ac*cb --extents a=2,b=3,c=4 --out /nonexistent/D.npy", "/nonexistent/D.npy"},
        {"contract ab=ac*cb --extents a=3037000500,b=3037000500,c=1",
         "D with labels 'ab': number of elements: 3037000500 x 3037000500 does not fit 64 bits"},
        {"contract ab=ac*cb --extents a=2,b=3037000500,c=3037000500", "B with labels 'cb'"},
        {"contract ad=ab*bc*cd --extents a=2,b=2,c=3037000500,d=3037000500",
         "input 3 with labels 'cd'"},
        {"explain a=a*a --json --extents a=576460752303423488", "bytes of all tensors"},
    };
    for (const wrong_command &wrong : commands)
        expect_refused(run_tenfold(wrong.arguments), wrong, 1);
    for (const wrong_command &wrong :
         {wrong_command{"small --cases 4x4x4 --peer blas=/nonexistent/libblas.so",
                        "peer 'blas': /nonexistent/libblas.so"},
          wrong_command{"small --cases 4x4x4 --peer blas=libm.so.6", "does not export dgemm_"},
          wrong_command{"small --file /nonexistent/list", "/nonexistent/list"},
          wrong_command{"small --json /nonexistent/results", "/nonexistent/results"}})
        expect_refused(run_bench(wrong.arguments), wrong, 1);
}

TEST(Usage, EnvironmentIsCheckedToo) {
    setenv("TENFOLD_ISA", "mmx", 1);
    const program_result result = run_tenfold("info");
    unsetenv("TENFOLD_ISA");
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("TENFOLD_ISA='mmx'"), std::string::npos) << result.err;
}

TEST(Info, ShowsTheBlockingThatWasAskedFor) {
    setenv("TENFOLD_BLOCKING", "kc=120,mc=1,nc=1", 1);
    const program_result result = run_tenfold("info --json");
    setenv("TENFOLD_BLOCKING", "kc=many", 1);
    const program_result refused = run_tenfold("info");
    unsetenv("TENFOLD_BLOCKING");
    ASSERT_EQ(result.status, 0) << result.err;
    for (const auto &kernel : result.json()["kernels"])
        if (kernel["kind"] == "gemm" && kernel["name"].get<std::string>().starts_with("f64")) {
            EXPECT_EQ(kernel["kc"], 120);
            EXPECT_EQ(kernel["mc"], kernel["mr"]);
            EXPECT_EQ(kernel["nc"], kernel["nr"]);
        }
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("TENFOLD_BLOCKING='kc=many': expected kc=256,mc=96,nc=4080 or"),
              std::string::npos)
        << refused.err;
}

double seconds_of_children() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

/// The ceiling is measured on as many threads as there are cores. When it was measured on 1024
/// threads, a contraction of microseconds took 10 s of each of two cores.
TEST(Threads, BeyondTheCoresCostLittle) {
    setenv("TENFOLD_NUM_THREADS", "1024", 1);
    const double before = seconds_of_children();
    const program_result result = run_tenfold("contract ab=ak*kb --extents a=20,b=20,k=20");
    unsetenv("TENFOLD_NUM_THREADS");
    EXPECT_EQ(result.status, 0) << result.err;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    EXPECT_LT(seconds_of_children() - before, 6 + 0.5 * cores);
}

TEST(Info, TellsMachineKernelsAndEnvironment) {
    setenv("TENFOLD_ISA", "generic", 1);
    const program_result result = run_tenfold("info --json");
    const program_result text = run_tenfold("info");
    unsetenv("TENFOLD_ISA");
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json info = result.json();
    EXPECT_EQ(info["isa"], "generic");
    EXPECT_GE(info["threads"], 1);
    EXPECT_TRUE(info["isas"].is_array());
    bool gemm = false;
    for (const auto &kernel : info["kernels"])
        if (kernel["kind"] == "gemm" && kernel["in_use"]) {
            gemm = true;
            EXPECT_NE(kernel["name"].get<std::string>().find("generic"), std::string::npos);
            EXPECT_GE(kernel["kc"], 1);
        }
    EXPECT_TRUE(gemm);
    bool found = false;
    for (const auto &variable : info["environment"])
        if (variable["name"] == "TENFOLD_ISA") {
            found = true;
            EXPECT_EQ(variable["value"], "generic");
        }
    EXPECT_TRUE(found);
    EXPECT_EQ(text.status, 0);
    EXPECT_NE(text.out.find("isa      generic"), std::string::npos) << text.out;
}

TEST(Output, AFullDiskIsNoSuccess) {
    const program_result result = run_tenfold("info >/dev/full");
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

} // namespace
} // namespace tenfold::testing

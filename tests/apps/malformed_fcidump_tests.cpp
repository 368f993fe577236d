// FCIDUMP files that tenfold-ccsd has to refuse: exit status 2, one message with the line.
#include <gtest/gtest.h>

#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string header = "&FCI NORB=2,NELEC=2,MS2=0,\n ORBSYM=1,1,\n&END\n";
const std::string body = "0.7 1 1 1 1\n0.6 2 2 1 1\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n0.7 0 0 0 0\n";

struct malformed {
    const char *what;
    std::string text;
    const char *message; ///< part of it
    int line;            ///< 0: no line is to blame
};

std::string with_line(const std::string &line) { return header + line + "\n" + body; }
std::string with_header(const std::string &text) { return text + body; }

std::vector<malformed> cases() {
    return {
        {"empty", "", "empty", 0},
        {"blank lines only", "\n\n", "empty", 0},
        {"no header", body, "expected the header", 1},
        {"open header", "&FCI NORB=2,NELEC=2,\n", "ends within the header", 0},
        {"header never closed", with_header("&FCI NORB=2,NELEC=2,\n"), "", 0},
        {"two headers", header + header + body, "second header", 4},
        {"header within the header", with_header("&FCI NORB=2,\n&FCI NELEC=2,\n&END\n"),
         "within the header", 2},
        {"no NORB", with_header("&FCI NELEC=2,\n&END\n"), "no NORB", 2},
        {"no NELEC", with_header("&FCI NORB=2,\n&END\n"), "no NELEC", 2},
        {"NORB=0", with_header("&FCI NORB=0,NELEC=2,\n&END\n"), "NORB=0", 2},
        {"letters in NORB", with_header("&FCI NORB=2x,NELEC=2,\n&END\n"), "NORB=2X", 2},
        {"NORB twice", with_header("&FCI NORB=2,NORB=3,NELEC=2,\n&END\n"), "given twice", 1},
        {"odd electrons", with_header("&FCI NORB=2,NELEC=3,\n&END\n"), "NELEC=3", 2},
        {"too many electrons", with_header("&FCI NORB=2,NELEC=6,\n&END\n"), "NELEC=6", 2},
        {"open shell", with_header("&FCI NORB=2,NELEC=2,MS2=2\n&END\n"), "MS2=2", 2},
        {"UHF", with_header("&FCI NORB=2,NELEC=2,UHF=.TRUE.\n&END\n"), "UHF", 2},
        {"IUHF", with_header("&FCI NORB=2,NELEC=2,IUHF=1\n&END\n"), "UHF", 2},
        {"short ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,\n&END\n"), "ORBSYM", 2},
        {"text behind the header", with_header("&FCI NORB=2,NELEC=2 / 1\n"), "behind the end", 1},
        {"letters in a number", with_line("0.5x 2 1 1 1"), "expected a number", 4},
        {"a word", with_line("hello"), "expected a number", 4},
        {"NaN", with_line("nan 2 1 1 1"), "finite", 4},
        {"infinity", with_line("inf 2 1 1 1"), "finite", 4},
        {"overflow", with_line("1e999 2 1 1 1"), "finite", 4},
        {"complex", with_line("(0.5,0.1) 2 1 1 1"), "complex", 4},
        {"index above NORB", with_line("0.5 3 1 1 1"), "index 3", 4},
        {"negative index", with_line("0.5 -1 1 1 1"), "index -1", 4},
        {"fractional index", with_line("0.5 1.5 1 1 1"), "expected an index", 4},
        {"huge index", with_line("0.5 99999999999999999999 1 1 1"), "expected an index", 4},
        {"three indices", with_line("0.5 2 1 1"), "ends too early", 4},
        {"five indices", with_line("0.5 2 1 1 1 1"), "behind the four indices", 4},
        {"a pattern of indices that means nothing", with_line("0.5 2 1 1 0"), "expected 'i j k l'",
         4},
        {"another such pattern", with_line("0.5 0 2 0 0"), "expected 'i j k l'", 4},
        {"cut within a line", header + "0.7 1 1 1 1\n0.6 2", "ends too early", 5},
        {"cut behind a line", header + "0.7 1 1 1 1\n0.6 2 2 1 1\n", "cut short", 5},
        {"no constant", header + "0.7 1 1 1 1\n-1.2 1 1 0 0\n", "constant", 5},
        {"binary", header + std::string("\x01\x00\xff\x7f\n", 5) + body, "expected a number", 4},
    };
}

TEST(MalformedFcidump, IsRefusedWithItsLine) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    write_text(path, header + body);
    const program_result fine = run_command(TENFOLD_CCSD_PROGRAM, path + " --method hf");
    ASSERT_EQ(fine.status, 0) << fine.err;
    for (const malformed &one : cases()) {
        SCOPED_TRACE(one.what);
        write_text(path, one.text);
        const program_result result = run_command(TENFOLD_CCSD_PROGRAM, path);
        EXPECT_EQ(result.status, 2) << result.out << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(one.message), std::string::npos) << result.err;
        const std::string line = one.line > 0 ? "line " + std::to_string(one.line) + ":" : "line ";
        EXPECT_NE(result.err.find(line), std::string::npos) << result.err;
    }
}

TEST(MalformedFcidump, IsToldOnceByManyRanks) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    write_text(path, with_line("0.5 3 1 1 1"));
    const program_result result = run_ranks(3, TENFOLD_CCSD_PROGRAM, path);
    EXPECT_EQ(result.status, 2);
    const std::string all = result.out + result.err;
    const std::size_t first = all.find("error: ");
    ASSERT_NE(first, std::string::npos) << all;
    EXPECT_EQ(all.find("error: ", first + 1), std::string::npos) << all;
    EXPECT_NE(all.find("line 4"), std::string::npos) << all;
}

} // namespace
} // namespace tenfold::testing

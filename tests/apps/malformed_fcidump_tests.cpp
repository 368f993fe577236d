// Tests FCIDUMP files that tenfold-ccsd has to refuse: exit status 2, and one message with the
// line, printed once for any number of ranks.
#include <atomic>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fcidump_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string header = "&FCI NORB=2,NELEC=2,MS2=0,\n ORBSYM=1,1,\n&END\n";
const std::string body = "0.7 1 1 1 1\n0.6 2 2 1 1\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n0.7 0 0 0 0\n";

struct malformed {
    std::string what;
    std::string text;
    std::string message; ///< part of it
    int line;            ///< that it names; or one of these
};
constexpr int some_line = 0; ///< the last one, for instance
constexpr int no_line = -1;  ///< of what is no text, or no file

std::string with_line(const std::string &line) { return header + line + "\n" + body; }
std::string with_header(const std::string &text) { return text + body; }

std::vector<malformed> malformed_headers() {
    return {
        {"empty", "", "empty", some_line},
        {"blank lines only", "\n\n", "empty", some_line},
        {"no header", body, "expected the header", 1},
        {"another header", with_header("&SCF NORB=2,NELEC=2,\n&END\n"), "expected the header", 1},
        {"open header", "&FCI NORB=2,NELEC=2,\n", "ends within the header", some_line},
        {"header never closed", with_header("&FCI NORB=2,NELEC=2,\n"), "", some_line},
        {"two headers", header + header + body, "second header", 4},
        {"two files", header + body + header + body, "second header", 9},
        {"header within the header", with_header("&FCI NORB=2,\n&FCI NELEC=2,\n&END\n"),
         "within the header", 2},
        {"no NORB", with_header("&FCI NELEC=2,\n&END\n"), "no NORB", 2},
        {"no NELEC", with_header("&FCI NORB=2,\n&END\n"), "no NELEC", 2},
        {"NORB=0", with_header("&FCI NORB=0,NELEC=2,\n&END\n"), "NORB=0", 2},
        {"negative NORB", with_header("&FCI NORB=-2,NELEC=2,\n&END\n"), "NORB=-2", 2},
        {"NORB that overflows", with_header("&FCI NORB=99999999999999999999,NELEC=2,\n&END\n"),
         "expected an integer", 2},
        {"NORB of too many", with_header("&FCI NORB=99999,NELEC=2,\n&END\n"), "NORB=99999", 2},
        {"fractional NORB", with_header("&FCI NORB=2.5,NELEC=2,\n&END\n"), "NORB=2.5", 2},
        {"letters in NORB", with_header("&FCI NORB=2x,NELEC=2,\n&END\n"), "NORB=2X", 2},
        {"NORB without a value", with_header("&FCI NORB=,NELEC=2,\n&END\n"), "NORB", 2},
        {"NORB twice", with_header("&FCI NORB=2,NORB=3,NELEC=2,\n&END\n"), "given twice", 1},
        {"NORB too small", with_header("&FCI NORB=1,NELEC=2,\n&END\n"), "index 2", 4},
        {"NORB too large", with_header("&FCI NORB=3,NELEC=2,\n&END\n"), "over orbital 3", 7},
        {"odd electrons", with_header("&FCI NORB=2,NELEC=3,\n&END\n"), "NELEC=3", 2},
        {"no electrons", with_header("&FCI NORB=2,NELEC=0,\n&END\n"), "NELEC=0", 2},
        {"negative electrons", with_header("&FCI NORB=2,NELEC=-2,\n&END\n"), "NELEC=-2", 2},
        {"too many electrons", with_header("&FCI NORB=2,NELEC=6,\n&END\n"), "NELEC=6", 2},
        {"open shell", with_header("&FCI NORB=2,NELEC=2,MS2=2\n&END\n"), "MS2=2", 2},
        {"UHF", with_header("&FCI NORB=2,NELEC=2,UHF=.TRUE.\n&END\n"), "UHF", 2},
        {"IUHF", with_header("&FCI NORB=2,NELEC=2,IUHF=1\n&END\n"), "UHF", 2},
        {"short ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,\n&END\n"), "ORBSYM", 2},
        {"long ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=3*1,\n&END\n"), "ORBSYM", 2},
        {"ORBSYM repeated beyond 64 bits",
         with_header("&FCI NORB=2,NELEC=2,\nORBSYM=9223372036854775807*1,1,1,1,\n&END\n"),
         "'9223372036854775807*1'", 2},
        {"ORBSYM repeated 'x' times", with_header("&FCI NORB=2,NELEC=2,\nORBSYM=x*1,1\n&END\n"),
         "'X*1'", 2},
        {"ORBSYM repeated less than once",
         with_header("&FCI NORB=2,NELEC=2,ORBSYM=\n1,\n-5*2,6*1\n&END\n"), "'-5*2'", 3},
        {"ORBSYM repeated 0 times", with_header("&FCI NORB=2,NELEC=2,ORBSYM=0*1,2*1\n&END\n"),
         "'0*1'", 1},
        {"ORBSYM of nothing", with_header("&FCI NORB=2,NELEC=2,ORBSYM=2*\n&END\n"), "'2*'", 1},
        {"letters in ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,b1u\n&END\n"), "'B1U'", 1},
        {"fractions in ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,1.5\n&END\n"), "'1.5'",
         1},
        {"huge values in ORBSYM", with_header("&FCI NORB=2,NELEC=2,ORBSYM=1,99999\n&END\n"),
         "'99999'", 1},
        {"ORBSYM without end",
         with_header("&FCI NORB=2,NELEC=2,\nORBSYM=4000*1,\n4000*1,\n4000*1\n&END\n"),
         "more than 4096 values", 3},
        {"text behind the header", with_header("&FCI NORB=2,NELEC=2 / 1\n"), "behind the end", 1},
    };
}

std::vector<malformed> malformed_bodies() {
    const std::string endless(3 << 20, '7');
    return {
        {"letters in a number", with_line("0.5x 2 1 1 1"), "expected a number", 4},
        {"a word", with_line("hello"), "expected a number", 4},
        {"decimal comma", with_line("0,5 2 1 1 1"), "expected a number", 4},
        {"NaN", with_line("nan 2 1 1 1"), "finite", 4},
        {"Fortran's NaN", with_line("NaN 2 1 1 1"), "finite", 4},
        {"infinity", with_line("inf 2 1 1 1"), "finite", 4},
        {"minus infinity", with_line("-Infinity 2 1 1 1"), "finite", 4},
        {"overflow", with_line("1e999 2 1 1 1"), "finite", 4},
        {"Fortran's overflow", with_line("*********** 2 1 1 1"), "expected a number", 4},
        {"complex", with_line("(0.5,0.1) 2 1 1 1"), "complex", 4},
        {"index above NORB", with_line("0.5 3 1 1 1"), "index 3", 4},
        {"negative index", with_line("0.5 -1 1 1 1"), "index -1", 4},
        {"fractional index", with_line("0.5 1.5 1 1 1"), "expected an index", 4},
        {"letters in an index", with_line("0.5 1 one 1 1"), "'one': expected an index", 4},
        {"huge index", with_line("0.5 99999999999999999999 1 1 1"), "expected an index", 4},
        {"a number only", with_line("0.5"), "ends too early", 4},
        {"three indices", with_line("0.5 2 1 1"), "ends too early", 4},
        {"five indices", with_line("0.5 2 1 1 1 1"), "behind the four indices", 4},
        {"a pattern of indices that means nothing", with_line("0.5 2 1 1 0"), "expected 'i j k l'",
         4},
        {"another such pattern", with_line("0.5 0 2 0 0"), "expected 'i j k l'", 4},
        {"a third one", with_line("0.5 0 0 1 1"), "expected 'i j k l'", 4},
        {"an integral twice", header + body + "0.5 1 1 1 1\n", "contradicts", 9},
        {"its pairs the other way round", header + body + "0.61 1 1 2 2\n", "contradicts", 9},
        {"a one-electron integral twice", header + body + "0.5 2 2 0 0\n", "contradicts", 9},
        {"an orbital energy twice", header + body + "0.1 2 0 0 0\n0.2 2 0 0 0\n", "contradicts",
         10},
        {"two constants", header + body + "0.8 0 0 0 0\n", "contradicts", 9},
        {"cut within a line", header + "0.7 1 1 1 1\n0.6 2", "ends too early", 5},
        {"cut behind a line", header + "0.7 1 1 1 1\n0.6 2 2 1 1\n", "cut short", 5},
        {"no constant", header + "0.7 1 1 1 1\n-1.2 1 1 0 0\n", "constant", 5},
        {"no one-electron integrals", header + "0.7 1 1 1 1\n0.7 0 0 0 0\n", "one-electron", 5},
        {"header only", header, "cut short", 3},
        {"binary", std::string("\x7f\x45\x4c\x46\x00\xff\n", 7) + body, "expected the header", 1},
        {"binary behind the header", header + std::string("\x01\x00\xff\x7f\n", 5) + body,
         "expected a number", 4},
        {"a line of megabytes", header + endless + "\n" + body, "a line of a megabyte", 4},
        {"a number of many digits", with_line("0." + std::string(70, '3') + " 2 1 1"),
         "expected a number", 4},
        {"zeros without end", std::string(3 << 20, '\0'), "expected the header", 1},
    };
}

std::vector<malformed> damaged_archives() {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    write_text(path, header + body);
    std::vector<malformed> all;
    for (const std::string &tool : packers()) {
        const program_result packed = run_command(tool, "--stdout " + path);
        if (packed.status != 0)
            continue; // not installed
        const std::string &bytes = packed.out;
        for (const std::size_t left : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 1})
            all.push_back({tool + " cut to " + std::to_string(left) + " bytes",
                           bytes.substr(0, left), "cut short", no_line});
        std::string damaged = bytes;
        damaged[bytes.size() / 2] ^= '\x55';
        all.push_back({tool + " damaged", damaged, "", no_line});
        all.push_back({tool + ", its magic number only", bytes.substr(0, 4), "", no_line});
    }
    return all;
}

std::size_t count(const std::string &text, const std::string &piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
        ++found;
    return found;
}

void expect_told_once(const program_result &result, const std::string &path, const malformed &one) {
    const std::string all = result.out + result.err; // the launcher's wrapper prints to stdout
    EXPECT_EQ(result.status, 2) << all;
    EXPECT_EQ(count(all, "tenfold-ccsd: error: "), 1U) << all;
    EXPECT_EQ(count(all, "Hartree-Fock"), 0U) << all;
    EXPECT_NE(all.find(path), std::string::npos) << all;
    EXPECT_NE(all.find(one.message), std::string::npos) << all;
    if (one.line != no_line) {
        const std::string line = one.line > 0 ? "line " + std::to_string(one.line) + ":" : "line ";
        EXPECT_NE(all.find(line), std::string::npos) << all;
    }
}

/// Checks on one process and on three ranks.
void expect_refused(const std::string &path, const malformed &one) {
    SCOPED_TRACE(one.what);
    const program_result alone = run_command(TENFOLD_CCSD_PROGRAM, path);
    expect_told_once(alone, path, one);
    expect_told_once(run_ranks(3, TENFOLD_CCSD_PROGRAM, path), path, one);
}

/// Runs several at a time, because launching ranks is mostly waiting.
void expect_refused(const std::vector<malformed> &cases) {
    const temporary_directory directory;
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> workers;
    for (int worker = 0; worker < 10; ++worker)
        workers.emplace_back([&] {
            for (std::size_t i = next++; i < cases.size(); i = next++) {
                const std::string path = directory.file("FCIDUMP" + std::to_string(i));
                write_text(path, cases[i].text);
                expect_refused(path, cases[i]);
            }
        });
    for (std::thread &one : workers)
        one.join();
}

TEST(MalformedFcidump, WhatTheCasesAreMadeOfIsFine) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    for (const std::string &text :
         {header + body, with_header("&FCI NORB=1*2,NELEC=2,ORBSYM=2*1\n&END\n"),
          with_header("&FCI NORB=2,NELEC=2,ORBSYM=+1,008,NAME='a*b'\n&END\n"),
          with_line("0.6 1 1 2 2"), header + body + "0.70000001 1 1 1 1\n"}) {
        write_text(path, text);
        const program_result fine = run_command(TENFOLD_CCSD_PROGRAM, path);
        EXPECT_EQ(fine.status, 0) << fine.err;
    }
}

TEST(MalformedFcidump, HeadersAreRefusedWithTheirLine) { expect_refused(malformed_headers()); }

TEST(MalformedFcidump, BodiesAreRefusedWithTheirLine) { expect_refused(malformed_bodies()); }

/// Returns the output of `xz` for a text, with a header that asks for a dictionary of `size` in
/// LZMA2's code: 40 is 4 GiB - 1.
std::string xz_with_dictionary(std::string bytes, char size) {
    constexpr std::size_t block =
        12; // after the stream's header: size, flags, LZMA2, 1, dictionary
    if (bytes.size() < block + 12 || bytes.substr(block, 4) != std::string("\x02\x00\x21\x01", 4))
        return "";
    bytes[block + 4] = size;
    std::uint32_t sum = ~std::uint32_t{0};
    for (std::size_t i = 0; i < 8; ++i) {
        sum ^= static_cast<unsigned char>(bytes[block + i]);
        for (int bit = 0; bit < 8; ++bit)
            sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0);
    }
    for (std::size_t i = 0; i < 4; ++i)
        bytes[block + 8 + i] = static_cast<char>(~sum >> (8 * i) & 0xff);
    return bytes;
}

/// A file that needs too much memory to decompress is not damaged.
TEST(MalformedFcidump, AnArchiveThatTakesTooMuchMemoryIsNotCalledDamaged) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP.xz");
    write_text(path, header + body);
    const program_result packed = run_command("xz", "--stdout " + path);
    const std::string large = xz_with_dictionary(packed.out, 40);
    if (packed.status != 0 || large.empty())
        GTEST_SKIP() << "xz is missing, or writes other headers";
    write_text(path, xz_with_dictionary(packed.out, 24)); // 16 MiB
    EXPECT_EQ(run_command(TENFOLD_CCSD_PROGRAM, path).status, 0);
    write_text(path, large);
    const program_result result = run_command(TENFOLD_CCSD_PROGRAM, path);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_NE(result.err.find("takes 4097 MiB of memory to unpack"), std::string::npos)
        << result.err;
    EXPECT_EQ(result.err.find("damaged"), std::string::npos) << result.err;
}

TEST(MalformedFcidump, DamagedArchivesAreRefused) { expect_refused(damaged_archives()); }

#if !defined(__SANITIZE_ADDRESS__) // which ends a program that asks for so much
/// Not a mistake in the file: exit status 1, and the message states the bytes.
TEST(MalformedFcidump, MoreIntegralsThanThereIsMemory) {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    write_text(path, "&FCI NORB=4096,NELEC=2,\n&END\n" + body);
    const program_result result = run_command(TENFOLD_CCSD_PROGRAM, path);
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.err.find("NORB=4096 orbitals take 281"), std::string::npos) << result.err;
}
#endif

TEST(MalformedFcidump, WhatIsNoFileIsRefused) {
    const temporary_directory directory;
    const std::string missing = directory.file("missing");
    expect_refused(missing, {"a missing file", "", "cannot be opened", no_line});
    const std::string folder = directory.file("folder");
    ASSERT_TRUE(std::filesystem::create_directory(folder));
    expect_refused(folder, {"a directory", "", "is a directory", no_line});
    const std::string pipe = directory.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    expect_refused(pipe, {"a pipe", "", "not a regular file", no_line});
}

} // namespace
} // namespace tenfold::testing

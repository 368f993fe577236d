// Tests FCIDUMP files that tenfold-ccsd has to refuse: exit status 2, and one message with the
// line, printed once for any number of ranks. The reader's own tests have all kinds of wrong files
// (tests/chemistry); of those, some are given to the program, all with TENFOLD_LONG_TESTS.
#include <atomic>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../chemistry/malformed_fcidumps.hpp"
#include "fcidump_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

std::vector<malformed> damaged_archives() {
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    write_text(path, minimal_header + minimal_body);
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
         {minimal_header + minimal_body, with_header("&FCI NORB=1*2,NELEC=2,ORBSYM=2*1\n&END\n"),
          with_header("&FCI NORB=2,NELEC=2,ORBSYM=+1,008,NAME='a*b'\n&END\n"),
          with_line("0.6 1 1 2 2"), minimal_header + minimal_body + "0.70000001 1 1 1 1\n"}) {
        write_text(path, text);
        const program_result fine = run_command(TENFOLD_CCSD_PROGRAM, path);
        EXPECT_EQ(fine.status, 0) << fine.err;
    }
}

/// Returns the cases that the program tells itself, and some of the reader's.
std::vector<malformed> for_the_program(std::vector<malformed> all) {
#if defined(TENFOLD_LONG_TESTS)
    constexpr std::size_t each = 1;
#else
    constexpr std::size_t each = 8;
#endif
    std::size_t i = 0;
    std::erase_if(
        all, [&](const malformed &one) { return one.who == told_by::reader && i++ % each != 0; });
    return all;
}

TEST(MalformedFcidump, HeadersAreRefusedWithTheirLine) {
    expect_refused(for_the_program(malformed_headers()));
}

TEST(MalformedFcidump, BodiesAreRefusedWithTheirLine) {
    expect_refused(for_the_program(malformed_bodies()));
}

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
    write_text(path, minimal_header + minimal_body);
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
    write_text(path, "&FCI NORB=4096,NELEC=2,\n&END\n" + minimal_body);
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

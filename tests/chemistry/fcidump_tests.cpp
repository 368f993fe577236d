// Tests the reader of FCIDUMP files: what it makes of files that are right, and whom it blames for
// those that are wrong. malformed_fcidump_tests.cpp has all kinds of wrong ones.
#include <algorithm>
#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

#include <tenfold/chem_fcidump.hpp>

#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

const std::string header = "&FCI NORB=3,NELEC=4,MS2=2,\n ORBSYM=1,5,2,\n&END\n";
const std::string body = "0.75 1 1 1 1\n0.5 2 1 1 1\n0.25D+00 3 2 2 1\n-1.5 1 1 0 0\n"
                         "0.125 3 2 0 0\n-0.5 1 0 0 0\n0.25 2 0 0 0\n0.5 3 0 0 0\n4.0 0 0 0 0\n";

struct written_file {
    explicit written_file(const std::string &text) : path(folder.file("FCIDUMP")) {
        write_into(path, text);
    }
    temporary_folder folder;
    std::string path;
};

/// The error for a file of this text.
struct blame {
    index_t line = -1;
    std::string message = "nothing thrown";
};
blame error_of(const std::string &text) {
    const written_file file(text);
    try {
        chem::read_fcidump(file.path);
    } catch (const chem::fcidump_error &problem) {
        EXPECT_EQ(problem.code(), errc::io);
        EXPECT_EQ(std::string(problem.what()).find("'" + file.path + "'"), 0U) << problem.what();
        return {problem.line(), problem.what()};
    }
    return {};
}

TEST(Fcidump, AllThatTheFileSays) {
    const written_file file(header + body);
    const chem::integrals all = chem::read_fcidump(file.path);
    EXPECT_EQ(all.orbitals, 3);
    EXPECT_EQ(all.electrons, 4);
    EXPECT_EQ(all.spin, 2);
    EXPECT_EQ(all.symmetries, (std::vector<index_t>{1, 5, 2}));
    EXPECT_EQ(all.orbital_energies, (std::vector<double>{-0.5, 0.25, 0.5}));
    EXPECT_EQ(all.constant, 4.0);
    EXPECT_EQ(all.h(0, 0), -1.5);
    EXPECT_EQ(all.h(1, 2), 0.125);
    EXPECT_EQ(all.h(2, 1), 0.125);
    EXPECT_EQ(all.h(0, 1), 0.0); // left out
    for (const auto &[p, q] : {std::pair(2, 1), std::pair(1, 2)})
        for (const auto &[r, s] : {std::pair(1, 0), std::pair(0, 1)}) {
            EXPECT_EQ(all(p, q, r, s), 0.25);
            EXPECT_EQ(all(r, s, p, q), 0.25);
        }
    EXPECT_EQ(all(1, 0, 0, 0), 0.5);
    EXPECT_EQ(all(2, 2, 2, 2), 0.0); // left out
    EXPECT_EQ(static_cast<index_t>(8 * (all.one_electron.size() + all.two_electron.size() + 3)),
              chem::integrals::bytes_needed(3));
}

/// Texts that are no files give the same, in pieces of any size, and are blamed by their name.
TEST(Fcidump, FromMemory) {
    const auto read = [](const std::string &text, std::size_t most) {
        return chem::read_fcidump(
            "memory", [rest = std::string_view(text), most](char *to, std::size_t size) mutable {
                const std::size_t count = rest.copy(to, std::min(size, most));
                rest.remove_prefix(count);
                return count;
            });
    };
    for (const std::size_t most : {1U, 7U, 1000U}) {
        const chem::integrals all = read(header + body, most);
        EXPECT_EQ(all.orbitals, 3);
        EXPECT_EQ(all(1, 2, 0, 1), 0.25);
        EXPECT_EQ(all.constant, 4.0);
    }
    try {
        read(header + "0.75 1 1 9 1\n", 1000);
        ADD_FAILURE() << "orbital 9 of 3";
    } catch (const chem::fcidump_error &problem) {
        EXPECT_STREQ(problem.what(), "'memory', line 4: index 9: expected 0 to NORB=3");
    }
    struct interruption {};
    EXPECT_THROW(chem::read_fcidump(
                     "memory", [](char *, std::size_t) -> std::size_t { throw interruption(); }),
                 interruption);
}

TEST(Fcidump, HeaderAlone) {
    const written_file file(header + "what is no line of a body\n");
    const chem::fcidump_header read = chem::read_fcidump_header(file.path);
    EXPECT_EQ(read.orbitals, 3);
    EXPECT_EQ(read.electrons, 4);
    EXPECT_EQ(read.spin, 2);
    EXPECT_EQ(read.symmetries.size(), 3U);
    EXPECT_EQ(read.last_line, 3);
}

TEST(Fcidump, SpinsThatElectronsCanHave) {
    const auto spin_for = [](const std::string &names) {
        const written_file file("&FCI NORB=3," + names + "\n&END\n");
        return chem::read_fcidump_header(file.path).spin;
    };
    EXPECT_EQ(spin_for("NELEC=4"), 0); // without MS2 the lowest
    EXPECT_EQ(spin_for("NELEC=3"), 1);
    EXPECT_EQ(spin_for("NELEC=0"), 0);
    EXPECT_EQ(spin_for("NELEC=3,MS2=3"), 3);
    EXPECT_EQ(spin_for("NELEC=4,MS2=-2"), -2);
    for (const char *names :
         {"NELEC=3,MS2=0", "NELEC=4,MS2=1", "NELEC=4,MS2=4", "NELEC=2,MS2=-4"}) {
        const blame found = error_of("&FCI NORB=3," + std::string(names) + "\n&END\n" + body);
        EXPECT_EQ(found.line, 2) << names;
        EXPECT_NE(found.message.find("MS2="), std::string::npos) << found.message;
    }
}

TEST(Fcidump, EnergiesOfSomeOrbitalsAreNone) {
    std::string some = body;
    some.erase(some.find("0.25 2 0 0 0\n"), 13);
    const written_file file(header + some);
    EXPECT_TRUE(chem::read_fcidump(file.path).orbital_energies.empty());
}

TEST(Fcidump, TheFirstMalformedLineIsBlamedAndNothingIsReadPastIt) {
    const blame found = error_of(header + "0.75 1 1 1 1\n0.5 1 1 9 1\n0.5 x\n");
    EXPECT_EQ(found.line, 5);
    EXPECT_NE(found.message.find(", line 5: index 9: expected 0 to NORB=3"), std::string::npos)
        << found.message;

    EXPECT_EQ(error_of("").line, 1);
    EXPECT_EQ(error_of(header + "0.75 1 1 1 1\n0.5 1 1 1 1\n" + body).line, 5);

    std::vector<chem::fcidump_entry> entries;
    EXPECT_THROW(
        chem::parse_fcidump_lines("0.75 1 1 1 1\n0.5 1 1 1\n0.25 2 2 2 2\n", 10, "f", 3, entries),
        chem::fcidump_error);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].line, 10);
    EXPECT_EQ(entries[0].value, 0.75);
}

TEST(Fcidump, WhatIsWrongWithTheWholeFileHasNoLine) {
    const temporary_folder folder;
    for (const std::string &path : {folder.file("missing"), folder.path()})
        try {
            chem::read_fcidump(path);
            ADD_FAILURE() << path;
        } catch (const chem::fcidump_error &problem) {
            EXPECT_EQ(problem.line(), 0);
            const std::string text = problem.what();
            EXPECT_EQ(text.find("'" + path + "': "), 0U) << text;
            EXPECT_NE(text.find(": expected an FCIDUMP"), std::string::npos) << text;
        }
}

TEST(Fcidump, LinesWithoutEndAreRefused) {
    const std::string endless(chem::fcidump_text::longest_line + 5, ' ');
    EXPECT_EQ(error_of(header + body + endless + "\n").line, 13);
    const std::string long_one(chem::fcidump_text::longest_line - 2, ' ');
    EXPECT_EQ(error_of(header + long_one + "\n" + body).message, "nothing thrown");
}

/// In pieces of any size, parsed in any order and put in the order of lines, a file gives the same.
TEST(Fcidump, InPieces) {
    const written_file file(header + body + "0.76 1 1 1 1\n");
    for (const std::size_t most : {1U, 13U, 30U, 1000U}) {
        chem::fcidump_text text(file.path);
        chem::integrals list;
        list.orbitals = text.header().orbitals;
        std::vector<std::vector<chem::fcidump_entry>> pieces;
        std::string_view lines;
        for (index_t first = text.line() + 1; text.next_lines(lines, most);
             first = text.line() + 1) {
            pieces.emplace_back();
            chem::parse_fcidump_lines(lines, first, file.path, list.orbitals, pieces.back());
        }
        EXPECT_EQ(pieces.size() > 1, most < 1000);
        chem::integrals_builder builder(list);
        for (const auto &piece : pieces)
            for (const chem::fcidump_entry &one : piece)
                builder.put(one);
        try {
            builder.finish(file.path, text.line());
            ADD_FAILURE() << "0.75 and 0.76 agree";
        } catch (const chem::fcidump_error &problem) {
            EXPECT_EQ(problem.line(), 13) << most;
        }
        EXPECT_EQ(text.line(), 13);
    }
}

TEST(Fcidump, ErrorsCanBeCopied) {
    const chem::fcidump_error one("file", 3, "is wrong");
    const chem::fcidump_error other = one; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_STREQ(other.what(), "'file', line 3: is wrong");
    EXPECT_EQ(other.line(), 3);
    EXPECT_STREQ(chem::fcidump_error("file", 0, "is wrong").what(), "'file': is wrong");
}

} // namespace
} // namespace tenfold::testing

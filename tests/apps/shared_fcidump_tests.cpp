// Tests that ranks that parse an FCIDUMP of many pieces together get the same result as one rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <vector>

#include "fcidump_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

const std::string water = TENFOLD_TEST_DATA "/h2o_sto3g.FCIDUMP";
constexpr double hf_energy = -74.94207992819231; // psi4 1.3.2 (data/README.md)

/// The header of water's file and the lines of its body.
struct water_text {
    std::string header;
    std::vector<std::string> lines;

    water_text() {
        std::istringstream text(read_text(water));
        bool in_header = true;
        for (std::string line; std::getline(text, line);) {
            if (in_header)
                header += line + "\n";
            else
                lines.push_back(line);
            if (line.find("END") != std::string::npos || line.find('/') != std::string::npos)
                in_header = false;
        }
    }
    std::string body() const {
        std::string all;
        for (const std::string &line : lines)
            all += line + "\n";
        return all;
    }
    /// Returns the lines with right indices and slightly wrong numbers, which do not contradict;
    /// `copies` times.
    std::string wrong(int copies) const {
        std::string once;
        for (const std::string &line : lines) {
            std::istringstream words(line);
            double value = 0;
            int index[4] = {};
            words >> value >> index[0] >> index[1] >> index[2] >> index[3];
            std::ostringstream out;
            out << std::setprecision(17) << value + 5e-7;
            for (const int one : index)
                out << ' ' << one;
            once += out.str() + "\n";
        }
        std::string all;
        for (int copy = 0; copy < copies; ++copy)
            all += once;
        return all;
    }
    long header_lines() const { return std::count(header.begin(), header.end(), '\n'); }
};

constexpr int many = 400; // more than a megabyte

program_result run(int ranks, const std::string &arguments) {
    return ranks == 0 ? run_command(TENFOLD_CCSD_PROGRAM, arguments)
                      : run_ranks(ranks, TENFOLD_CCSD_PROGRAM, arguments);
}

TEST(SharedFcidump, TheLastOfEqualLinesCounts) {
    const water_text text;
    ASSERT_GT(text.lines.size(), 100U);
    const std::string all = text.header + text.wrong(many) + text.body();
    ASSERT_GT(all.size(), std::size_t{1} << 20);
    const temporary_directory directory;
    const std::string plain = directory.file("plain");
    write_text(plain, all);
    std::vector<std::string> files{plain};
    if (const program_result packed = run_command(packers().back(), "--stdout " + plain);
        packed.status == 0) {
        files.push_back(directory.file("packed"));
        write_text(files.back(), packed.out);
    }
    for (const std::string &file : files)
        for (const int ranks : {0, 2, 3})
            for (const char *method : {"hf", "ccsd"}) { // lists on the root, and everywhere
                SCOPED_TRACE(file + ", " + method + ", ranks: " + std::to_string(ranks));
                const std::string json = directory.file("json");
                const program_result result =
                    run(ranks, file + " --method " + method + " --json " + json);
                ASSERT_EQ(result.status, 0) << result.err;
                const auto energies = nlohmann::json::parse(read_text(json))["energies"];
                EXPECT_NEAR(energies["hf_total"].get<double>(), hf_energy, 1e-9);
            }
}

TEST(SharedFcidump, TheFirstMalformedLineIsTold) {
    const water_text text;
    const std::string wrong = text.wrong(many);
    const long lines = std::count(wrong.begin(), wrong.end(), '\n');
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    for (const long behind : {lines / 3, lines / 2, lines}) {
        std::size_t at = 0;
        for (long line = 0; line < behind; ++line)
            at = wrong.find('\n', at) + 1;
        write_text(path, text.header + wrong.substr(0, at) + "0.5 1 1 1\n" + wrong.substr(at) +
                             "0.5 1 1\n" + text.body());
        const std::string line = "line " + std::to_string(text.header_lines() + behind + 1) + ":";
        for (const int ranks : {0, 2, 4}) {
            SCOPED_TRACE(line + " ranks: " + std::to_string(ranks));
            const program_result result = run(ranks, path);
            EXPECT_EQ(result.status, 2);
            const std::string all = result.out + result.err;
            EXPECT_NE(all.find(line), std::string::npos) << all;
            EXPECT_NE(all.find("ends too early"), std::string::npos) << all;
        }
    }
}

TEST(SharedFcidump, WhatCannotBeReadIsToldByAllRanks) {
    const water_text text;
    const temporary_directory directory;
    const std::string path = directory.file("FCIDUMP");
    const std::string all = text.header + text.wrong(many) + text.body();
    const auto expect = [&](const std::string &content, const char *message) {
        write_text(path, content);
        for (const int ranks : {0, 2, 3}) {
            SCOPED_TRACE(std::string(message) + ", ranks: " + std::to_string(ranks));
            const program_result result = run(ranks, path);
            EXPECT_EQ(result.status, 2);
            EXPECT_NE((result.out + result.err).find(message), std::string::npos)
                << result.out << result.err;
        }
    };
    std::string two_electron_only;
    for (int copy = 0; copy < 100 * many; ++copy)
        two_electron_only += text.lines.front() + "\n";
    expect(text.header + two_electron_only, "cut short");
    expect(text.header + text.wrong(1) + std::string(std::size_t{3} << 20, ' ') + "\n",
           "a line of a megabyte");
    write_text(path, all);
    for (const std::string &tool : packers())
        if (const program_result packed = run_command(tool, "--stdout " + path);
            packed.status == 0) {
            expect(packed.out.substr(0, packed.out.size() * 3 / 4), "cut short");
            write_text(path, all);
        }
}

} // namespace
} // namespace tenfold::testing

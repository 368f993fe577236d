// Runs a program through a shell and keeps its output.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tenfold::testing {

struct program_result {
    int status; ///< exit status; 128 + n for signal n
    std::string out;
    std::string err;

    /// Returns stdout as one JSON object; fails the test if it is anything else.
    nlohmann::json json() const;
};

/// `arguments` are in the shell's syntax, including quotes.
program_result run_tenfold(const std::string &arguments);
/// For commands that measure: repeats if other programs kept the cores so busy that the program
/// rejected its measurements.
program_result run_tenfold_until_measured(const std::string &arguments);
program_result run_bench(const std::string &arguments);
program_result run_command(const std::string &program, const std::string &arguments);
/// Runs under the launcher. If it succeeds, only the program's own lines may be on stderr.
program_result run_ranks(int ranks, const std::string &program, const std::string &arguments);

/// A directory that is removed with its content at the end of a test.
class temporary_directory {
public:
    temporary_directory();
    ~temporary_directory();
    temporary_directory(const temporary_directory &) = delete;
    temporary_directory &operator=(const temporary_directory &) = delete;
    std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

std::string read_text(const std::string &path);
void write_text(const std::string &path, const std::string &text);

} // namespace tenfold::testing

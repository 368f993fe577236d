// Runs a program as a shell would, and keeps what it said.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tenfold::testing {

struct program_result {
    int status; ///< exit status; 128 + n for signal n
    std::string out;
    std::string err;

    /// stdout as one JSON object; a test failure when it is anything else.
    nlohmann::json json() const;
};

/// `arguments` as they stand on a shell's command line, quotes included.
program_result run_tenfold(const std::string &arguments);
/// For commands that measure: again, when other programs kept the cores for so long that the
/// program refuses to believe its clock.
program_result run_tenfold_until_measured(const std::string &arguments);
program_result run_bench(const std::string &arguments);
program_result run_command(const std::string &program, const std::string &arguments);
/// Under the launcher, with nothing but the program's own lines on stderr allowed when it succeeds.
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

#include "run_program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenfold::testing {
namespace {

/// Sets a session directory of its own for Open MPI 4. By default all jobs of a user share one,
/// which a job may remove while another starts.
program_result run_shell(const std::string &command) {
    const temporary_directory directory;
    const std::string out = directory.file("out");
    const std::string err = directory.file("err");
    const std::string sessions = "export OMPI_MCA_orte_tmpdir_base=" + directory.file("") + "; ";
    const int raw = std::system(("( " + sessions + command + " ) >" + out + " 2>" + err).c_str());
    const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    return {status, read_text(out), read_text(err)};
}

} // namespace

nlohmann::json program_result::json() const {
    const auto value = nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(value.is_object()) << "not one JSON object: " << out << "stderr: " << err;
    return value.is_object() ? value : nlohmann::json::object();
}

program_result run_tenfold(const std::string &arguments) {
    return run_shell(std::string(TENFOLD_PROGRAM) + " " + arguments);
}

program_result run_tenfold_until_measured(const std::string &arguments) {
    while (true) {
        const program_result result = run_tenfold(arguments);
        if (result.out.find("too long for a search") == std::string::npos &&
            result.err.find("is beyond any machine's") == std::string::npos)
            return result;
    }
}

program_result run_bench(const std::string &arguments) {
    return run_shell(std::string(TENFOLD_BENCH_PROGRAM) + " " + arguments);
}

program_result run_command(const std::string &program, const std::string &arguments) {
    return run_shell(program + " " + arguments);
}

program_result run_ranks(int ranks, const std::string &program, const std::string &arguments) {
    return run_shell(std::string(TENFOLD_QUIET_MPIRUN) + " " + TENFOLD_MPIEXEC + " " +
                     std::to_string(ranks) + " " + program + " " + arguments);
}

temporary_directory::temporary_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "tenfold-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
}

temporary_directory::~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write_text(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace tenfold::testing

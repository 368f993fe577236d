// Tests the programs on a terminal: progress, and Ctrl-C.
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// A program that runs on a terminal of its own.
class on_terminal {
public:
    explicit on_terminal(std::vector<std::string> command) {
        process_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
        if (process_ == 0) {
            std::vector<char *> arguments;
            for (std::string &one : command)
                arguments.push_back(one.data());
            arguments.push_back(nullptr);
            execv(arguments.front(), arguments.data());
            std::_Exit(127);
        }
    }
    ~on_terminal() {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            waitpid(process_, nullptr, 0);
        }
        close(terminal_);
    }
    on_terminal(const on_terminal &) = delete;
    on_terminal &operator=(const on_terminal &) = delete;

    /// Reads until `text` was printed. Returns false if the program ended before.
    bool waits_for(const std::string &text) {
        while (output_.find(text) == std::string::npos)
            if (!reads())
                return false;
        return true;
    }
    void press_control_c() const { EXPECT_EQ(write(terminal_, "\x03", 1), 1); }
    /// Reads the rest. Returns the exit status, or 128 plus the signal that ended the program.
    int ends() {
        while (reads()) {
        }
        int raw = 0;
        waitpid(process_, &raw, 0);
        process_ = -1;
        return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    }
    const std::string &output() const noexcept { return output_; }

private:
    bool reads() {
        char bytes[4096];
        const ssize_t count =
            read(terminal_, bytes, sizeof bytes); // fails where all have closed it
        if (count > 0)
            output_.append(bytes, static_cast<std::size_t>(count));
        return count > 0;
    }

    int terminal_ = -1;
    pid_t process_ = -1;
    std::string output_;
};

TEST(Terminal, long_work_tells_how_far_it_is_and_ends_by_control_c) {
    const temporary_directory directory;
    const std::string a = directory.file("a.npy");
    const std::string out = directory.file("d.npy");
    write_text(a,
               integer_array({1500, 1500}, /*seed=*/1, /*complex=*/false).file_bytes("<f8", false));
    write_text(out, "what it was");
    // The reference algorithm takes seconds.
    on_terminal program({TENFOLD_PROGRAM, "contract", "ab=ac*cb", "--a", a, "--b", a, "--out", out,
                         "--threads", "1", "--algorithm", "reference"});
    ASSERT_TRUE(program.waits_for(" %, ")) << program.output();
    ASSERT_TRUE(program.waits_for(" left")) << program.output();
    program.press_control_c();
    EXPECT_EQ(program.ends(), 130) << program.output();
    EXPECT_NE(program.output().find("error: stopped; files are what they were"), std::string::npos)
        << program.output();
    EXPECT_EQ(read_text(out), "what it was");
}

TEST(Terminal, the_bench_reports_what_it_measured_before_control_c) {
    const temporary_directory directory;
    const std::string json = directory.file("bench.json");
    on_terminal program(
        {TENFOLD_BENCH_PROGRAM, "tccg", "--threads", "1", "--repeat", "1", "--json", json});
    ASSERT_TRUE(program.waits_for("tccg01")) << program.output();
    program.press_control_c();
    EXPECT_EQ(program.ends(), 130) << program.output();
    EXPECT_NE(program.output().find("cases were not reached"), std::string::npos)
        << program.output();
    const auto report = nlohmann::json::parse(read_text(json));
    EXPECT_GE(report["cases"].size(), 1U);
    EXPECT_LT(report["cases"].size(), 24U);
}

} // namespace
} // namespace tenfold::testing

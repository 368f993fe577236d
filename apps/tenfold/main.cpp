// tenfold: contractions and transpositions from the command line.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <tenfold/version.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"
#include "apps/tenfold/commands.hpp"

namespace tenfold::apps_impl {
namespace {

struct command {
    const char *name;
    const char *purpose;
    int (*run)(const std::vector<std::string> &arguments);
};

constexpr std::array<command, 6> commands = {{
    {"contract", "contract tensors from files or made-up ones, and say how fast it went",
     contract_command},
    {"explain", "show how a contraction would run, without running it", explain_command},
    {"transpose", "permute the modes of a tensor", transpose_command},
    {"check", "read a file of tensors from end to end, and say whether it is sound", check_command},
    {"calibrate", "measure how fast this machine is, so that plans are priced by that",
     calibrate_command},
    {"info", "show the machine, the kernels and the settings in force", info_command},
}};

void print_help() {
    if (launched_rank() != 0)
        return;
    std::puts("Usage: tenfold COMMAND [options]\n\n"
              "Contractions of dense tensors, D = alpha A B + beta C over labelled modes.\n\n"
              "Commands:");
    for (const command &one : commands)
        std::printf("  %-10s %s\n", one.name, one.purpose);
    std::puts("\n'tenfold COMMAND --help' tells more. Exit status: 0 on success, 1 on failure (a "
              "failed\nverification included), 2 for wrong usage.");
}

std::string known_commands() {
    std::vector<std::string> names;
    for (const command &one : commands)
        names.emplace_back(one.name);
    return join_choices(names);
}

/// Handles --help, --version and words that are not a command.
int run_without_command(const std::string &name) {
    if (name == "--help" || name == "-h" || name == "help") {
        print_help();
        return exit_success;
    }
    if (name == "--version") {
        if (launched_rank() == 0)
            std::printf("tenfold %s\n", version());
        return exit_success;
    }
    if (name.empty())
        throw usage_error("a command is missing: " + known_commands());
    throw usage_error("unknown command '" + name + "': expected " + known_commands());
}

} // namespace
} // namespace tenfold::apps_impl

int main(int argc, char **argv) {
    using namespace tenfold::apps_impl;
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const std::string name = words.empty() ? "" : words.front();
    const std::vector<std::string> arguments(words.begin() + (words.empty() ? 0 : 1), words.end());
    for (const command &one : commands)
        if (name == one.name)
            return run_program("tenfold " + name, [&] { return one.run(arguments); });
    return run_program("tenfold", [&] { return run_without_command(name); });
}

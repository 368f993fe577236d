#include "apps/examples/example.hpp"

#include <cmath>
#include <cstdio>

#include "apps/common/launcher.hpp"
#include "apps/common/option_groups.hpp"
#include "apps/common/values.hpp"

namespace tenfold::examples {

using namespace apps_impl;

bool parse_with_common_options(command_line &line, common_options &options,
                               const std::vector<std::string> &arguments) {
    auto &group = line.group("How");
    add_threads_option(group, options.threads);
    const auto seed = [](const std::string &option, const std::string &text) {
        return static_cast<std::uint32_t>(parse_count(option, text, 0));
    };
    add_value(group, "seed", "N", &options.seed, seed, "of the made-up numbers; 1 unless given");
    add_flag(group, "plans", &options.plans, "show the plan of each contraction");
    if (!line.parse(arguments))
        return false;
    if (launched_ranks() > 1)
        throw usage_error("this example runs on one process only");
    return true;
}

void add_extent(po::options_description &group, const char *name, index_t *target,
                const char *meaning) {
    const auto parse = [](const std::string &option, const std::string &text) {
        return index_t{parse_count(option, text, 1)};
    };
    add_value(group, name, "N", target, parse, meaning);
}

void add_number(po::options_description &group, const char *name, double *target,
                const char *meaning) {
    const auto parse = [](const std::string &option, const std::string &text) {
        const scalar value = parse_scalar(option, text);
        if (value.imag() != 0 || !(value.real() > 0) || std::isinf(value.real()))
            throw usage_error(option + " '" + text + "': expected a number above 0");
        return value.real();
    };
    add_value(group, name, "X", target, parse, meaning);
}

void checks::at_most(const std::string &what, double error, double bound) {
    const bool right = error <= bound;
    std::printf("%-6s %s: %.3g, allowed %.3g\n", right ? "ok" : "WRONG", what.c_str(), error,
                bound);
    if (!right && failed_.empty())
        failed_ = what;
}

void checks::holds(const std::string &what, bool right) {
    std::printf("%-6s %s\n", right ? "ok" : "WRONG", what.c_str());
    if (!right && failed_.empty())
        failed_ = what;
}

void checks::conclude() const {
    if (!failed_.empty())
        throw failure("the result is wrong: " + failed_);
}

} // namespace tenfold::examples

// A program's or subcommand's command line: option groups, --help and --version.
//
// Boost.Program_options parses. Functions for options of several commands are in option_groups.hpp.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

namespace tenfold::apps_impl {

namespace po = boost::program_options;

class command_line {
public:
    /// `synopsis` follows the program's name in the help; `purpose` is the paragraph below it.
    command_line(std::string program, std::string synopsis, std::string purpose);

    /// Adds a group of options under a title. The reference stays valid.
    po::options_description &group(const std::string &title);

    /// Declares the one argument without a name, for instance the expression; messages call it
    /// `name`.
    void set_positional(const std::string &name, std::string *value);

    /// Reads the arguments into the variables that the options are bound to. Returns false if it
    /// has printed --help or --version. Throws usage_error.
    bool parse(const std::vector<std::string> &arguments);

private:
    void print_help() const;

    std::string program_;
    std::string synopsis_;
    std::string purpose_;
    std::deque<po::options_description> groups_;
    std::string positional_name_;
    std::string *positional_value_ = nullptr;
};

/// Adds an option whose value `parse(option name, text)` reads, for instance
///     add_value(group, "beta", "X", &request.beta, parse_scalar, "multiplies C");
template <class Target, class Parse>
void add_value(po::options_description &group, const char *name, const char *value_name,
               Target *target, Parse parse, const char *meaning) {
    auto *value = po::value<std::string>();
    value->value_name(value_name);
    value->notifier([name, target, parse](const std::string &text) {
        *target = parse("--" + std::string(name), text);
    });
    group.add_options()(name, value, meaning);
}

/// Adds an option that may be given several times; `parse` reads each of its values.
template <class Element, class Parse>
void add_repeated(po::options_description &group, const char *name, const char *value_name,
                  std::vector<Element> *target, Parse parse, const char *meaning) {
    auto *value = po::value<std::vector<std::string>>();
    value->value_name(value_name)->composing();
    value->notifier([name, target, parse](const std::vector<std::string> &texts) {
        for (const std::string &text : texts)
            target->push_back(parse("--" + std::string(name), text));
    });
    group.add_options()(name, value, meaning);
}

/// Adds an option without a value.
inline void add_flag(po::options_description &group, const char *name, bool *target,
                     const char *meaning) {
    group.add_options()(name, po::bool_switch(target), meaning);
}

/// Returns the text unchanged, for instance a file name. Throws usage_error if it is empty.
std::string parse_text(const std::string &option, const std::string &text);

} // namespace tenfold::apps_impl

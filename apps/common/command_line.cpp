#include "apps/common/command_line.hpp"

#include <iostream>
#include <sstream>

#include <tenfold/version.hpp>

#include "apps/common/launcher.hpp"
#include "apps/common/program.hpp"

namespace tenfold::apps_impl {
namespace {

/// True for an expression that begins with a hyphen, such as "->" and "-ab-ab", whose output has no
/// modes. All options that begin with one hyphen are a single letter.
bool is_expression(const std::string &argument) {
    return argument.size() > 1 && argument.front() == '-' && argument[1] != '-' &&
           argument.find_first_of("->", 1) != std::string::npos;
}

} // namespace

command_line::command_line(std::string program, std::string synopsis, std::string purpose)
    : program_(std::move(program)), synopsis_(std::move(synopsis)), purpose_(std::move(purpose)) {}

po::options_description &command_line::group(const std::string &title) {
    return groups_.emplace_back(title, 100, 60);
}

void command_line::set_positional(const std::string &name, std::string *value) {
    positional_name_ = name;
    positional_value_ = value;
}

bool command_line::parse(const std::vector<std::string> &arguments) {
    group("Other").add_options()("help,h", "print this help and exit")(
        "version", "print the version and exit");

    std::vector<std::string> positional;
    po::options_description all;
    for (const po::options_description &one : groups_)
        all.add(one);
    all.add_options()("positional", po::value(&positional));
    po::positional_options_description position;
    position.add("positional", -1);

    const auto expression_first = [&](std::vector<std::string> &rest) {
        std::vector<po::option> found;
        if (!is_expression(rest.front()) || positional_value_ == nullptr)
            return found;
        found.emplace_back();
        found.back().value = {rest.front()};
        found.back().original_tokens = {rest.front()};
        rest.erase(rest.begin());
        return found;
    };

    try {
        namespace style = po::command_line_style;
        // Abbreviations are not accepted: one that works today would break when an option is added.
        const int spelling = style::allow_long | style::long_allow_adjacent |
                             style::long_allow_next | style::allow_short |
                             style::allow_dash_for_short | style::short_allow_next;
        po::variables_map values;
        po::store(po::command_line_parser(arguments)
                      .options(all)
                      .positional(position)
                      .style(spelling)
                      .extra_style_parser(expression_first)
                      .run(),
                  values);
        if (values.count("help") != 0) {
            print_help();
            return false;
        }
        if (values.count("version") != 0) {
            if (launched_rank() == 0)
                std::cout << "tenfold " << version() << '\n';
            return false;
        }
        po::notify(values);
    } catch (const po::error &problem) {
        throw usage_error(problem.what());
    }

    const std::size_t allowed = positional_value_ == nullptr ? 0 : 1;
    if (positional.size() > allowed)
        throw usage_error("unexpected argument '" + positional[allowed] + "'");
    if (positional.size() < allowed)
        throw usage_error(positional_name_ + " is missing");
    if (allowed == 1)
        *positional_value_ = positional.front();
    return true;
}

void command_line::print_help() const {
    if (launched_rank() != 0)
        return;
    std::cout << "Usage: " << program_ << ' ' << synopsis_ << "\n\n" << purpose_ << '\n';
    for (const po::options_description &one : groups_)
        std::cout << '\n' << one;
}

std::string parse_text(const std::string &option, const std::string &text) {
    if (text.empty())
        throw usage_error(option + " needs a value");
    return text;
}

} // namespace tenfold::apps_impl

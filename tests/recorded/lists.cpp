#include "recorded/lists.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "apps/bench/random_contractions.hpp"

namespace tenfold::testing {
namespace {

using words = std::vector<std::string>;

words split(const std::string &text, char separator) {
    words parts;
    std::istringstream in(text);
    for (std::string one; std::getline(in, one, separator);)
        parts.push_back(one);
    return parts;
}

/// Returns the lines without comments and empty ones.
std::vector<words> lines_of(const std::string &text) {
    std::vector<words> lines;
    for (const std::string &one : split(text, '\n')) {
        std::istringstream in(one.substr(0, one.find('#')));
        words line;
        for (std::string word; in >> word;)
            line.push_back(word);
        if (!line.empty())
            lines.push_back(line);
    }
    return lines;
}

template <class Number> std::vector<Number> numbers(const std::string &text, char separator) {
    std::vector<Number> result;
    for (const std::string &one : split(text, separator))
        result.push_back(static_cast<Number>(std::stoll(one)));
    return result;
}

listed_contraction product(const std::string &name) {
    const auto sizes = numbers<index_t>(name, 'x');
    if (sizes.size() != 3)
        throw std::invalid_argument("not MxNxK: " + name);
    // Labels are numbered by their first appearance in the inputs: a, c, b.
    return {name, parse("ab=ac*cb"), {sizes[0], sizes[2], sizes[1]}};
}

} // namespace

extents_t listed_contraction::extents_of(const std::vector<label_t> &labels) const {
    extents_t result;
    for (const label_t label : labels)
        result.push_back(extents[static_cast<std::size_t>(label)]);
    return result;
}

std::vector<extents_t> listed_contraction::all_extents() const {
    std::vector<extents_t> all;
    for (const auto &labels : spec.inputs)
        all.push_back(extents_of(labels));
    all.push_back(extents_of(spec.output));
    return all;
}

std::vector<listed_contraction> read_contractions(const std::string &text, data_type type) {
    std::vector<listed_contraction> all;
    for (const words &line : lines_of(text)) {
        if (line.size() == 1) {
            all.push_back(product(line[0]));
            continue;
        }
        listed_contraction one{line.at(0), parse(line.at(1)), {}};
        std::map<std::string, index_t> given;
        for (const std::string &extent :
             split(line.size() > 3 && size_of(type) >= 8 ? line[3] : line.at(2), ','))
            given[extent.substr(0, extent.find('='))] =
                std::stoll(extent.substr(extent.find('=') + 1));
        for (const std::string &label : one.spec.label_names)
            one.extents.push_back(given.at(label));
        all.push_back(one);
    }
    return all;
}

std::vector<listed_transposition> read_transpositions(const std::string &text) {
    std::vector<listed_transposition> all;
    for (const words &line : lines_of(text))
        all.push_back(
            {line.at(0), numbers<int>(line.at(1), ','), numbers<index_t>(line.at(2), ',')});
    return all;
}

std::string bench_list(const std::string &name) {
    const std::string file = TENFOLD_BENCH_LISTS "/" + name + ".txt";
    std::ifstream in(file);
    if (!in)
        throw std::invalid_argument(file + " cannot be read");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string random_list(int count, bool tiny) {
    using namespace apps_impl;
    return random_contractions({count, tiny ? 2U : 1U},
                               tiny ? tiny_contractions : large_contractions);
}

} // namespace tenfold::testing

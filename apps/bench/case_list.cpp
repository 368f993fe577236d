#include "apps/bench/case_list.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include <fnmatch.h>

#include <tenfold/error.hpp>

#include "apps/common/program.hpp"
#include "apps/common/values.hpp"
#include "base/input_file.hpp"

namespace tenfold::apps_impl {
namespace {

using words = std::vector<std::string>;

/// Parses "MxNxK".
std::optional<extents_t> parse_sizes(const std::string &text) {
    extents_t sizes;
    const char *at = text.data();
    const char *const end = at + text.size();
    while (true) {
        index_t value = 0;
        const auto [next, status] = std::from_chars(at, end, value);
        if (status != std::errc() || value < 1)
            return std::nullopt;
        sizes.push_back(value);
        if (next == end)
            break;
        if (*next != 'x')
            return std::nullopt;
        at = next + 1;
    }
    return sizes.size() == 3 ? std::optional(sizes) : std::nullopt;
}

bench_case matrix_product(const std::string &suite, const std::string &name,
                          const extents_t &sizes) {
    bench_case result{suite, name, "ab=ac*cb", parse("ab=ac*cb"), {}};
    // The parser numbers labels by first appearance in the inputs: a, c, b.
    result.extents = {sizes[0], sizes[2], sizes[1]};
    return result;
}

bench_case read_matrix_product(const std::string &suite, const words &line) {
    const auto sizes = parse_sizes(line.back());
    if (line.size() > 2 || !sizes)
        throw usage_error("expected [name] MxNxK");
    return matrix_product(suite, line.front(), *sizes);
}

bench_case read_transposition(const words &line) {
    if (line.size() != 3)
        throw usage_error("expected a name, a permutation and extents");
    const extents_t permutation = parse_integers("permutation", line[1]);
    extents_t sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t mode = 0; mode < sorted.size(); ++mode)
        if (sorted[mode] != static_cast<index_t>(mode))
            throw usage_error("'" + line[1] + "' is not a permutation of 0, 1, ...");
    return transposition(line[0], permutation, parse_integers("extents", line[2]));
}

bench_case read_contraction(const std::string &suite, const words &line, data_type type) {
    if (line.size() != 3 && line.size() != 4)
        throw usage_error("expected a name, an expression and one or two lists of extents");
    bench_case result{suite, line[0], line[1], parse(line[1]), {}};
    if (result.spec.operation != contraction_spec::update::assign || result.spec.scale != 1.0)
        throw usage_error("'" + line[1] +
                          "': only '=' without a factor; --beta says what is added");
    // The second list of extents is for elements of 8 bytes and more, so that tensors of all types
    // have about the same bytes.
    const std::string &text = line.size() == 4 && size_of(type) >= 8 ? line[3] : line[2];
    const labelled_extents given = parse_extents("extents", text);
    for (const std::string &label : result.spec.label_names) {
        const auto found = std::find_if(given.begin(), given.end(),
                                        [&](const auto &one) { return one.first == label; });
        if (found == given.end())
            throw usage_error("no extent for label '" + label + "'");
        result.extents.push_back(found->second);
    }
    if (given.size() != result.extents.size())
        throw usage_error("extents for labels that '" + line[1] + "' does not have");
    return result;
}

bench_case read_case(const std::string &suite, const words &line, data_type type) {
    if (suite == "ttc")
        return read_transposition(line);
    if (suite == "tccg" || suite == "dist" || suite == "small --contract" || suite == "interfaces")
        return read_contraction(suite, line, type);
    return read_matrix_product(suite, line);
}

std::vector<bench_case> read_list(const std::string &suite, const std::string &source,
                                  std::istream &in, data_type type) {
    std::vector<bench_case> cases;
    int number = 0;
    for (std::string text; std::getline(in, text);) {
        ++number;
        std::istringstream fields(text.substr(0, text.find('#')));
        words line;
        for (std::string word; fields >> word;)
            line.push_back(word);
        if (line.empty())
            continue;
        try {
            cases.push_back(read_case(suite, line, type));
        } catch (const std::exception &problem) {
            throw error(errc::io,
                        "'" + source + "' line " + std::to_string(number) + ": " + problem.what());
        }
    }
    return cases;
}

std::vector<bench_case> all_cases(const std::string &suite, const std::string &file,
                                  data_type type) {
    if (!file.empty()) {
        constexpr byte_count most = mib(16);
        const base::input_file list(file);
        if (list.size() > most.value)
            list.fail("is larger than any list of cases");
        return read_cases(suite, file, list.start(list.size()), type);
    }
    for (const builtin_list &list : builtin_lists())
        if (suite == list.suite)
            return read_cases(suite, suite, list.text, type);
    return {};
}

index_t count(const std::vector<label_t> &labels, label_t label) {
    return std::count(labels.begin(), labels.end(), label);
}

std::vector<label_t> distinct(std::vector<label_t> labels) {
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
}

} // namespace

std::vector<bench_case> read_cases(const std::string &suite, const std::string &source,
                                   const std::string &text, data_type type) {
    std::istringstream in(text);
    return read_list(suite, source, in, type);
}

bench_case transposition(const std::string &name, const extents_t &permutation,
                         const extents_t &extents) {
    if (permutation.size() != extents.size() || extents.size() > 26)
        throw usage_error("a permutation of " + std::to_string(permutation.size()) +
                          " modes, but " + std::to_string(extents.size()) + " extents");
    std::string from;
    std::string to;
    for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        from += static_cast<char>('a' + mode);
        to += static_cast<char>('a' + permutation[mode]);
    }
    const std::string text = to + "=" + from;
    return {"ttc", name, text, parse(text), extents};
}

std::vector<int> bench_case::permutation() const {
    const std::vector<label_t> &from = spec.inputs[0];
    std::vector<int> modes;
    for (const label_t label : spec.output)
        modes.push_back(
            static_cast<int>(std::find(from.begin(), from.end(), label) - from.begin()));
    return modes;
}

extents_t bench_case::extents_of(const std::vector<label_t> &labels) const {
    extents_t result;
    for (const label_t label : labels)
        result.push_back(extents[static_cast<std::size_t>(label)]);
    return result;
}

bool bench_case::is_batch(label_t label) const {
    return count(spec.output, label) > 0 &&
           std::all_of(spec.inputs.begin(), spec.inputs.end(),
                       [label](const auto &labels) { return count(labels, label) > 0; });
}

bool bench_case::is_isolated(label_t label) const {
    return count(spec.output, label) == 0 &&
           std::count_if(spec.inputs.begin(), spec.inputs.end(),
                         [label](const auto &labels) { return count(labels, label) > 0; }) == 1;
}

bool bench_case::has_repeated_labels() const {
    return std::any_of(spec.inputs.begin(), spec.inputs.end(),
                       [](const auto &labels) { return distinct(labels).size() < labels.size(); });
}

double bench_case::flops(data_type type) const {
    if (spec.inputs.size() < 2)
        return 0;
    double product = flops_per_multiply_add(type);
    for (std::size_t label = 0; label < extents.size(); ++label)
        if (!is_isolated(static_cast<label_t>(label)))
            product *= static_cast<double>(extents[label]);
    return product;
}

double bench_case::bytes(index_t input_element, index_t output_element, bool reads_c) const {
    const auto size = [&](const std::vector<label_t> &labels, index_t element) {
        return static_cast<double>(layout(extents_of(distinct(labels))).size() * element);
    };
    double total = size(spec.output, output_element) * (reads_c ? 2 : 1);
    for (const auto &labels : spec.inputs)
        total += size(labels, input_element);
    return total;
}

std::vector<bench_case> select_cases(const std::string &suite, const std::string &patterns,
                                     const std::string &file, data_type type) {
    const std::vector<bench_case> all = all_cases(suite, file, type);
    if (patterns.empty() && all.empty())
        throw usage_error("'" + file + "' lists no cases");
    return select_cases(suite, patterns, all);
}

std::vector<bench_case> select_cases(const std::string &suite, const std::string &patterns,
                                     const std::vector<bench_case> &all) {
    if (patterns.empty())
        return all;
    std::vector<bench_case> chosen;
    std::vector<bool> taken(all.size(), false);
    std::istringstream in(patterns);
    for (std::string pattern; std::getline(in, pattern, ',');) {
        bool found = false;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (fnmatch(pattern.c_str(), all[i].name.c_str(), 0) == 0) {
                found = true;
                if (!taken[i])
                    chosen.push_back(all[i]);
                taken[i] = true;
            }
        if (found)
            continue;
        const auto sizes = parse_sizes(pattern);
        if (!sizes || (suite != "gemm" && suite != "small"))
            throw usage_error("--cases '" + pattern + "' matches no case of " + suite);
        chosen.push_back(matrix_product(suite, pattern, *sizes));
    }
    if (chosen.empty())
        throw usage_error("--cases '" + patterns + "' matches no case of " + suite);
    return chosen;
}

} // namespace tenfold::apps_impl

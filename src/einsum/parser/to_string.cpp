// Writes a contraction_spec as text, in the shortest notation that can express it.
#include <algorithm>
#include <array>
#include <charconv>

#include <tenfold/einsum.hpp>

#include "einsum/parser/path_steps.hpp"

namespace tenfold {
namespace {

bool is_letter(const std::string &name) {
    return name.size() == 1 &&
           ((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
}

/// The fewest digits that are read back as the same double.
std::string shortest(double value) {
    std::array<char, 32> text;
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end};
}

void append_scale(std::string &text, scalar scale) {
    if (scale.imag() == 0) {
        text += shortest(scale.real());
        return;
    }
    text += '(';
    text += shortest(scale.real());
    text += ',';
    text += shortest(scale.imag());
    text += ')';
}

const char *symbol_of(contraction_spec::update operation) {
    switch (operation) {
    case contraction_spec::update::assign:
        return "=";
    case contraction_spec::update::add:
        return "+=";
    case contraction_spec::update::subtract:
        return "-=";
    }
    return "=";
}

/// Inputs of which a step's result is made, if they are neighbours.
struct interval {
    std::size_t first, last;
};

/// The parentheses that say a path, by input.
struct parentheses {
    std::vector<std::size_t> before, behind;
};

/// None if the path is empty or has a step that takes others than neighbours, from left to right.
parentheses parentheses_of(const contraction_spec &spec) {
    const std::size_t inputs = spec.inputs.size();
    const parentheses none{std::vector<std::size_t>(inputs, 0),
                           std::vector<std::size_t>(inputs, 0)};
    if (spec.path.empty())
        return none;
    parentheses result = none;
    std::vector<interval> covered;
    for (std::size_t i = 0; i < inputs; ++i)
        covered.push_back({i, i});
    for (const einsum_impl::numbered_step &step : einsum_impl::numbered(spec.path, inputs)) {
        for (std::size_t k = 1; k < step.size(); ++k)
            if (covered[step[k]].first != covered[step[k - 1]].last + 1)
                return none;
        const interval all{covered[step.front()].first, covered[step.back()].last};
        covered.push_back(all);
        const bool is_whole = all.last - all.first + 1 == inputs;
        if (step.size() == 1 || is_whole)
            continue;
        ++result.before[all.first];
        ++result.behind[all.last];
    }
    return result;
}

class writer {
public:
    explicit writer(const contraction_spec &spec) : spec_(spec), brackets_(needs_brackets()) {}

    void append_operand(std::string &text, const std::vector<label_t> &labels,
                        std::size_t name_index) const {
        if (name_index < spec_.operand_names.size())
            text += spec_.operand_names[name_index];
        if (brackets_)
            text += '[';
        for (std::size_t k = 0; k < labels.size(); ++k) {
            if (brackets_ && k > 0)
                text += ',';
            text += spec_.label_names[static_cast<std::size_t>(labels[k])];
        }
        if (brackets_)
            text += ']';
    }

private:
    /// Plain letters cannot express operand names, long labels or inputs of order 0.
    bool needs_brackets() const {
        const auto is_empty = [](const std::vector<label_t> &labels) { return labels.empty(); };
        return !spec_.operand_names.empty() ||
               std::any_of(spec_.inputs.begin(), spec_.inputs.end(), is_empty) ||
               !std::all_of(spec_.label_names.begin(), spec_.label_names.end(), is_letter);
    }

    const contraction_spec &spec_;
    bool brackets_;
};

} // namespace

std::string contraction_spec::to_string() const {
    const writer write(*this);
    std::string result;
    write.append_operand(result, output, inputs.size());
    result += symbol_of(operation);
    if (scale != scalar(1.0)) {
        append_scale(result, scale);
        result += '*';
    }
    const parentheses groups = parentheses_of(*this);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (k > 0)
            result += '*';
        result.append(groups.before[k], '(');
        write.append_operand(result, inputs[k], k);
        result.append(groups.behind[k], ')');
    }
    return result;
}

} // namespace tenfold

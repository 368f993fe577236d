// Makes a contraction_spec of a parsed expression: expands ellipses and numbers the labels.
#include <algorithm>
#include <unordered_map>

#include <tenfold/einsum.hpp>

#include "einsum/parser/notations.hpp"

namespace tenfold {
namespace einsum_impl {
namespace {

/// The input's name in brackets, if given; else "A" and "B" for at most two inputs, or "input 3".
std::string name_in(const written_expression &written, std::size_t input) {
    const std::string_view name = written.inputs[input].name;
    if (!name.empty())
        return std::string(name);
    if (written.inputs.size() <= 2)
        return input == 0 ? "A" : "B";
    return "input " + std::to_string(input + 1);
}

std::string count_of(std::size_t n, const char *thing) {
    return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

/// Numbers labels by first appearance.
class label_numbers {
public:
    label_t number_of(const std::string &name) {
        const auto [entry, is_new] =
            numbers_.try_emplace(name, static_cast<label_t>(numbers_.size()));
        if (is_new)
            names_.push_back(name);
        return entry->second;
    }
    bool knows(const std::string &name) const { return numbers_.contains(name); }
    std::vector<std::string> take_names() { return std::move(names_); }

private:
    std::unordered_map<std::string, label_t> numbers_;
    std::vector<std::string> names_;
};

/// Replaces "..." by modes and numbers the labels.
class resolver {
public:
    resolver(std::string_view text, const written_expression &written)
        : text_(text), written_(written), ellipsis_modes_(written.inputs.size(), 0) {}

    void check_orders(std::span<const int> orders) {
        if (orders.size() != written_.inputs.size()) {
            const std::size_t first_missing = std::min(orders.size(), written_.inputs.size() - 1);
            fail_at(text_, written_.inputs[first_missing].begin, errc::order_mismatch,
                    "the expression has " + count_of(written_.inputs.size(), "input") + ", but " +
                        count_of(orders.size(), "tensor") +
                        (orders.size() == 1 ? " was" : " were") + " given");
        }
        for (std::size_t input = 0; input < orders.size(); ++input)
            check_order(input, orders[input]);
    }

    void refuse_ellipses() const {
        for (const written_operand &operand : written_.inputs)
            for (const written_label &label : operand.labels)
                if (label.is_ellipsis())
                    fail_at(text_, label.position, errc::syntax,
                            "'...' stands for as many modes as the tensors have beside their "
                            "labels: it needs the tensors or their orders");
    }

    contraction_spec resolve() {
        contraction_spec spec;
        for (std::size_t input = 0; input < written_.inputs.size(); ++input) {
            const written_operand &operand = written_.inputs[input];
            spec.inputs.push_back(numbers_of(operand, ellipsis_modes_[input]));
            if (!operand.name.empty())
                spec.operand_names.emplace_back(operand.name);
        }
        if (!written_.output.name.empty())
            spec.operand_names.emplace_back(written_.output.name);
        check_output();
        spec.output = written_.implicit_output ? implicit_output()
                                               : numbers_of(written_.output, longest_ellipsis_);
        spec.label_names = numbers_.take_names();
        spec.operation = written_.operation;
        spec.scale = written_.scale;
        spec.text = text_;
        spec.path = written_.path;
        spec.broadcast = written_.broadcast;
        return spec;
    }

private:
    void check_order(std::size_t input, int order) {
        const written_operand &operand = written_.inputs[input];
        const auto labels = static_cast<std::size_t>(
            std::count_if(operand.labels.begin(), operand.labels.end(),
                          [](const written_label &label) { return !label.is_ellipsis(); }));
        const bool has_ellipsis = labels < operand.labels.size();
        const auto modes = static_cast<std::size_t>(std::max(order, 0));
        if (has_ellipsis ? modes < labels : modes != labels) {
            const std::string name = name_in(written_, input);
            fail_at(text_, operand.begin, errc::order_mismatch,
                    (operand.name.empty() ? name : quoted(name)) + " has " +
                        count_of(modes, "mode") + ", but " +
                        quoted(text_.substr(operand.begin, operand.end - operand.begin)) +
                        " names " + (has_ellipsis ? "at least " : "") + std::to_string(labels),
                    {.first = {.name = name, .order = static_cast<index_t>(modes)},
                     .second = {.order = static_cast<index_t>(labels)}});
        }
        if (has_ellipsis) {
            ellipsis_modes_[input] = modes - labels;
            longest_ellipsis_ = std::max(longest_ellipsis_, modes - labels);
        }
    }

    /// Ellipses are aligned at their ends: if the longest has three modes, one of two is "...1",
    /// "...2".
    std::vector<label_t> numbers_of(const written_operand &operand, std::size_t ellipsis_modes) {
        std::vector<label_t> numbers;
        numbers.reserve(operand.labels.size());
        for (const written_label &label : operand.labels) {
            if (label.is_ellipsis()) {
                for (std::size_t k = longest_ellipsis_ - ellipsis_modes; k < longest_ellipsis_; ++k)
                    numbers.push_back(numbers_.number_of("..." + std::to_string(k)));
                continue;
            }
            const label_t number = numbers_.number_of(std::string(label.name));
            numbers.push_back(number);
            count_use(number, label.name);
        }
        return numbers;
    }

    void count_use(label_t number, std::string_view name) {
        if (static_cast<std::size_t>(number) >= uses_.size())
            uses_.resize(static_cast<std::size_t>(number) + 1);
        ++uses_[static_cast<std::size_t>(number)].count;
        uses_[static_cast<std::size_t>(number)].name = name;
    }

    void check_output() const {
        bool has_ellipsis = written_.implicit_output;
        for (const written_label &label : written_.output.labels) {
            has_ellipsis = has_ellipsis || label.is_ellipsis();
            if (!label.is_ellipsis() && !numbers_.knows(std::string(label.name)))
                fail_at(text_, label.position, errc::unknown_label,
                        "label " + quoted(label.name) + " of the output is in no input",
                        {.label = std::string(label.name)});
        }
        if (longest_ellipsis_ > 0 && !has_ellipsis)
            fail_at(text_, written_.output.begin, errc::syntax,
                    "the inputs have '...', so the output needs it too");
    }

    /// NumPy's rule for implicit output: the modes of "...", then the labels that appear once:
    /// letters in ASCII order, numbers in ascending order.
    std::vector<label_t> implicit_output() {
        std::vector<label_t> output;
        for (std::size_t k = 0; k < longest_ellipsis_; ++k)
            output.push_back(numbers_.number_of("..." + std::to_string(k)));
        const std::size_t first_named = output.size();
        for (std::size_t number = 0; number < uses_.size(); ++number)
            if (uses_[number].count == 1)
                output.push_back(static_cast<label_t>(number));
        std::sort(output.begin() + static_cast<std::ptrdiff_t>(first_named), output.end(),
                  [this](label_t one, label_t other) {
                      const std::string_view left = uses_[static_cast<std::size_t>(one)].name;
                      const std::string_view right = uses_[static_cast<std::size_t>(other)].name;
                      return left.size() != right.size() ? left.size() < right.size()
                                                         : left < right;
                  });
        return output;
    }

    struct use {
        std::size_t count = 0; ///< in all inputs
        std::string_view name;
    };

    std::string_view text_;
    const written_expression &written_;
    std::vector<std::size_t> ellipsis_modes_; ///< by input
    std::size_t longest_ellipsis_ = 0;
    label_numbers numbers_;
    std::vector<use> uses_; ///< by label; modes of "..." are not counted
};

} // namespace

contraction_spec resolve(std::string_view text, const written_expression &written,
                         std::span<const int> orders) {
    resolver numbered(text, written);
    // Every expression has an input, so no orders at all means that they are not known.
    if (orders.empty())
        numbered.refuse_ellipses();
    else
        numbered.check_orders(orders);
    return numbered.resolve();
}

} // namespace einsum_impl

contraction_spec parse(std::string_view text, std::span<const int> orders) {
    return einsum_impl::resolve(text, einsum_impl::read_expression(text), orders);
}

} // namespace tenfold

// Expressions whose labels are lists of numbers. They are written as text, so that their errors
// point at a label as those of other notations do.
#include <string>

#include <tenfold/error.hpp>

#include "einsum/parser/notations.hpp"

namespace tenfold {
namespace {

using einsum_impl::written_operand;

/// "[0,1,...]". Labels of the operand get positions; names are views of the text once it is whole.
void append_list(const std::vector<label_t> &labels, const std::string &operand, std::string &text,
                 written_operand &written) {
    written.begin = text.size();
    text += '[';
    for (const label_t label : labels) {
        if (label < 0 && label != ellipsis)
            throw error(errc::invalid_argument, operand + " has the label " +
                                                    std::to_string(label) +
                                                    "; labels are 0 or more, or tenfold::ellipsis");
        if (text.back() != '[')
            text += ',';
        written.labels.push_back({{}, text.size()});
        text += label == ellipsis ? "..." : std::to_string(label);
    }
    text += ']';
    written.end = text.size();
}

void name_labels(std::string_view text, written_operand &written) {
    bool seen = false;
    for (einsum_impl::written_label &label : written.labels) {
        label.name =
            text.substr(label.position, text.find_first_of(",]", label.position) - label.position);
        if (label.is_ellipsis() && seen)
            einsum_impl::fail_at(text, label.position, errc::syntax,
                                 "a second '...' in one operand");
        seen = seen || label.is_ellipsis();
    }
}

} // namespace

contraction_spec parse(const label_lists &labels, std::span<const int> orders) {
    if (labels.inputs.empty())
        throw error(errc::invalid_argument, "a contraction has at least one input, this one has "
                                            "no list of labels");
    std::string text;
    einsum_impl::written_expression written;
    written.broadcast = true;
    written.inputs.resize(labels.inputs.size());
    for (std::size_t i = 0; i < labels.inputs.size(); ++i) {
        if (i > 0)
            text += ',';
        append_list(labels.inputs[i], "input " + std::to_string(i + 1), text, written.inputs[i]);
    }
    written.implicit_output = !labels.output.has_value();
    if (labels.output) {
        text += "->";
        append_list(*labels.output, "the output", text, written.output);
    }
    for (written_operand &operand : written.inputs)
        name_labels(text, operand);
    name_labels(text, written.output);
    return einsum_impl::resolve(text, written, orders);
}

} // namespace tenfold

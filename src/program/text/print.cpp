// The text of a program, of which parse_tree() makes an equal tree.
#include "program/text/tree.hpp"

namespace tenfold::program_impl {
namespace {

std::string list_of(const std::vector<word> &words, const char *between) {
    std::string text;
    for (const word &one : words)
        text += (text.empty() ? "" : between) + one.text;
    return text;
}

std::string text_of(const named &one) {
    return one.name.text + (one.labels.empty() ? "" : "[" + list_of(one.labels, ",") + "]");
}

std::string text_of(const exchange &one) {
    std::string text;
    for (const auto &[first, second] : one.pairs)
        text += (text.empty() ? "" : "; ") + first.text + "," + second.text;
    return one.kind.text + "(" + text + ")";
}

std::string text_of(const factor &one) {
    if (const auto *const number = std::get_if<word>(&one))
        return number->text;
    if (const auto *const tensor = std::get_if<named>(&one))
        return text_of(*tensor);
    return text_of(std::get<exchange>(one));
}

std::string text_of(const sum &terms) {
    std::string text;
    for (const summand &term : terms) {
        const bool is_first = &term == terms.data();
        text += is_first ? (term.negative ? "-" : "") : (term.negative ? " - " : " + ");
        std::string product;
        for (const factor &one : term.factors)
            product += (product.empty() ? "" : "*") + text_of(one);
        text += product;
        if (!term.divisor.empty())
            text += " / (" + text_of(term.divisor) + ")";
    }
    return text;
}

std::string text_of(const comparison &one) {
    const std::string left = text_of(one.left);
    return (one.function ? one.function->text + "(" + left + ")" : left) +
           (one.less ? " < " : " > ") + text_of(one.right);
}

/// The lines of a statement, indented.
void print(const statement &one, const std::string &indent, std::string &text) {
    text += indent + text_of(one);
    const auto *const block = std::get_if<repetition>(&one.what);
    if (block != nullptr) {
        text += " {\n";
        for (const statement &inner : block->body)
            print(inner, indent + "    ", text);
        text += indent + "}";
    }
    text += "\n";
}

} // namespace

std::string text_of(const statement &one) {
    if (const auto *const line = std::get_if<assignment>(&one.what))
        return text_of(line->target) + " " + line->operation + " " + text_of(line->value);
    if (const auto *const diis = std::get_if<extrapolation>(&one.what))
        return "diis " + list_of(diis->tensors, ", ") + " with " + list_of(diis->errors, ", ") +
               (diis->keep ? " keep " + diis->keep->text : "");
    if (const auto *const packed = std::get_if<packing>(&one.what)) {
        std::string pairs;
        for (const named &each : packed->packed)
            pairs += (pairs.empty() ? "" : ", ") + text_of(each);
        const std::string sign = " " + packed->operation + " ";
        if (packed->unpacks)
            return "unpack " + text_of(packed->whole) + sign + pairs;
        return "pack " + pairs + sign + text_of(packed->whole) +
               (packed->half_diagonal ? " with half diagonal" : "");
    }
    const auto &block = std::get<repetition>(one.what);
    std::string tests;
    for (const comparison &test : block.tests)
        tests += (tests.empty() ? "" : " and ") + text_of(test);
    return "repeat until " + tests + " at most " + block.most.text;
}

std::string text_of(const tree &whole) {
    std::string text;
    for (const auto &declared : whole.declarations) {
        if (const auto *const labels = std::get_if<label_declaration>(&declared)) {
            text += "index " + list_of(labels->labels, ", ") + ": " + labels->range_name() + "\n";
            continue;
        }
        const auto &tensors = std::get<tensor_declaration>(declared);
        std::string names;
        for (const named &one : tensors.tensors)
            names += (names.empty() ? "" : ", ") + text_of(one);
        text += (tensors.role == tensor_role::input ? "input " : "output ") + names + "\n";
    }
    for (const statement &one : whole.body)
        print(one, "", text);
    return text;
}

} // namespace tenfold::program_impl

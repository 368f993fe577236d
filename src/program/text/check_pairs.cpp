// Checks of lines that pack pairs of modes and unpack them.
#include <set>

#include "program/text/checks.hpp"

namespace tenfold::program_impl {
namespace {

std::string quoted(const word &name) { return "'" + name.text + "'"; }

/// Of labels that the names have.
const std::string &range_of(const word &label, const symbols &names) {
    return names.range_of_label.at(label.text);
}

/// Checks that a label of pairs stands where the whole tensor has two labels of its range.
void check_pair(const word &label, const pair_range &pairs, const named &packed, const named &whole,
                std::size_t at, const symbols &names) {
    const std::string stands = "label " + quoted(label) + " of " + quoted(packed.name) +
                               " stands for two labels of range '" + pairs.of + "' of " +
                               quoted(whole.name) + ", ";
    if (at + 2 > whole.labels.size())
        fail(errc::order_mismatch, label.at,
             stands + "which has " + std::to_string(whole.labels.size()) + " modes",
             {.label = label.text,
              .second = {.name = whole.name.text,
                         .order = static_cast<index_t>(whole.labels.size())}});
    for (const std::size_t mode : {at, at + 1})
        if (range_of(whole.labels[mode], names) != pairs.of)
            fail(errc::extent_mismatch, label.at,
                 stands + "but mode " + std::to_string(mode) + ", " + quoted(whole.labels[mode]) +
                     ", is of range '" + range_of(whole.labels[mode], names) + "'",
                 {.label = label.text,
                  .second = {.name = whole.name.text, .mode = static_cast<int>(mode)}});
}

} // namespace

std::vector<packed_mode> packed_modes(const named &packed, const named &whole,
                                      const symbols &names) {
    std::vector<packed_mode> found;
    std::size_t at = 0; // in the labels of the whole tensor
    for (std::size_t mode = 0; mode < packed.labels.size(); ++mode) {
        const word &label = packed.labels[mode];
        const bool is_there = at < whole.labels.size() && whole.labels[at].text == label.text;
        const auto pairs = names.pair_ranges.find(range_of(label, names));
        if (!is_there && pairs != names.pair_ranges.end()) {
            check_pair(label, pairs->second, packed, whole, at, names);
            found.push_back({mode, pairs->second.kind});
            at += 2;
            continue;
        }
        if (!is_there)
            fail(errc::unknown_label, label.at,
                 "label " + quoted(label) + " of " + quoted(packed.name) +
                     " is neither a pair nor the next label of " + quoted(whole.name) +
                     (at < whole.labels.size() ? ", which is " + quoted(whole.labels[at])
                                               : ", which has no more"),
                 {.label = label.text, .first = {.name = packed.name.text}});
        ++at;
    }
    if (at < whole.labels.size())
        fail(errc::order_mismatch, whole.labels[at].at,
             "label " + quoted(whole.labels[at]) + " of " + quoted(whole.name) +
                 " is in no label of " + quoted(packed.name),
             {.label = whole.labels[at].text,
              .first = {.name = packed.name.text,
                        .order = static_cast<index_t>(packed.labels.size())},
              .second = {.name = whole.name.text,
                         .order = static_cast<index_t>(whole.labels.size())}});
    if (found.empty())
        fail(errc::invalid_argument, packed.name.at,
             "no label of " + quoted(packed.name) + " stands for two of " + quoted(whole.name) +
                 "; declare one: index ij: pairs(RANGE)");
    return found;
}

void check_pairs(const packing &line, const symbols &names) {
    for (const named *const one : {&line.whole, &line.packed.front(), &line.packed.back()}) {
        std::set<std::string> distinct;
        for (const word &label : one->labels)
            if (!distinct.insert(label.text).second)
                fail(errc::repeated_label, label.at,
                     "label " + quoted(label) + " is twice in " + quoted(one->name),
                     {.label = label.text, .first = {.name = one->name.text}});
    }
    const std::vector<packed_mode> first = packed_modes(line.packed[0], line.whole, names);
    if (line.packed.size() == 1)
        return;
    // Both kinds at once.
    const named &minus = line.packed[1];
    if (minus.name.text == line.packed[0].name.text)
        fail(errc::overlap, minus.name.at,
             quoted(minus.name) + " cannot be both of the two packed tensors",
             {.first = {.name = minus.name.text}});
    packed_modes(minus, line.whole, names);
    for (const named &one : line.packed)
        for (const packed_mode &each : packed_modes(one, line.whole, names))
            if (each.kind != chem::pair_kind::symmetric)
                fail(errc::invalid_argument, one.labels[each.mode].at,
                     "label " + quoted(one.labels[each.mode]) + " of " + quoted(one.name) +
                         " is over strict pairs: both of two packed tensors are over pairs(" +
                         names.pair_ranges.at(range_of(one.labels[each.mode], names)).of +
                         "), the second one with 0 for equal labels");
    if (first.size() != 2 || line.packed[0].labels.size() != 2 || minus.labels.size() != 2)
        fail(errc::invalid_argument, line.at,
             "two packed tensors have two labels, each of which stands for two of " +
                 quoted(line.whole.name) + ", as in pack P[ab,ij], M[ab,ij] = X[a,b,i,j]");
    for (std::size_t mode = 0; mode < 2; ++mode)
        if (minus.labels[mode].text != line.packed[0].labels[mode].text)
            fail(errc::unknown_label, minus.labels[mode].at,
                 "label " + quoted(minus.labels[mode]) + " of " + quoted(minus.name) +
                     " is not that of " + quoted(line.packed[0].name) + ", " +
                     quoted(line.packed[0].labels[mode]),
                 {.label = minus.labels[mode].text});
}

} // namespace tenfold::program_impl

#include "program/text/checks.hpp"

#include <algorithm>
#include <set>

namespace tenfold::program_impl {
namespace {

std::string quoted(const std::string &name) { return "'" + name + "'"; }

std::string list_of(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &one : names)
        text += (text.empty() ? "" : ", ") + one;
    return text;
}

bool has(const std::vector<word> &words, const std::string &text) {
    return std::any_of(words.begin(), words.end(),
                       [&](const word &one) { return one.text == text; });
}

/// Of a term, each of which doubles what it becomes.
constexpr std::size_t most_exchanges = 10;

class checker {
public:
    symbols run(const tree &whole) {
        for (const auto &declared : whole.declarations) {
            if (const auto *const labels = std::get_if<label_declaration>(&declared))
                declare(*labels);
            else
                for (const named &one : std::get<tensor_declaration>(declared).tensors)
                    declare(one, std::get<tensor_declaration>(declared).role);
        }
        check(whole.body);
        for (const auto &declared : whole.declarations)
            if (const auto *const tensors = std::get_if<tensor_declaration>(&declared))
                for (const named &one : tensors->tensors)
                    if (written_.count(one.name.text) == 0)
                        fail(errc::invalid_argument, one.name.at,
                             "output " + quoted(one.name.text) + " is never written");
        return std::move(found_);
    }

private:
    void declare(const label_declaration &declared) {
        const std::string &base = declared.range.text;
        if (std::find(found_.ranges.begin(), found_.ranges.end(), base) == found_.ranges.end())
            found_.ranges.push_back(base);
        const std::string range = declared.range_name();
        if (declared.pairs)
            found_.pair_ranges.try_emplace(range,
                                           pair_range{base, declared.pairs->text == "pairs"
                                                                ? chem::pair_kind::symmetric
                                                                : chem::pair_kind::antisymmetric});
        for (const word &label : declared.labels) {
            const auto [known, is_new] = found_.range_of_label.emplace(label.text, range);
            if (!is_new)
                fail(errc::invalid_argument, label.at,
                     "label " + quoted(label.text) + " is of range " + quoted(known->second) +
                         " already",
                     {.label = label.text});
        }
    }

    void declare(const named &one, tensor_role role) {
        std::vector<std::string> ranges;
        for (const word &label : one.labels) {
            const bool is_range = found_.range_of_label.count(label.text) == 0 &&
                                  std::find(found_.ranges.begin(), found_.ranges.end(),
                                            label.text) != found_.ranges.end();
            ranges.push_back(is_range ? label.text : range_of(label));
        }
        if (found_.find(one.name.text) != nullptr)
            fail(errc::invalid_argument, one.name.at, quoted(one.name.text) + " is declared twice");
        found_.tensors.push_back({one.name.text, std::move(ranges), role});
        if (role == tensor_role::input)
            written_.insert(one.name.text);
    }

    const std::string &range_of(const word &label) const {
        const auto known = found_.range_of_label.find(label.text);
        if (known == found_.range_of_label.end())
            fail(errc::unknown_label, label.at,
                 "label " + quoted(label.text) + " is of no range; declare it: index " +
                     label.text + ": RANGE",
                 {.label = label.text});
        return known->second;
    }

    /// Checks that the labels fit the tensor.
    void check_labels(const named &use, const program_tensor &tensor) const {
        if (use.labels.size() != tensor.ranges.size())
            fail(errc::order_mismatch, use.name.at,
                 quoted(tensor.name) + " has " + std::to_string(tensor.ranges.size()) + " modes (" +
                     (tensor.ranges.empty() ? std::string("a scalar") : list_of(tensor.ranges)) +
                     "), but " + std::to_string(use.labels.size()) + " labels are here",
                 {.first = {.name = tensor.name,
                            .order = static_cast<index_t>(tensor.ranges.size())},
                  .second = {.order = static_cast<index_t>(use.labels.size())}});
        for (std::size_t mode = 0; mode < use.labels.size(); ++mode) {
            const word &label = use.labels[mode];
            const std::string &range = range_of(label);
            if (range != tensor.ranges[mode])
                fail(errc::extent_mismatch, label.at,
                     "label " + quoted(label.text) + " is of range " + quoted(range) +
                         ", but mode " + std::to_string(mode) + " of " + quoted(tensor.name) +
                         " is over " + quoted(tensor.ranges[mode]),
                     {.label = label.text,
                      .first = {.name = tensor.name, .mode = static_cast<int>(mode)}});
        }
    }

    /// Of a name that is read.
    const program_tensor &known(const word &name) const {
        const program_tensor *const tensor = found_.find(name.text);
        if (tensor == nullptr || written_.count(name.text) == 0)
            fail(errc::invalid_argument, name.at,
                 quoted(name.text) +
                     " is read here, but it is no input, and no line above writes it");
        return *tensor;
    }
    void check_read(const named &use) const { check_labels(use, known(use.name)); }

    /// Of a name that is written.
    void check_written(const named &target, bool adds) {
        const program_tensor *const tensor = found_.find(target.name.text);
        if (adds)
            known(target.name);
        if (tensor != nullptr && tensor->role == tensor_role::input)
            fail(errc::invalid_argument, target.name.at,
                 quoted(tensor->name) + " is an input, which lines cannot write");
        std::set<std::string> distinct;
        for (const word &label : target.labels) {
            range_of(label);
            if (!distinct.insert(label.text).second)
                fail(errc::repeated_label, label.at,
                     "label " + quoted(label.text) + " is twice in " + quoted(target.name.text) +
                         " on the left side",
                     {.label = label.text, .first = {.name = target.name.text}});
        }
        if (tensor != nullptr) {
            check_labels(target, *tensor);
            return;
        }
        std::vector<std::string> ranges;
        for (const word &label : target.labels)
            ranges.push_back(range_of(label));
        found_.tensors.push_back({target.name.text, std::move(ranges), tensor_role::intermediate});
    }

    void check(const std::vector<statement> &body) {
        for (const statement &one : body) {
            if (const auto *const line = std::get_if<assignment>(&one.what))
                check(*line);
            else if (const auto *const diis = std::get_if<extrapolation>(&one.what))
                check(*diis);
            else if (const auto *const packed = std::get_if<packing>(&one.what))
                check(*packed);
            else
                check(std::get<repetition>(one.what));
        }
    }

    void check(const assignment &line) {
        for (const summand &term : line.value)
            check_factors(term);
        check_written(line.target, line.adds());
        for (const summand &term : line.value) {
            check_term(term, line);
            check_divisor(term, line.target);
        }
        check_own_reads(line);
        written_.insert(line.target.name.text);
    }

    void check(const packing &line) {
        const auto read = line.unpacks ? line.packed : std::vector<named>{line.whole};
        const auto written = line.unpacks ? std::vector<named>{line.whole} : line.packed;
        for (const named &one : read)
            check_read(one);
        for (const named &one : written)
            check_written(one, line.adds());
        check_pairs(line, found_);
        for (const named &one : written)
            written_.insert(one.name.text);
    }

    void check_factors(const summand &term) const {
        for (const factor &one : term.factors)
            if (const auto *const use = std::get_if<named>(&one))
                check_read(*use);
    }

    /// Checks that a term has the labels of the left side.
    void check_term(const summand &term, const assignment &line) const {
        const std::vector<const named *> tensors = tensors_of(term);
        if (tensors.empty() && !line.target.labels.empty() &&
            (line.adds() || line.value.size() > 1 || !term.divisor.empty()))
            fail(errc::unknown_label, term.at,
                 "a term without tensors is all of its line, as in " + line.target.name.text +
                     "[..] = 0");
        for (const word &label : line.target.labels) {
            const bool is_there =
                tensors.empty() ||
                std::any_of(tensors.begin(), tensors.end(),
                            [&](const named *use) { return has(use->labels, label.text); });
            if (!is_there)
                fail(errc::unknown_label, term.at,
                     "label " + quoted(label.text) + " (" + range_of(label) + ") of " +
                         quoted(line.target.name.text) + " is in no factor of this term",
                     {.label = label.text, .first = {.name = line.target.name.text}});
        }
        const std::vector<const exchange *> exchanges = exchanges_of(term);
        if (exchanges.size() > most_exchanges)
            fail(errc::unsupported, term.at,
                 "a term is symmetrised " + std::to_string(exchanges.size()) + " times; " +
                     std::to_string(most_exchanges) + " is the most");
        for (const exchange *one : exchanges) {
            if (tensors.empty())
                fail(errc::invalid_argument, one->kind.at,
                     quoted(one->kind.text) + " of a term without tensors");
            check_exchange(*one, line.target);
        }
    }

    void check_exchange(const exchange &one, const named &target) const {
        std::set<std::string> distinct;
        for (const auto &pair : one.pairs) {
            for (const word &label : pair) {
                if (!has(target.labels, label.text))
                    fail(errc::unknown_label, label.at,
                         "label " + quoted(label.text) + " is exchanged, but is not in " +
                             quoted(target.name.text) + " on the left side",
                         {.label = label.text});
                if (!distinct.insert(label.text).second)
                    fail(errc::repeated_label, label.at,
                         "label " + quoted(label.text) + " is exchanged twice",
                         {.label = label.text});
            }
            if (range_of(pair[0]) != range_of(pair[1]))
                fail(errc::extent_mismatch, pair[1].at,
                     "labels " + quoted(pair[0].text) + " of range " + quoted(range_of(pair[0])) +
                         " and " + quoted(pair[1].text) + " of range " + quoted(range_of(pair[1])) +
                         " cannot be exchanged",
                     {.label = pair[1].text});
        }
    }

    /// Of divisors: numbers, scalars and vectors over labels of the left side.
    void check_divisor(const summand &term, const named &target) const {
        for (const summand &part : term.divisor) {
            check_factors(part);
            if (!exchanges_of(part).empty() || tensors_of(part).size() > 1)
                fail(errc::invalid_argument, part.at,
                     "a term of a divisor has one vector at most, such as eo[i]");
            for (const named *use : tensors_of(part)) {
                if (use->labels.size() != 1)
                    fail(errc::order_mismatch, use->name.at,
                         "divisors are made of vectors, such as eo[i], and scalars; " +
                             quoted(use->name.text) + " has " + std::to_string(use->labels.size()) +
                             " modes");
                if (!has(target.labels, use->labels[0].text))
                    fail(errc::unknown_label, use->labels[0].at,
                         "label " + quoted(use->labels[0].text) +
                             " of the divisor is not on the left side",
                         {.label = use->labels[0].text});
                if (use->name.text == target.name.text)
                    fail(errc::invalid_argument, use->name.at,
                         quoted(target.name.text) + " divides itself");
            }
        }
    }

    /// A line that reads what it writes would read parts of its own result.
    void check_own_reads(const assignment &line) const {
        const bool has_tensors =
            std::any_of(line.value.begin(), line.value.end(),
                        [](const summand &term) { return !tensors_of(term).empty(); });
        if ((line.target.labels.empty() && !has_tensors) || divides_in_place(line))
            return;
        for (const summand &term : line.value) {
            check_own_reads(term, line.target);
            for (const summand &part : term.divisor)
                check_own_reads(part, line.target);
        }
    }
    static void check_own_reads(const summand &term, const named &target) {
        for (const factor &one : term.factors)
            if (const auto *const use = std::get_if<named>(&one);
                use != nullptr && use->name.text == target.name.text)
                fail(errc::overlap, use->name.at,
                     quoted(use->name.text) +
                         " is on both sides; use +=, or another name on the left side",
                     {.first = {.name = use->name.text}});
    }

    void check(const extrapolation &diis) const {
        if (depth_ == 0)
            fail(errc::invalid_argument, diis.at, "diis stands in a repeated block");
        if (diis.tensors.size() != diis.errors.size())
            fail(errc::invalid_argument, diis.at,
                 std::to_string(diis.tensors.size()) + " tensors with " +
                     std::to_string(diis.errors.size()) + " errors: expected one for each");
        for (std::size_t i = 0; i < diis.tensors.size(); ++i) {
            const program_tensor &tensor = known(diis.tensors[i]);
            const program_tensor &error = known(diis.errors[i]);
            const auto before = diis.tensors.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::any_of(diis.tensors.begin(), before,
                            [&](const word &one) { return one.text == tensor.name; }))
                fail(errc::invalid_argument, diis.tensors[i].at,
                     quoted(tensor.name) + " is extrapolated twice");
            if (tensor.role == tensor_role::input)
                fail(errc::invalid_argument, diis.tensors[i].at,
                     quoted(tensor.name) + " is an input, which lines cannot write");
            if (tensor.ranges.empty() || tensor.ranges != error.ranges)
                fail(errc::extent_mismatch, diis.errors[i].at,
                     quoted(tensor.name) + " is over (" + list_of(tensor.ranges) + "), its error " +
                         quoted(error.name) + " over (" + list_of(error.ranges) +
                         "): expected two tensors over the same ranges");
        }
    }

    void check(const repetition &block) {
        ++depth_;
        check(block.body);
        --depth_;
        for (const comparison &test : block.tests)
            for (const sum *side : {&test.left, &test.right})
                for (const summand &term : *side) {
                    check_factors(term);
                    if (!tensors_of(term).empty() || !exchanges_of(term).empty() ||
                        !term.divisor.empty())
                        fail(errc::invalid_argument, term.at,
                             "tests are about scalars and numbers");
                }
    }

    symbols found_;
    std::set<std::string> written_; ///< by a line above, or an input
    int depth_ = 0;                 ///< of repeated blocks
};

} // namespace

const program_tensor *symbols::find(const std::string &name) const noexcept {
    const auto at = std::find_if(tensors.begin(), tensors.end(),
                                 [&](const program_tensor &one) { return one.name == name; });
    return at == tensors.end() ? nullptr : &*at;
}

symbols check(const tree &whole) { return checker().run(whole); }

std::vector<const named *> tensors_of(const summand &term) {
    std::vector<const named *> found;
    for (const factor &one : term.factors)
        if (const auto *const use = std::get_if<named>(&one);
            use != nullptr && !use->labels.empty())
            found.push_back(use);
    return found;
}

std::vector<const exchange *> exchanges_of(const summand &term) {
    std::vector<const exchange *> found;
    for (const factor &one : term.factors)
        if (const auto *const exchanged = std::get_if<exchange>(&one))
            found.push_back(exchanged);
    return found;
}

bool divides_in_place(const assignment &line) {
    if (line.adds() || line.value.size() != 1 || line.value[0].divisor.empty() ||
        !exchanges_of(line.value[0]).empty())
        return false;
    const std::vector<const named *> tensors = tensors_of(line.value[0]);
    return tensors.size() == 1 && tensors[0]->name.text == line.target.name.text &&
           std::equal(tensors[0]->labels.begin(), tensors[0]->labels.end(),
                      line.target.labels.begin(), line.target.labels.end(),
                      [](const word &a, const word &b) { return a.text == b.text; });
}

} // namespace tenfold::program_impl

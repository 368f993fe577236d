#include <algorithm>

#include <tenfold/dist_sequence.hpp>

#include "base/checked.hpp"
#include "base/pair_modes.hpp"
#include "program/plan/steps.hpp"

namespace tenfold::program_impl {
namespace {

/// Vectors that a "diis" keeps if it does not say.
constexpr int usual_vectors = 8;

std::vector<std::string> texts_of(const std::vector<word> &words) {
    std::vector<std::string> texts;
    for (const word &one : words)
        texts.push_back(one.text);
    return texts;
}

/// A tensor with labels, "T[a,b]".
struct labelled {
    std::string name;
    std::vector<std::string> labels;

    std::string text() const {
        std::string list;
        for (const std::string &one : labels)
            list += (list.empty() ? "" : ",") + one;
        return name + "[" + list + "]";
    }
};

labelled labelled_of(const named &one) { return {one.name.text, texts_of(one.labels)}; }

bool has_vectors(const sum &divisor) {
    return std::any_of(divisor.begin(), divisor.end(),
                       [](const summand &part) { return !tensors_of(part).empty(); });
}

/// Numbers and scalars of a term, its sign, and its divisor if that has no vectors.
coefficient coefficient_of(const summand &term) {
    coefficient found{term.negative ? -1.0 : 1.0, {}, {}};
    for (const factor &one : term.factors) {
        if (const auto *const number = std::get_if<word>(&one))
            found.number *= number_of(*number);
        else if (const auto *const use = std::get_if<named>(&one);
                 use != nullptr && use->labels.empty())
            found.scalars.push_back(use->name.text);
    }
    if (!has_vectors(term.divisor))
        for (const summand &part : term.divisor)
            found.divisor.push_back(coefficient_of(part));
    return found;
}

std::vector<coefficient> coefficients_of(const sum &terms) {
    std::vector<coefficient> found;
    for (const summand &term : terms)
        found.push_back(coefficient_of(term));
    return found;
}

class lowering {
public:
    lowering(const symbols &names, const range_sizes &sizes, const std::optional<int> &repetitions)
        : names_(names), sizes_(sizes), repetitions_(repetitions) {
        check(sizes);
        for (const auto &[name, pairs] : names.pair_ranges)
            sizes_.emplace(name, base::pair_count(sizes.at(pairs.of), pairs.kind));
        for (const program_tensor &tensor : names.tensors) {
            extents_t extents;
            for (const std::string &range : tensor.ranges)
                extents.push_back(sizes_.at(range));
            made_.extents.emplace(tensor.name, std::move(extents));
        }
    }

    lowered run(const std::vector<statement> &body) {
        lower(body);
        return std::move(made_);
    }

private:
    void check(const range_sizes &sizes) const {
        const symbols &names = names_;
        for (const std::string &range : names.ranges)
            if (sizes.count(range) == 0)
                throw error(errc::invalid_argument, "range '" + range + "' has no size");
        for (const auto &[range, size] : sizes) {
            if (std::find(names.ranges.begin(), names.ranges.end(), range) == names.ranges.end())
                throw error(errc::invalid_argument,
                            "the program has no range '" + range + "', which has a size");
            if (size < 1)
                throw error(errc::invalid_argument, "range '" + range + "' has the size " +
                                                        std::to_string(size) + "; 1 is the least");
        }
    }

    void lower(const std::vector<statement> &body) {
        for (const statement &one : body) {
            if (const auto *const line = std::get_if<assignment>(&one.what)) {
                begin_line(line->target.name.at.line, one);
                lower(*line);
            } else if (const auto *const diis = std::get_if<extrapolation>(&one.what)) {
                begin_line(diis->at.line, one);
                add(extrapolation_step{texts_of(diis->tensors), texts_of(diis->errors),
                                       diis->keep ? count_of(*diis->keep) : usual_vectors, block_});
            } else if (const auto *const packed = std::get_if<packing>(&one.what)) {
                begin_line(packed->at.line, one);
                lower(*packed);
            } else {
                lower(std::get<repetition>(one.what), one);
            }
        }
    }

    /// Pairs are packed one after the other, from the first on, and unpacked from the last on.
    void lower(const packing &line) {
        const labelled whole = labelled_of(line.whole);
        if (line.unpacks && !line.adds())
            add(filling_step{whole.name, {0.0, {}, {}}});
        packing_step step{line.unpacks, whole.name, {}, 0, {}, line.half_diagonal};
        if (line.packed.size() > 1) {
            step.packed = {line.packed[0].name.text, line.packed[1].name.text};
            add(std::move(step));
            return;
        }
        const labelled packed = labelled_of(line.packed[0]);
        const std::vector<packed_mode> modes = packed_modes(line.packed[0], line.whole, names_);
        std::vector<labelled> between{whole}; // with one pair more packed in each
        for (std::size_t k = 0; k + 1 < modes.size(); ++k) {
            std::vector<std::string> labels = between.back().labels;
            const auto at = static_cast<std::ptrdiff_t>(modes[k].mode);
            labels.erase(labels.begin() + at);
            labels[modes[k].mode] = packed.labels[modes[k].mode];
            between.push_back(
                intermediate(line.unpacks ? whole.name : packed.name, std::move(labels)));
        }
        between.push_back(packed);
        for (std::size_t i = 0; i < modes.size(); ++i) {
            const std::size_t k = line.unpacks ? modes.size() - 1 - i : i;
            step.whole = between[k].name;
            step.packed = {between[k + 1].name};
            step.mode = static_cast<int>(modes[k].mode);
            step.kind = modes[k].kind;
            if (line.unpacks && k > 0)
                add(filling_step{step.whole, {0.0, {}, {}}});
            add(step);
        }
    }

    void lower(const repetition &block, const statement &one) {
        const int most = count_of(block.most);
        const std::int64_t outside = times_;
        const std::size_t outer = block_;
        times_ = base::saturated_multiply(times_, std::min(most, repetitions_.value_or(most)));
        begin_line(block.at.line, one);
        const std::size_t line = made_.lines.size() - 1;
        block_ = made_.steps.size();
        const std::size_t begin = block_;
        add(block_begin{});
        lower(block.body);
        block_end end{begin, {}, most};
        for (const comparison &test : block.tests)
            end.tests.push_back({!test.function                  ? scalar_test::function::none
                                 : test.function->text == "sqrt" ? scalar_test::function::sqrt
                                                                 : scalar_test::function::abs,
                                 coefficients_of(test.left), test.less,
                                 coefficients_of(test.right)});
        std::get<block_begin>(made_.steps[begin].what).end = made_.steps.size();
        made_.steps.push_back({line, std::move(end)});
        times_ = outside;
        block_ = outer;
    }

    void lower(const assignment &line) {
        const labelled target = labelled_of(line.target);
        const double sign = line.operation == "-=" ? -1.0 : 1.0;
        bool adds = line.adds();
        if (target.labels.empty()) {
            scalar_step numbers{target.name, {}, adds};
            for (const summand &term : line.value)
                if (tensors_of(term).empty()) {
                    numbers.terms.push_back(coefficient_of(term));
                    numbers.terms.back().number *= sign;
                }
            if (!numbers.terms.empty()) {
                add(std::move(numbers));
                adds = true;
            }
        }
        for (const summand &term : line.value) {
            coefficient factor = coefficient_of(term);
            factor.number *= sign;
            if (!tensors_of(term).empty()) {
                lower(term, std::move(factor), line, adds);
                adds = true;
            } else if (!target.labels.empty()) {
                add(filling_step{target.name, std::move(factor)});
            }
        }
    }

    /// target (=, +=) factor * the tensors of a term, divided and symmetrised.
    void lower(const summand &term, coefficient factor, const assignment &line, bool adds) {
        const labelled target = labelled_of(line.target);
        const std::vector<const exchange *> exchanges = exchanges_of(term);
        const bool divides = has_vectors(term.divisor);
        if (divides_in_place(line)) {
            divide(target, std::move(factor), divides ? term.divisor : sum());
            return;
        }
        std::vector<labelled> tensors;
        for (const named *one : tensors_of(term))
            tensors.push_back(labelled_of(*one));
        if (exchanges.empty() && !(divides && adds)) {
            multiply(tensors, target, std::move(factor), adds);
            if (divides)
                divide(target, {}, term.divisor);
            return;
        }
        labelled between;
        if (tensors.size() == 1 && !divides) {
            between = tensors[0];
        } else {
            between = intermediate(target.name, target.labels);
            multiply(tensors, between, std::move(factor), false);
            factor = {};
            if (divides)
                divide(between, {}, term.divisor);
        }
        // Every subset of the exchanges.
        for (std::size_t subset = 0; subset < std::size_t{1} << exchanges.size(); ++subset) {
            labelled image = between;
            double sign = 1;
            for (std::size_t i = exchanges.size(); i-- > 0;) // the last one acts first
                if ((subset >> i) % 2 == 1) {
                    exchange_labels(image.labels, *exchanges[i]);
                    sign = exchanges[i]->is_antisymmetric() ? -sign : sign;
                }
            coefficient signed_factor = factor;
            signed_factor.number *= sign;
            multiply({image}, target, std::move(signed_factor), adds || subset > 0);
        }
    }

    static void exchange_labels(std::vector<std::string> &labels, const exchange &pairs) {
        for (std::string &label : labels)
            for (const auto &[first, second] : pairs.pairs)
                if (label == first.text || label == second.text) {
                    label = label == first.text ? second.text : first.text;
                    break;
                }
    }

    labelled intermediate(const std::string &of, const std::vector<std::string> &labels) {
        labelled made{"_" + of + "_" + std::to_string(++intermediates_), labels};
        extents_t extents;
        for (const std::string &label : labels)
            extents.push_back(sizes_.at(names_.range_of_label.at(label)));
        made_.extents.emplace(made.name, std::move(extents));
        return made;
    }

    void multiply(const std::vector<labelled> &tensors, const labelled &target, coefficient factor,
                  bool adds) {
        std::string expression = target.text();
        std::vector<std::string> inputs;
        for (const labelled &one : tensors) {
            expression += (inputs.empty() ? "=" : "*") + one.text();
            inputs.push_back(one.name);
        }
        if (tensors.size() <= 2)
            add(contraction_step{std::move(expression), std::move(inputs), target.name,
                                 std::move(factor), adds});
        else
            multiply_in_turn(expression, inputs, target, factor, adds);
    }

    /// More than two tensors, by the order of make_dist_sequence().
    void multiply_in_turn(const std::string &expression, const std::vector<std::string> &inputs,
                          const labelled &target, const coefficient &factor, bool adds) {
        std::vector<distribution> on_one_rank;
        for (const std::string &one : inputs)
            on_one_rank.push_back(distribution::block(made_.extents.at(one), 1));
        on_one_rank.push_back(distribution::block(made_.extents.at(target.name), 1));
        const dist_sequence order =
            make_dist_sequence(parse(expression), data_type::f64, on_one_rank);
        std::vector<std::string> operands = inputs; // then the results of the steps
        for (const dist_step &one : order.steps()) {
            const contraction_spec spec = parse(one.expression);
            const auto labels_of = [&](const std::vector<label_t> &labels) {
                std::vector<std::string> found;
                for (const label_t label : labels)
                    found.push_back(spec.label_names[static_cast<std::size_t>(label)]);
                return found;
            };
            std::vector<labelled> tensors;
            for (std::size_t i = 0; i < one.operands.size(); ++i)
                tensors.push_back({operands[one.operands[i]], labels_of(spec.inputs[i])});
            const bool is_last = &one == &order.steps().back();
            const labelled result =
                is_last ? target : intermediate(target.name, labels_of(spec.output));
            multiply(tensors, result, is_last ? factor : coefficient(), is_last && adds);
            operands.push_back(result.name);
        }
    }

    /// target = factor * target / (divisor).
    void divide(const labelled &target, coefficient factor, const sum &divisor) {
        division_step made{target.name, std::move(factor), {}};
        for (const summand &part : divisor) {
            const std::vector<const named *> vectors = tensors_of(part);
            division_step::part added{coefficient_of(part), {}, 0};
            if (!vectors.empty()) {
                added.vector = vectors[0]->name.text;
                const auto at = std::find(target.labels.begin(), target.labels.end(),
                                          vectors[0]->labels[0].text);
                added.mode = static_cast<std::size_t>(at - target.labels.begin());
                made_.vectors.insert(added.vector);
            }
            made.parts.push_back(std::move(added));
        }
        add(std::move(made));
    }

    void begin_line(int line, const statement &one) {
        made_.lines.push_back({line, text_of(one), times_});
    }
    template <class Step> void add(Step one) {
        made_.steps.push_back({made_.lines.size() - 1, std::move(one)});
    }

    const symbols &names_;
    range_sizes sizes_; ///< of ranges of pairs, too
    const std::optional<int> &repetitions_;
    lowered made_;
    std::int64_t times_ = 1; ///< how often the present block runs
    std::size_t block_ = 0;  ///< its first step
    int intermediates_ = 0;
};

} // namespace

lowered lower(const tree &text, const symbols &names, const range_sizes &sizes,
              const std::optional<int> &repetitions) {
    return lowering(names, sizes, repetitions).run(text.body);
}

} // namespace tenfold::program_impl

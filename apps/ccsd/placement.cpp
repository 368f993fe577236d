#include "apps/ccsd/placement.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "apps/ccsd/equations.hpp"
#include "apps/ccsd/pairs.hpp"

namespace tenfold::ccsd {
namespace {

/// In place of the mode along which a tensor is cut: each rank needs all of it.
constexpr int whole = -1;

/// Where the equations need tensors, beginning with the residuals: a rank that makes its part of a
/// line's output needs the same part of an input that has the label of the cut mode, and all of any
/// other. An input of which lines need different parts is whole.
class needs {
public:
    needs() {
        for (const equation_list &lines : {setup_equations(), energy_equations(),
                                           residual_equations(), opposite_spin_equations()})
            for (const char *line : lines) {
                pair_line pairs = parse_pair_line(line);
                contraction_spec spec = pairs.command.empty() ? parse(line) : contraction_spec{};
                lines_.emplace_back(std::move(pairs), std::move(spec));
            }
        for (const char *name : {"R1", "T1"})
            need(name, 0);
        for (const char *name : {"R2", "T2"})
            need(name, 1);
        follow_all();
        // Nobody needs what is gathered to lie anywhere. Cut along its first mode, so that an input
        // that nobody else reads is cut, too.
        for (const auto &[pairs, spec] : lines_)
            if (pairs.command.empty() && !is_known(spec.operand_names.back()) &&
                std::any_of(spec.operand_names.begin(), spec.operand_names.end() - 1,
                            [&](const std::string &input) { return !is_known(input); })) {
                need(spec.operand_names.back(), 0);
                follow_all();
            }
    }

    const std::map<std::string, int> &modes() const noexcept { return modes_; }

private:
    bool is_known(const std::string &name) const { return modes_.count(name) > 0; }

    void need(const std::string &name, int mode) {
        const auto [known, is_new] = modes_.emplace(name, mode);
        if (is_new || known->second == mode || known->second == whole) {
            changes_ |= is_new;
            return;
        }
        known->second = whole;
        changes_ = true;
    }

    void follow_all() {
        for (changes_ = true; changes_;) {
            changes_ = false;
            for (const auto &[pairs, spec] : lines_)
                if (pairs.command.empty())
                    follow(spec);
                else
                    follow(pairs);
        }
    }

    void follow(const contraction_spec &spec) {
        const std::string &output = spec.operand_names.back();
        if (spec.output.empty())
            need(output, whole);
        if (!is_known(output))
            return;
        const int cut = modes_.at(output);
        for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
            const std::vector<label_t> &labels = spec.inputs[i];
            auto found = labels.end();
            if (cut != whole)
                found = std::find(labels.begin(), labels.end(),
                                  spec.output[static_cast<std::size_t>(cut)]);
            need(spec.operand_names[i],
                 found == labels.end() ? whole : static_cast<int>(found - labels.begin()));
        }
    }

    void follow(const pair_line &line) {
        if (line.command == "gather") {
            need(line.plus, whole);
        } else if (line.command == "combine") {
            for (const char *name : {"T1_all", "T2_all", "tau", "u"})
                need(name, whole);
        } else if (line.command == "pack") {
            need(line.whole, whole);
        } else if (line.command == "flip") {
            need(line.whole, modes_.at(line.plus));
        } else { // unpack: each rank has all pairs of some orbitals
            need(line.plus, 0);
            need(line.minus, 0);
        }
    }

    std::vector<std::pair<pair_line, contraction_spec>> lines_;
    std::map<std::string, int> modes_;
    bool changes_ = false;
};

/// The mode along which each tensor is cut, or `whole`.
const std::map<std::string, int> &needed_modes() {
    static const needs of_equations;
    return of_equations.modes();
}

} // namespace

bool placement::replicates(const std::string &name) const {
    const auto found = needed_modes().find(name);
    return replicate_ && found != needed_modes().end() && found->second == whole;
}

distribution placement::spread_of(const std::string &name, const extents_t &extents) const {
    // "diis_T2_3" has the distribution of T2.
    const std::string prefix = "diis_";
    const std::string key = name.starts_with(prefix) ? name.substr(prefix.size(), 2) : name;
    const auto found = needed_modes().find(key);
    if (!replicate_ || found == needed_modes().end() || found->second == whole)
        return distribution::block(extents, ranks_);
    // If there are fewer pairs of occupied orbitals than ranks, some ranks have none.
    const auto cut = static_cast<std::size_t>(found->second);
    std::vector<int> grid(extents.size(), 1);
    grid[cut] = static_cast<int>(std::clamp<index_t>(extents.at(cut), 1, ranks_));
    return {extents, grid, ranks_};
}

std::vector<local_operand> local_operands(const contraction_spec &spec,
                                          const std::vector<placed_tensor> &operands, int rank) {
    struct range {
        index_t begin = 0;
        index_t size = -1; ///< negative: all
    };
    std::vector<range> wanted(spec.label_names.size());
    const slice own = operands.back().block_of(rank);
    for (std::size_t mode = 0; mode < spec.output.size(); ++mode)
        wanted[static_cast<std::size_t>(spec.output[mode])] = {own.offsets[mode],
                                                               own.extents[mode]};
    std::vector<local_operand> result;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::vector<label_t> &labels = i < spec.inputs.size() ? spec.inputs[i] : spec.output;
        const slice there = operands[i].block_of(rank);
        local_operand one;
        extents_t extents;
        extents_t strides;
        index_t stride = 1;
        for (std::size_t mode = 0; mode < labels.size(); ++mode) {
            const range &asked = wanted[static_cast<std::size_t>(labels[mode])];
            const index_t begin = asked.size < 0 ? 0 : asked.begin;
            const index_t size = asked.size < 0 ? operands[i].spread->extents()[mode] : asked.size;
            if (begin < there.offsets[mode] ||
                begin + size > there.offsets[mode] + there.extents[mode])
                return {};
            one.offset += (begin - there.offsets[mode]) * stride;
            extents.push_back(size);
            strides.push_back(stride);
            stride *= there.extents[mode];
        }
        one.shape = layout(extents, strides);
        result.push_back(std::move(one));
    }
    return result;
}

bool is_local(const contraction_spec &spec, const std::vector<placed_tensor> &operands, int ranks) {
    // A scalar of a distributed contraction is on one rank, which would work while the others wait.
    if (!operands.back().replicated && spec.output.empty() && ranks > 1)
        return false;
    for (int rank = 0; rank < ranks; ++rank)
        if (!operands.back().block_of(rank).empty() && local_operands(spec, operands, rank).empty())
            return false;
    return true;
}

} // namespace tenfold::ccsd

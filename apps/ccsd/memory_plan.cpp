#include "memory_plan.hpp"

#include <algorithm>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/error.hpp>

#include "checkpoint.hpp"
#include "equations.hpp"
#include "molecule.hpp"
#include "pairs.hpp"
#include "solver.hpp"
#include "tensor_set.hpp"
#include "triples.hpp"

namespace tenfold::ccsd {
namespace {

constexpr auto word = static_cast<index_t>(sizeof(double));

index_t own_bytes(const distribution &spread) { return spread.largest_block() * word; }

bool contains(const std::vector<label_t> &labels, label_t one) {
    return std::find(labels.begin(), labels.end(), one) != labels.end();
}

/// Extents by label of the largest local contraction: in each group that the grid cuts, the label
/// with the largest extent stands for all of them.
std::vector<index_t> local_extents(const contraction_spec &spec, std::vector<index_t> extents,
                                   const processor_grid &grid) {
    const auto cut = [&](int parts, const auto &belongs) {
        label_t largest = -1;
        for (label_t label = 0; label < static_cast<label_t>(extents.size()); ++label)
            if (belongs(label) && (largest < 0 || extents[static_cast<std::size_t>(label)] >
                                                      extents[static_cast<std::size_t>(largest)]))
                largest = label;
        if (largest >= 0) {
            index_t &extent = extents[static_cast<std::size_t>(largest)];
            extent = (extent + parts - 1) / parts;
        }
    };
    const std::vector<label_t> none;
    const std::vector<label_t> &a = spec.inputs[0];
    const std::vector<label_t> &b = spec.inputs.size() > 1 ? spec.inputs[1] : none;
    const std::vector<label_t> &d = spec.output;
    cut(grid.batch, [&](label_t x) { return contains(a, x) && contains(b, x) && contains(d, x); });
    cut(grid.m, [&](label_t x) { return contains(a, x) && !contains(b, x) && contains(d, x); });
    cut(grid.n, [&](label_t x) { return !contains(a, x) && contains(b, x) && contains(d, x); });
    cut(grid.k, [&](label_t x) { return contains(a, x) && contains(b, x) && !contains(d, x); });
    return extents;
}

layout layout_of(const std::vector<label_t> &labels, const std::vector<index_t> &extents) {
    extents_t own;
    for (const label_t label : labels)
        own.push_back(extents[static_cast<std::size_t>(label)]);
    return layout(own);
}

} // namespace

void memory_ledger::create(const std::string &name, const extents_t &extents) {
    if (const auto found = spreads_.find(name); found != spreads_.end()) {
        if (found->second.extents() == extents)
            return;
        erase(name);
    }
    const distribution spread = distribution::block(extents, ranks_);
    keep(own_bytes(spread));
    spreads_.emplace(name, spread);
}

void memory_ledger::keep(index_t size) {
    now_ += size;
    temporary(0);
}

void memory_ledger::erase(const std::string &name) {
    if (const auto found = spreads_.find(name); found != spreads_.end()) {
        now_ -= own_bytes(found->second);
        spreads_.erase(found);
    }
}

void memory_ledger::rename(const std::string &from, const std::string &to) {
    erase(to);
    auto node = spreads_.extract(from);
    node.key() = to;
    spreads_.insert(std::move(node));
}

void memory_ledger::run(const std::string &line) {
    if (const pair_line parts = parse_pair_line(line); !parts.command.empty()) {
        if (parts.command == "pack") {
            const extents_t &whole = extents_of(parts.whole);
            const extents_t pairs{pair_count(whole[0]), pair_count(whole[2])};
            create(parts.plus, pairs);
            create(parts.minus, pairs);
        }
        if (ranks_ == 1)
            return;
        const bool packs = parts.command == "pack";
        const distribution &made = spreads_.at(packs ? parts.plus : parts.whole);
        index_t most = 0;
        for (int rank = 0; rank < ranks_; ++rank) {
            const slice own = made.block_of(rank);
            most = std::max(most, packs ? packed_from(own).size() : 2 * unpacked_from(own).size());
        }
        temporary(most * word);
        return;
    }

    const contraction_spec spec = parse(line);
    std::vector<index_t> extents(spec.label_names.size(), 0);
    std::vector<distribution> spreads;
    index_t operands = 0;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
        spreads.push_back(spreads_.at(spec.operand_names[i]));
        operands += own_bytes(spreads.back());
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            extents[static_cast<std::size_t>(spec.inputs[i][mode])] =
                spreads.back().extents()[mode];
    }
    create(spec.operand_names.back(), layout_of(spec.output, extents).extents());
    spreads.push_back(spreads_.at(spec.operand_names.back()));
    operands += own_bytes(spreads.back());

    const dist_options options{.workspace_limit = workspace_limit_};
    const dist_plan_summary plan = make_dist_plan(spec, data_type::f64, spreads, options).summary();
    const std::vector<index_t> local = local_extents(spec, extents, plan.grid);
    std::vector<input> inputs;
    for (const std::vector<label_t> &labels : spec.inputs)
        inputs.emplace_back(data_type::f64, nullptr, layout_of(labels, local));
    const output d(data_type::f64, nullptr, layout_of(spec.output, local));
    const index_t workspace =
        make_plan(spec, inputs, d, d, {.workspace_limit = workspace_limit_}).workspace_size().value;
    temporary(plan.peak.value - operands + workspace);
}

namespace {

/// The calculation, step by step as main.cpp, molecule.cpp and solver.cpp take them.
class rehearsal {
public:
    rehearsal(const problem_size &size, const options &how,
              std::optional<byte_count> workspace_limit)
        : size_(size), how_(how), ledger_(size.ranks, workspace_limit) {}

    index_t peak() {
        const index_t list = integral_list::bytes_needed(size_.orbitals);
        ledger_.keep(list);
        if (size_.o > 0 && size_.v > 0 && how_.method >= method::mp2)
            blocks();
        ledger_.keep(-list);
        if (size_.o > 0 && size_.v > 0 && how_.method >= method::mp2)
            correlate();
        return ledger_.peak();
    }
    index_t before_triples() const noexcept { return before_triples_; }

private:
    void blocks() {
        const block_choice choice =
            how_.method >= method::ccsd ? block_choice::all : block_choice::pair_energies;
        for (const auto &[name, extents] : block_extents(size_.o, size_.v, choice)) {
            ledger_.create(name, extents);
            ledger_.temporary(fill_buffer_elements(extents) * word);
        }
    }

    void rotate(const std::string &name) {
        for (std::size_t mode = 0; mode < 4; ++mode) {
            ledger_.create("rotated", ledger_.extents_of(name));
            ledger_.rename("rotated", name);
        }
    }

    void correlate() {
        const index_t o = size_.o;
        const index_t v = size_.v;
        ledger_.create("mp2_vovo", {v, o, v, o});
        if (!size_.canonical)
            rotate("mp2_vovo");
        ledger_.run("mp2_T2[a,b,i,j] = mp2_vovo[a,i,b,j]");
        ledger_.run("mp2_E[] -= mp2_vovo[b,i,a,j]*mp2_T2[a,b,i,j]");
        for (const char *name : {"mp2_vovo", "mp2_T2", "mp2_E"})
            ledger_.erase(name);
        if (how_.method < method::ccsd)
            return;

        ledger_.create("T1", {v, o});
        ledger_.create("T2", {v, v, o, o});
        for (const equation_list &lines :
             {setup_equations(), energy_equations(), residual_equations()})
            for (const char *line : lines)
                ledger_.run(line);
        const int kept = how_.diis < 2 ? 0 : std::min(how_.diis, how_.max_iterations);
        for (int entry = 0; entry < kept; ++entry)
            for (const char *name : {"T1", "R1", "T2", "R2"})
                ledger_.create("diis" + std::to_string(entry) + name, ledger_.extents_of(name));
        for (const equation_list &lines : {energy_equations(), residual_equations()})
            for (const char *line : lines)
                ledger_.run(line);
        if (saves())
            ledger_.temporary(checkpoint_bytes(o, v));
        for (int entry = 0; entry < kept; ++entry)
            for (const char *name : {"T1", "R1", "T2", "R2"})
                ledger_.erase("diis" + std::to_string(entry) + name);
        for (const char *name : tensors_of_iterations())
            ledger_.erase(name);
        if (how_.method < method::ccsd_t)
            return;

        if (!size_.canonical && saves())
            for (const char *name : {"T1", "T2"})
                ledger_.create(std::string("converged_") + name, ledger_.extents_of(name));
        if (!size_.canonical)
            for (const char *name : {"vvvo", "vooo", "vovo", "T2"})
                rotate(name);
        before_triples_ = ledger_.now() + (saves() ? checkpoint_bytes(o, v) : 0);
    }

    bool saves() const noexcept { return !how_.checkpoint.empty(); }

    const problem_size &size_;
    const options &how_;
    memory_ledger ledger_;
    index_t before_triples_ = 0;
};

} // namespace

memory_plan plan_memory(const problem_size &size, const options &how) {
    // Where memory is short, contractions get by with less workspace, down to what takes longer
    // than it is worth.
    std::vector<std::optional<byte_count>> limits{std::nullopt};
    if (how.memory)
        for (const index_t limit : {64, 16, 4, 1})
            limits.emplace_back(mib(limit));
    index_t least = INT64_MAX;
    for (const std::optional<byte_count> &limit : limits) {
        memory_plan plan;
        plan.workspace_limit = limit;
        rehearsal steps(size, how, limit);
        try {
            plan.bytes = steps.peak();
        } catch (const error &problem) {
            if (problem.code() != errc::workspace_too_small)
                throw;
            continue;
        }
        if (how.method == method::ccsd_t && size.o > 0 && size.v > 0) {
            const index_t before = steps.before_triples();
            const auto needed = [&](index_t blocks) {
                return before + triples_bytes(size.o, size.v, size.threads, blocks);
            };
            plan.triples_blocks = blocks_wanted(size.o, size.ranks);
            while (how.memory && plan.triples_blocks < size.o &&
                   needed(plan.triples_blocks) > how.memory->value)
                ++plan.triples_blocks;
            plan.bytes = std::max(plan.bytes, needed(plan.triples_blocks));
        }
        if (!how.memory || plan.bytes <= how.memory->value)
            return plan;
        least = std::min(least, plan.bytes);
    }
    throw error(errc::workspace_too_small, "--memory: the calculation needs at least " +
                                               std::to_string(least) + " bytes on each rank; " +
                                               std::to_string(how.memory->value) + " are allowed");
}

} // namespace tenfold::ccsd

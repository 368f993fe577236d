#include "apps/ccsd/memory_ledger.hpp"

#include <algorithm>
#include <vector>

#include <tenfold/chem_pairs.hpp>
#include <tenfold/context.hpp>
#include <tenfold/contract.hpp>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/moves.hpp"
#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {
namespace {

index_t own_bytes(const distribution &spread) { return spread.largest_block() * word; }

layout layout_of(const std::vector<label_t> &labels, const std::vector<index_t> &extents) {
    extents_t own;
    for (const label_t label : labels)
        own.push_back(extents[static_cast<std::size_t>(label)]);
    return layout(own);
}

} // namespace

void memory_ledger::create(const std::string &name, const extents_t &extents) {
    if (const auto found = tensors_.find(name); found != tensors_.end()) {
        if (found->second.spread.extents() == extents)
            return;
        erase(name);
    }
    const bool replicated = where_.replicates(name);
    const distribution spread =
        replicated ? distribution::block(extents, 1) : where_.spread_of(name, extents);
    keep(own_bytes(spread));
    tensors_.emplace(name, entry{spread, replicated});
}

void memory_ledger::keep(index_t size) {
    now_ += size;
    temporary(0);
}

void memory_ledger::erase(const std::string &name) {
    if (const auto found = tensors_.find(name); found != tensors_.end()) {
        if (found->second.counted)
            now_ -= own_bytes(found->second.spread);
        tensors_.erase(found);
    }
}

void memory_ledger::rename(const std::string &from, const std::string &to) {
    erase(to);
    auto node = tensors_.extract(from);
    node.key() = to;
    tensors_.insert(std::move(node));
}

void memory_ledger::gather(const pair_line &parts) {
    const std::string &to = parts.plus;
    const std::string &from = parts.whole;
    if (where_.replicates(to)) {
        create(to, extents_of(from));
        temporary(gather_bytes(tensors_.at(from).spread));
    } else if (tensors_.count(to) == 0) {
        entry other = tensors_.at(from);
        other.counted = false;
        tensors_.emplace(to, std::move(other));
    }
}

void memory_ledger::combine() {
    if (!combines_at_once(where_)) {
        for (const char *line : combination_lines)
            run(line);
        return;
    }
    const extents_t extents = extents_of("T2_all");
    create("tau", extents);
    create("u", {extents[0], extents[2], extents[1], extents[3]});
}

void memory_ledger::pack_or_unpack(const pair_line &parts) {
    const bool packs = parts.command == "pack";
    if (packs) {
        const extents_t whole = extents_of(parts.whole);
        const extents_t pairs{chem::pair_count(whole[0]), chem::pair_count(whole[2])};
        create(parts.plus, pairs);
        create(parts.minus, pairs);
    }
    const entry &made = tensors_.at(packs ? parts.plus : parts.whole);
    if (ranks_ == 1 || made.replicated)
        return;
    if (!packs && parts.buffers.size() == 2 && tensors_.at(parts.buffers[0]).replicated) {
        for (const std::string &pairs : {parts.plus, parts.minus})
            temporary(gather_bytes(tensors_.at(pairs).spread));
        return;
    }
    index_t most = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
        const slice own = made.spread.block_of(rank);
        most = std::max(most, packs ? packed_from(own).size() : 2 * unpacked_from(own).size());
    }
    temporary(most * word);
}

index_t memory_ledger::local_workspace(const contraction_spec &spec,
                                       const std::vector<placed_tensor> &operands) const {
    int most = 0;
    for (int rank = 1; rank < ranks_; ++rank)
        if (operands.back().block_of(rank).size() > operands.back().block_of(most).size())
            most = rank;
    const std::vector<local_operand> parts = local_operands(spec, operands, most);
    std::vector<input> inputs;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
        inputs.emplace_back(data_type::f64, nullptr, parts[i].shape);
    const output d(data_type::f64, nullptr, parts.back().shape);
    return make_plan(with_assignment(spec), inputs, d, d,
                     {.workspace_limit = workspace_limit_, .threads = threads_})
        .workspace_size()
        .value;
}

void memory_ledger::run(const std::string &line) {
    if (const pair_line parts = parse_pair_line(line); parts.command == "gather") {
        gather(parts);
        return;
    } else if (parts.command == "combine") {
        combine();
        return;
    } else if (parts.command == "flip") {
        const distribution &spread = tensors_.at(parts.whole).spread;
        if (ranks_ == 1 || !is_cut_for_flip(spread))
            run(parts.plus + "[a,b,i,j] += " + parts.whole + "[b,a,j,i]");
        else
            temporary(flip_bytes(spread));
        return;
    } else if (!parts.command.empty()) {
        pack_or_unpack(parts);
        return;
    }

    const contraction_spec spec = parse(line);
    std::vector<index_t> extents(spec.label_names.size(), 0);
    std::vector<distribution> spreads;
    std::vector<bool> replicated;
    const auto add = [&](const std::string &name) {
        spreads.push_back(tensors_.at(name).spread);
        replicated.push_back(tensors_.at(name).replicated);
    };
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
        add(spec.operand_names[i]);
        for (std::size_t mode = 0; mode < spec.inputs[i].size(); ++mode)
            extents[static_cast<std::size_t>(spec.inputs[i][mode])] =
                spreads.back().extents()[mode];
    }
    create(spec.operand_names.back(), layout_of(spec.output, extents).extents());
    if (ignores_workspace_)
        return;
    if (buffers_.count(line) == 0) {
        add(spec.operand_names.back());
        buffers_[line] = buffers_of(spec, spreads, replicated);
    }
    temporary(buffers_[line]);
}

index_t memory_ledger::buffers_of(const contraction_spec &spec,
                                  const std::vector<distribution> &spreads,
                                  const std::vector<bool> &replicated) const {
    std::vector<placed_tensor> places;
    index_t operands = 0;
    for (std::size_t i = 0; i < spreads.size(); ++i) {
        places.push_back({&spreads[i], replicated[i]});
        operands += own_bytes(spreads[i]);
    }
    if (!context::global().settings().reproducible && is_local(spec, places, ranks_))
        return local_workspace(spec, places);

    dist_options options = distributed_options(workspace_limit_);
    options.threads = threads_;
    const dist_plan_summary plan = make_dist_plan(spec, data_type::f64, spreads, options).summary();
    return plan.peak.value - operands;
}

} // namespace tenfold::ccsd

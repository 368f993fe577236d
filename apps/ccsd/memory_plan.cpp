#include "memory_plan.hpp"

#include <algorithm>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/contract.hpp>
#include <tenfold/error.hpp>

#include "checkpoint.hpp"
#include "combinations.hpp"
#include "diis.hpp"
#include "einsum/as_assignment.hpp"
#include "equations.hpp"
#include "molecule.hpp"
#include "moves.hpp"
#include "pairs.hpp"
#include "solver.hpp"
#include "tensor_set.hpp"
#include "triples.hpp"

namespace tenfold::ccsd {
namespace {

constexpr auto word = static_cast<index_t>(sizeof(double));

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
        if (parts.buffers.empty() || tensors_.count(parts.buffers[0]) == 0)
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
        const extents_t pairs{pair_count(whole[0]), pair_count(whole[2])};
        create(parts.plus, pairs);
        create(parts.minus, pairs);
    }
    const entry &made = tensors_.at(packs ? parts.plus : parts.whole);
    if (ranks_ == 1 || made.replicated)
        return;
    if (!packs && parts.buffers.size() == 3 && tensors_.at(parts.buffers[0]).replicated)
        return;
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
    return make_plan(einsum_impl::as_assignment(spec), inputs, d, d,
                     {.workspace_limit = workspace_limit_, .threads = threads_})
        .workspace_size()
        .value;
}

void memory_ledger::run(const std::string &line) {
    if (const pair_line parts = parse_pair_line(line); parts.command == "gather") {
        gather(parts);
        return;
    } else if (parts.command == "send") {
        return;
    } else if (parts.command == "combine") {
        combine();
        return;
    } else if (parts.command == "flip") {
        if (ranks_ == 1 || !flip_move::is_possible(tensors_.at(parts.whole).spread))
            run(parts.plus + "[a,b,i,j] += " + parts.whole + "[b,a,j,i]");
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

namespace {

/// The calculation, step by step as main.cpp, molecule.cpp and solver.cpp take them.
class rehearsal {
public:
    rehearsal(const problem_size &size, const options &how, bool replicates,
              std::optional<byte_count> workspace_limit)
        : size_(size), how_(how),
          ledger_(placement(size.ranks, replicates), size.threads, workspace_limit) {}

    void ignore_workspace() noexcept { ledger_.ignore_workspace(); }

    void run() {
        const index_t list = integral_list::bytes_needed(size_.orbitals);
        ledger_.keep(list);
        if (size_.o > 0 && size_.v > 0 && how_.method >= method::mp2)
            blocks();
        while_reading_ = ledger_.peak();
        ledger_.keep(-list);
        ledger_.forget_peak();
        if (size_.o > 0 && size_.v > 0 && how_.method >= method::mp2)
            correlate();
    }
    /// Of the rank with the list, where each makes its own parts of tensors; where one does, it has
    /// a buffer too.
    index_t while_reading() const noexcept { return while_reading_; }
    index_t fill_buffer() const noexcept { return fill_buffer_; }
    index_t afterwards() const noexcept { return ledger_.peak(); }
    index_t before_triples() const noexcept { return before_triples_; }

private:
    void blocks() {
        const block_choice choice =
            how_.method >= method::ccsd ? block_choice::all : block_choice::pair_energies;
        for (const auto &[name, extents] : block_extents(size_.o, size_.v, choice)) {
            ledger_.create(name, extents);
            fill_buffer_ = std::max(fill_buffer_, fill_buffer_elements(extents) * word);
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
        for (int place = 0; place < kept; ++place)
            for (const char *name : diis::kept_names)
                ledger_.create(diis::stored_name(name, place), ledger_.extents_of(name));
        for (const equation_list &lines : {energy_equations(), residual_equations()})
            for (const char *line : lines)
                ledger_.run(line);
        if (saves())
            ledger_.temporary(checkpoint_bytes(o, v));
        for (int place = 0; place < kept; ++place)
            for (const char *name : diis::kept_names)
                ledger_.erase(diis::stored_name(name, place));
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
    index_t while_reading_ = 0;
    index_t fill_buffer_ = 0;
    index_t before_triples_ = 0;
};

/// Empty where the workspace limit is too tight.
std::optional<memory_plan> plan_for(const problem_size &size, const options &how, bool replicates,
                                    std::optional<byte_count> workspace_limit) {
    memory_plan plan{.workspace_limit = workspace_limit, .replicates = replicates};
    rehearsal steps(size, how, replicates, workspace_limit);
    try {
        steps.run();
    } catch (const error &problem) {
        if (problem.code() != errc::workspace_too_small)
            throw;
        return std::nullopt;
    }
    plan.bytes = steps.afterwards();
    if (how.method == method::ccsd_t && size.o > 0 && size.v > 0) {
        const index_t before = steps.before_triples();
        const auto needed = [&](index_t blocks) {
            return before + triples_bytes(size.o, size.v, size.threads, blocks);
        };
        // One block, and nothing to read between triples, where the iterations take more.
        plan.triples_blocks = needed(1) <= plan.bytes ? 1 : blocks_wanted(size.o, size.ranks);
        while (how.memory && plan.triples_blocks < size.o &&
               needed(plan.triples_blocks) > how.memory->value)
            ++plan.triples_blocks;
        plan.bytes = std::max(plan.bytes, needed(plan.triples_blocks));
    }
    plan.lists_everywhere = size.ranks == 1 || steps.while_reading() <= plan.bytes;
    plan.bytes = std::max(plan.bytes, steps.while_reading() +
                                          (plan.lists_everywhere ? 0 : steps.fill_buffer()));
    return plan;
}

/// What the tensors take, a lower bound of all that is found sooner.
index_t tensor_bytes(const problem_size &size, const options &how, bool replicates) {
    rehearsal tensors(size, how, replicates, std::nullopt);
    tensors.ignore_workspace();
    tensors.run();
    return tensors.afterwards();
}

/// With what lines sum over whole on each rank. Ranks share a node's memory and caches, so that
/// contractions get a twenty-fourth of what the tensors take and transpose slices: about as fast
/// as with all that they like.
std::optional<memory_plan> plan_replicated(const problem_size &size, const options &how) {
    const index_t workspace = std::max(mib(4).value, tensor_bytes(size, how, true) / 24);
    if (auto plan = plan_for(size, how, true, bytes(workspace)))
        return plan;
    return plan_for(size, how, true, std::nullopt);
}

} // namespace

memory_plan plan_memory(const problem_size &size, const options &how) {
    std::optional<memory_plan> whole;
    if (placement::can_replicate(size.ranks, size.v) && how.method >= method::ccsd &&
        !context::global().settings().reproducible)
        whole = plan_replicated(size, how);
    // Copies are worth their memory while they do not take more than all the rest.
    if (whole && (how.memory ? whole->bytes <= how.memory->value
                             : whole->bytes <= 2 * tensor_bytes(size, how, false)))
        return *whole;
    const std::optional<memory_plan> spread = plan_for(size, how, false, std::nullopt);
    if (whole && !how.memory && whole->bytes <= 2 * spread->bytes)
        return *whole;
    if (!how.memory || spread->bytes <= how.memory->value)
        return *spread;
    // Contractions get by with less workspace, down to what takes longer than it is worth.
    index_t least = spread->bytes;
    for (const index_t limit : {64, 16, 4, 1}) {
        const std::optional<memory_plan> plan = plan_for(size, how, false, mib(limit));
        if (!plan)
            continue;
        if (plan->bytes <= how.memory->value)
            return *plan;
        least = std::min(least, plan->bytes);
    }
    throw error(errc::workspace_too_small, "--memory: the calculation needs at least " +
                                               std::to_string(least) + " bytes on each rank; " +
                                               std::to_string(how.memory->value) + " are allowed");
}

} // namespace tenfold::ccsd

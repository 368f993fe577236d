#include "apps/ccsd/memory_plan.hpp"

#include <algorithm>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

#include "apps/ccsd/canonical.hpp"
#include "apps/ccsd/checkpoint.hpp"
#include "apps/ccsd/diis.hpp"
#include "apps/ccsd/equations.hpp"
#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/pairs.hpp"
#include "apps/ccsd/solver.hpp"
#include "apps/ccsd/tensor_set.hpp"
#include "apps/ccsd/triples.hpp"

namespace tenfold::ccsd {
namespace {

/// A dry run of the calculation's lines, in the order of main.cpp, molecule.cpp and solver.cpp.
class rehearsal {
public:
    rehearsal(const problem_size &size, const options &how, bool replicates,
              std::optional<byte_count> workspace_limit)
        : size_(size), how_(how), tensors_(placement(size.ranks, replicates), size.threads) {
        tensors_.limit_workspace(workspace_limit);
    }

    void ignore_workspace() noexcept { tensors_.ignore_buffers(); }

    void run() {
        auto list = tensors_.hold(chem::integrals::bytes_needed(size_.orbitals));
        if (size_.o > 0 && size_.v > 0 && how_.method >= method::mp2)
            blocks();
        while_reading_ = tensors_.bytes_peak().value;
        list.reset();
        tensors_.forget_peak();
        if (size_.o > 0 && size_.v > 0 && how_.method >= method::mp2)
            correlate();
    }
    /// while_reading() is for the rank with the list of integrals if each rank makes its own parts
    /// of tensors. If one rank makes all of them, it also needs fill_buffer().
    index_t while_reading() const noexcept { return while_reading_; }
    index_t fill_buffer() const noexcept { return fill_buffer_; }
    index_t afterwards() const noexcept { return tensors_.bytes_peak().value; }
    index_t before_triples() const noexcept { return before_triples_; }

private:
    void blocks() {
        const block_choice choice =
            how_.method >= method::ccsd ? block_choice::all : block_choice::pair_energies;
        for (const auto &[name, extents] : block_extents(size_.o, size_.v, choice)) {
            tensors_.make(name, extents);
            fill_buffer_ = std::max(fill_buffer_, fill_buffer_elements(extents) * word);
        }
    }

    void rotate(const std::string &name) {
        for (std::size_t mode = 0; mode < 4; ++mode) {
            tensors_.make("rotated", tensors_.extents_of(name));
            tensors_.rename("rotated", name);
        }
    }

    void correlate() {
        const index_t o = size_.o;
        const index_t v = size_.v;
        tensors_.make("mp2_vovo", {v, o, v, o});
        if (!size_.canonical)
            rotate("mp2_vovo");
        tensors_.run("mp2_T2[a,b,i,j] = mp2_vovo[a,i,b,j]");
        run(mp2_energy_lines);
        for (const char *name : {"mp2_vovo", "mp2_T2", "mp2_opposite", "mp2_exchange"})
            tensors_.erase(name);
        if (how_.method < method::ccsd)
            return;

        tensors_.make("T1", {v, o});
        tensors_.make("T2", {v, v, o, o});
        for (const equation_list &lines :
             {setup_equations(), energy_equations(), residual_equations()})
            run(lines);
        const int kept = how_.diis < 2 ? 0 : std::min(how_.diis, how_.max_iterations);
        for (int place = 0; place < kept; ++place)
            for (const char *name : diis::kept_names)
                tensors_.make(diis::stored_name(name, place), tensors_.extents_of(name));
        for (const equation_list &lines :
             {energy_equations(), residual_equations(), opposite_spin_equations()})
            run(lines);
        if (saves())
            tensors_.note(checkpoint_bytes(o, v));
        for (int place = 0; place < kept; ++place)
            for (const char *name : diis::kept_names)
                tensors_.erase(diis::stored_name(name, place));
        for (const std::string &name : tensors_of_iterations())
            tensors_.erase(name);
        if (how_.method < method::ccsd_t)
            return;

        if (!size_.canonical && saves())
            for (const char *name : {"T1", "T2"})
                tensors_.make(std::string("converged_") + name, tensors_.extents_of(name));
        if (!size_.canonical)
            for (const char *name : {"vvvo", "vooo", "vovo", "T2"})
                rotate(name);
        before_triples_ = tensors_.bytes_now().value + (saves() ? checkpoint_bytes(o, v) : 0);
    }

    void run(equation_list lines) {
        for (const char *line : lines)
            run_line(tensors_, line);
    }

    bool saves() const noexcept { return !how_.checkpoint.empty(); }

    const problem_size &size_;
    const options &how_;
    tensor_set tensors_;
    index_t while_reading_ = 0;
    index_t fill_buffer_ = 0;
    index_t before_triples_ = 0;
};

/// Returns no plan if the workspace limit is too small.
std::optional<memory_plan> plan_for(const problem_size &size, const options &how, bool replicates,
                                    std::optional<byte_count> workspace_limit) {
    memory_plan plan{
        .workspace_limit = workspace_limit, .replicates = replicates, .diis = how.diis};
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
        // One block, which needs no reading between triples, if the iterations need more memory
        // anyway.
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

/// The bytes of the tensors alone: a lower bound that is fast to compute.
index_t tensor_bytes(const problem_size &size, const options &how, bool replicates) {
    rehearsal tensors(size, how, replicates, std::nullopt);
    tensors.ignore_workspace();
    tensors.run();
    return tensors.afterwards();
}

/// Plans with replicated operands. Ranks share a node's memory and caches, so that contractions get
/// a workspace of 1/24 of the tensors and transpose slices. That is about as fast as with unlimited
/// workspace.
std::optional<memory_plan> plan_replicated(const problem_size &size, const options &how) {
    const index_t workspace = std::max(mib(4).value, tensor_bytes(size, how, true) / 24);
    if (auto plan = plan_for(size, how, true, bytes(workspace)))
        return plan;
    return plan_for(size, how, true, std::nullopt);
}

/// Plans with distributed tensors and as much workspace as fits in `memory`, in steps down to 1
/// MiB; less would be too slow. Sets `least` to the smallest amount that would suffice.
std::optional<memory_plan> plan_within(index_t memory, const problem_size &size, const options &how,
                                       index_t &least) {
    constexpr std::optional<byte_count> limits[] = {std::nullopt, mib(64), mib(16), mib(4), mib(1)};
    for (const auto &limit : limits) {
        const std::optional<memory_plan> plan = plan_for(size, how, false, limit);
        if (plan && plan->bytes <= memory)
            return plan;
        if (plan)
            least = std::min(least, plan->bytes);
    }
    return std::nullopt;
}

/// The same with as many vectors of DIIS as fit, fewer than `how` asks for.
std::optional<memory_plan> plan_with_fewer_vectors(index_t memory, const problem_size &size,
                                                   const options &how, index_t &least) {
    const auto with = [&](int vectors) {
        options fewer = how;
        fewer.diis = vectors;
        return plan_within(memory, size, fewer, least);
    };
    std::optional<memory_plan> best = with(0);
    int fitting = 1; // one vector has no effect
    int too_many = std::min(how.diis, how.max_iterations);
    while (best && too_many - fitting > 1) {
        const int vectors = (fitting + too_many) / 2;
        if (auto plan = with(vectors)) {
            best = plan;
            fitting = vectors;
        } else {
            too_many = vectors;
        }
    }
    return best;
}

} // namespace

memory_plan plan_memory(const problem_size &size, const options &how) {
    std::optional<memory_plan> whole;
    if (placement::can_replicate(size.ranks, size.v) && how.method >= method::ccsd &&
        !context::global().settings().reproducible)
        whole = plan_replicated(size, how);
    if (!how.memory) {
        // Copies are worth their memory as long as they do not take more than everything else.
        if (whole && whole->bytes <= 2 * tensor_bytes(size, how, false))
            return *whole;
        const std::optional<memory_plan> spread = plan_for(size, how, false, std::nullopt);
        return whole && whole->bytes <= 2 * spread->bytes ? *whole : *spread;
    }
    const index_t memory = how.memory->value;
    if (whole && whole->bytes <= memory)
        return *whole;
    index_t least = INT64_MAX;
    if (const auto plan = plan_within(memory, size, how, least))
        return *plan;
    if (how.method >= method::ccsd && how.diis >= 2)
        if (const auto plan = plan_with_fewer_vectors(memory, size, how, least))
            return *plan;
    throw error(errc::workspace_too_small, "--memory: the calculation needs at least " +
                                               std::to_string(least) + " bytes on each rank; " +
                                               std::to_string(memory) + " are allowed");
}

} // namespace tenfold::ccsd

// How much memory a calculation will take, found out without doing it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <tenfold/dist_plan.hpp>

#include "options.hpp"
#include "pairs.hpp"
#include "placement.hpp"

namespace tenfold::ccsd {

/// What memory depends on.
struct problem_size {
    index_t orbitals = 0; ///< of the file
    index_t o = 0;        ///< active occupied ones
    index_t v = 0;
    int ranks = 1;
    int threads = 1;       ///< of each rank
    bool canonical = true; ///< else MP2 and (T) rotate what they need
};

/// Does with names and extents what tensor_set does with tensors.
class memory_ledger {
public:
    memory_ledger(placement where, int threads, std::optional<byte_count> workspace_limit)
        : where_(std::move(where)), ranks_(where_.ranks()), threads_(threads),
          workspace_limit_(workspace_limit) {}

    /// From now on, contractions are taken to need their tensors only: a lower bound, at once.
    void ignore_workspace() noexcept { ignores_workspace_ = true; }

    void create(const std::string &name, const extents_t &extents);
    void erase(const std::string &name);
    void rename(const std::string &from, const std::string &to);
    /// Any line of the equations. Throws errc::workspace_too_small where the limit is too tight.
    void run(const std::string &line);
    /// `size` bytes beside the tensors, given back at once, or kept until as many are taken off.
    void temporary(index_t size) { peak_ = std::max(peak_, now_ + size); }
    void keep(index_t size);

    const extents_t &extents_of(const std::string &name) const {
        return tensors_.at(name).spread.extents();
    }
    index_t peak() const noexcept { return peak_; } ///< since it was last forgotten
    void forget_peak() noexcept { peak_ = now_; }
    index_t now() const noexcept { return now_; }

private:
    struct entry {
        distribution spread;
        bool replicated = false;
        bool counted = true; ///< another name for a tensor is not
    };
    void gather(const pair_line &parts);
    void combine();
    void pack_or_unpack(const pair_line &parts);
    /// What a contraction takes beside the tensors there are.
    index_t buffers_of(const contraction_spec &spec, const std::vector<distribution> &spreads,
                       const std::vector<bool> &replicated) const;
    /// Workspace of a line on the rank with most of the output.
    index_t local_workspace(const contraction_spec &spec,
                            const std::vector<placed_tensor> &operands) const;

    placement where_;
    int ranks_;
    int threads_;
    std::optional<byte_count> workspace_limit_;
    bool ignores_workspace_ = false;
    std::map<std::string, entry> tensors_;
    std::map<std::string, index_t> buffers_; ///< of contractions; a name lies in one way only
    index_t now_ = 0;
    index_t peak_ = 0;
};

struct memory_plan {
    index_t bytes = 0; ///< of the rank with most, tensors and buffers together
    std::optional<byte_count> workspace_limit; ///< of contractions; empty: as much as they like
    index_t triples_blocks = 0;                ///< of occupied orbitals, for (T)
    bool replicates = false; ///< what lines sum over lies whole on each rank (placement.hpp)
    /// While integrals are read each rank has the list of all, which takes no more than what comes
    /// later; else the root has.
    bool lists_everywhere = false;
};

/// Plans for what `how` asks for; where `how.memory` is given, with workspace as small as that
/// takes. Throws errc::workspace_too_small that states the minimum.
memory_plan plan_memory(const problem_size &size, const options &how);

} // namespace tenfold::ccsd

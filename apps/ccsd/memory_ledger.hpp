// The memory of tensors and lines, added up without any of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "apps/ccsd/pairs.hpp"
#include "apps/ccsd/placement.hpp"

namespace tenfold::ccsd {

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

} // namespace tenfold::ccsd

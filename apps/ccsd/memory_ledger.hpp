// Adds up the memory of tensors and lines without allocating it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "apps/ccsd/pairs.hpp"
#include "apps/ccsd/placement.hpp"

namespace tenfold::ccsd {

/// Executes lines on names and extents as tensor_set does on tensors.
class memory_ledger {
public:
    memory_ledger(placement where, int threads, std::optional<byte_count> workspace_limit)
        : where_(std::move(where)), ranks_(where_.ranks()), threads_(threads),
          workspace_limit_(workspace_limit) {}

    /// From now on, contractions count only their tensors, which gives a lower bound quickly.
    void ignore_workspace() noexcept { ignores_workspace_ = true; }

    void create(const std::string &name, const extents_t &extents);
    void erase(const std::string &name);
    void rename(const std::string &from, const std::string &to);
    /// Counts a line of the equations. Throws errc::workspace_too_small if the limit is too small.
    void run(const std::string &line);
    /// temporary() counts `size` bytes that are freed at once; keep() counts them until a call with
    /// the negative size.
    void temporary(index_t size) { peak_ = std::max(peak_, now_ + size); }
    void keep(index_t size);

    const extents_t &extents_of(const std::string &name) const {
        return tensors_.at(name).spread.extents();
    }
    index_t peak() const noexcept { return peak_; } ///< since it was last reset
    void forget_peak() noexcept { peak_ = now_; }
    index_t now() const noexcept { return now_; }

private:
    struct entry {
        distribution spread;
        bool replicated = false;
        bool counted = true; ///< false for an alias
    };
    void gather(const pair_line &parts);
    void combine();
    void pack_or_unpack(const pair_line &parts);
    /// Bytes that a contraction needs besides its tensors.
    index_t buffers_of(const contraction_spec &spec, const std::vector<distribution> &spreads,
                       const std::vector<bool> &replicated) const;
    /// Workspace of a line on the rank that has the largest part of the output.
    index_t local_workspace(const contraction_spec &spec,
                            const std::vector<placed_tensor> &operands) const;

    placement where_;
    int ranks_;
    int threads_;
    std::optional<byte_count> workspace_limit_;
    bool ignores_workspace_ = false;
    std::map<std::string, entry> tensors_;
    std::map<std::string, index_t> buffers_; ///< of contractions; a name has one distribution only
    index_t now_ = 0;
    index_t peak_ = 0;
};

} // namespace tenfold::ccsd

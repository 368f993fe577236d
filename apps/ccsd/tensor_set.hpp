// Distributed tensors by name, and the execution of equations with them; or the memory that both
// would take, without tensors.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

#include "apps/ccsd/placement.hpp"

namespace tenfold::ccsd {

/// The cost of one line of the equations so far.
struct line_profile {
    std::string line;
    index_t calls = 0;
    double seconds = 0;        ///< on this rank, including waiting for others
    double flops = 0;          ///< of all ranks together
    double bytes = 0;          ///< of the tensors, each once per call, all ranks together
    double bytes_received = 0; ///< by the rank that received most
    bool distributed = false;  ///< ranks communicated
};

/// All calls are collective, but for those of a dry run: that has names and extents, but neither
/// elements nor a world, and does the same calls up to where elements are needed. It counts the
/// memory of the rank that needs most.
class tensor_set {
public:
    explicit tensor_set(const world &ranks)
        : ranks_(ranks), self_(MPI_COMM_SELF), threads_(ranks.threads()),
          where_(ranks.size(), false) {}
    /// A dry run of as many ranks as `where` has, and so many threads of each.
    tensor_set(placement where, int threads) : threads_(threads), where_(std::move(where)) {}

    bool is_dry() const noexcept { return !ranks_; }
    const world &ranks() const noexcept { return *ranks_; } ///< not of a dry run

    /// Sets the placement of tensors that are created from now on. Those that are whole on each
    /// rank belong to a world of that rank alone.
    void place(placement where) { where_ = std::move(where); }
    const placement &where() const noexcept { return where_; }

    /// Makes a tensor of zeros, distributed as placement decides, or leaves the existing tensor of
    /// this name with its elements if it has these extents.
    void make(const std::string &name, const extents_t &extents);
    /// The same, and returns it; not in a dry run, as the two operators.
    dist_tensor<double> &create(const std::string &name, const extents_t &extents) {
        make(name, extents);
        return (*this)[name];
    }
    dist_tensor<double> &operator[](const std::string &name) { return *entry_of(name).tensor; }
    const dist_tensor<double> &operator[](const std::string &name) const {
        return *entry_of(name).tensor;
    }
    bool has(const std::string &name) const { return tensors_.find(name) != tensors_.end(); }
    const extents_t &extents_of(const std::string &name) const { return spread_of(name).extents(); }
    /// Over one rank if each rank has all of it.
    const distribution &spread_of(const std::string &name) const { return entry_of(name).spread; }
    /// Whether each of several ranks has all of it; whether this rank does, alone or not.
    bool is_replicated(const std::string &name) const { return entry_of(name).replicated; }
    bool is_whole(const std::string &name) const {
        return where_.ranks() == 1 || is_replicated(name);
    }
    /// size_of(block) for this rank's block of a tensor, in a dry run the largest of all ranks.
    template <class Size> index_t of_block(const std::string &name, const Size &size_of) const {
        return of_block(entry_of(name), size_of);
    }
    void erase(const std::string &name);
    /// Renames `from` to `to`, and erases the previous tensor `to` if there is one.
    void rename(const std::string &from, const std::string &to);
    /// Exchanges the names of two existing tensors.
    void swap(const std::string &one, const std::string &other);

    /// Executes one line in the library's notation, such as "X[a,b,i,j] += Lvv[a,c]*T2[c,b,i,j]".
    /// Creates the output, with the extents of its labels, if it does not exist.
    void run(const std::string &line);

    /// Makes `to` the whole of `from` on each rank, or an alias of it if placement does not
    /// replicate.
    void gather(const std::string &to, const std::string &from);

    /// to[a,b,i,j] += from[b,a,j,i].
    void add_flipped(const std::string &to, const std::string &from);

    /// Throws on all ranks if a line failed on one of them since the last call. Local lines do not
    /// communicate, so that the other ranks do not know of the failure before.
    void agree_on_failures();

    /// Adds `seconds` of work that is not a contraction to the profile under a name of its own.
    void charge(const std::string &what, double seconds, double bytes, double flops = 0);

    /// Lines in the order of their first call.
    const std::vector<line_profile> &profile() const noexcept { return profile_; }
    double flops() const noexcept { return flops_; } ///< of all lines so far

    /// Bytes on this rank: of tensors now, and at the peak including the buffers of contractions.
    byte_count bytes_now() const noexcept { return bytes(now_); }
    byte_count bytes_peak() const noexcept { return bytes(peak_); }
    void forget_peak() noexcept { peak_ = now_; }
    /// Counts bytes besides the tensors that are free again when the next call begins.
    void note(index_t size) noexcept { peak_ = std::max(peak_, now_ + size); }
    /// Counts memory besides the tensors for as long as the result lives.
    struct release {
        index_t size = 0;
        void operator()(tensor_set *from) const noexcept { from->now_ -= size; }
    };
    using held = std::unique_ptr<tensor_set, release>;
    [[nodiscard]] held hold(index_t size) noexcept;

    /// Limits the workspace of local contractions from now on; empty: unlimited. In a dry run a
    /// line whose plan needs more throws errc::workspace_too_small.
    void limit_workspace(std::optional<byte_count> limit) noexcept { workspace_limit_ = limit; }
    /// From now on, contractions of a dry run count only their tensors, which gives a lower bound
    /// quickly.
    void ignore_buffers() noexcept { ignores_buffers_ = true; }

private:
    line_profile &profile_of(const std::string &line);

    struct entry {
        std::shared_ptr<dist_tensor<double>> tensor; ///< null in a dry run
        distribution spread;                         ///< of the tensor
        bool replicated = false;
        bool counted = true; ///< part of now_; false for an alias
        index_t bytes = 0;   ///< on this rank, in a dry run the most of all ranks
    };
    const entry &entry_of(const std::string &name) const;
    void charge_move(const std::string &what, double seconds, double bytes, double received);
    /// The plan of a line on this rank.
    struct local_plan {
        std::vector<layout> shapes;
        contraction_plan plan;
    };
    /// A line with its operands, inputs in order, then the output.
    struct line_parts {
        const std::string &line;
        const contraction_spec &spec;
        std::vector<placed_tensor> places;
    };
    const contraction_spec &spec_of(const std::string &line);
    static placed_tensor placed(const entry &one) { return {&one.spread, one.replicated}; }
    template <class Size> index_t of_block(const entry &one, const Size &size_of) const {
        const placed_tensor tensor = placed(one);
        if (!is_dry())
            return size_of(tensor.block_of(ranks().rank()));
        index_t most = 0;
        for (int rank = 0; rank < where_.ranks(); ++rank)
            most = std::max(most, size_of(tensor.block_of(rank)));
        return most;
    }
    bool runs_here(const line_parts &parts) const;
    contraction_plan plan_here(const contraction_spec &spec,
                               const std::vector<local_operand> &operands) const;
    index_t buffers_of(const line_parts &parts) const;
    void run_here(const line_parts &parts);
    void run_on_all(const line_parts &parts);

    std::optional<world> ranks_; ///< empty in a dry run
    std::optional<world> self_;  ///< of this rank alone
    int threads_;
    placement where_;
    std::map<std::string, entry> tensors_;
    std::map<std::string, contraction_spec> specs_;
    std::map<std::string, local_plan> plans_;
    std::map<std::string, index_t> buffers_; ///< of lines in a dry run
    bool ignores_buffers_ = false;
    std::optional<error> failure_; ///< of a line, on this rank
    std::map<std::string, std::size_t> profile_places_;
    std::vector<line_profile> profile_;
    double flops_ = 0;
    std::optional<byte_count> workspace_limit_;
    index_t now_ = 0;
    index_t peak_ = 0;
};

} // namespace tenfold::ccsd

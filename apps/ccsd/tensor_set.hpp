// Distributed tensors by name, and the execution of equations with them.
#pragma once

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

/// The options of lines that are distributed contractions. The memory plan uses the same.
dist_options distributed_options(std::optional<byte_count> workspace_limit);

/// All calls are collective.
class tensor_set {
public:
    explicit tensor_set(const world &ranks)
        : ranks_(ranks), self_(MPI_COMM_SELF), where_(ranks.size(), false) {}

    const world &ranks() const noexcept { return ranks_; }

    /// Sets the placement of tensors that are created from now on. Those that are whole on each
    /// rank belong to a world of that rank alone.
    void place(placement where) { where_ = std::move(where); }
    const placement &where() const noexcept { return where_; }

    /// Returns a new tensor of zeros, distributed as placement decides; or the existing tensor of
    /// this name with its elements if it has these extents.
    dist_tensor<double> &create(const std::string &name, const extents_t &extents);
    dist_tensor<double> &operator[](const std::string &name);
    const dist_tensor<double> &operator[](const std::string &name) const;
    bool has(const std::string &name) const { return tensors_.find(name) != tensors_.end(); }
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
    /// Counts memory besides the tensors for as long as the result lives.
    struct release {
        index_t size = 0;
        void operator()(tensor_set *from) const noexcept { from->now_ -= size; }
    };
    using held = std::unique_ptr<tensor_set, release>;
    [[nodiscard]] held hold(index_t size) noexcept;

    /// Limits the workspace of local contractions from now on; empty: unlimited.
    void limit_workspace(std::optional<byte_count> limit) noexcept { workspace_limit_ = limit; }

private:
    line_profile &profile_of(const std::string &line);

    struct entry {
        std::shared_ptr<dist_tensor<double>> tensor;
        bool counted = true; ///< part of now_; false for an alias
    };
    void charge_move(const std::string &what, double seconds, double bytes, double received);
    /// The plan of a line on this rank.
    struct local_plan {
        std::vector<layout> shapes;
        contraction_plan plan;
    };
    const contraction_spec &spec_of(const std::string &line);
    placed_tensor place_of(const dist_tensor<double> &tensor) const;
    void run_here(const std::string &line, const contraction_spec &spec,
                  const std::vector<placed_tensor> &places,
                  const std::vector<const dist_tensor<double> *> &inputs,
                  dist_tensor<double> &output);

    world ranks_;
    world self_; ///< of this rank alone
    placement where_;
    std::map<std::string, entry> tensors_;
    std::map<std::string, contraction_spec> specs_;
    std::map<std::string, local_plan> plans_;
    std::optional<error> failure_; ///< of a line, on this rank
    std::map<std::string, std::size_t> profile_places_;
    std::vector<line_profile> profile_;
    double flops_ = 0;
    std::optional<byte_count> workspace_limit_;
    index_t now_ = 0;
    index_t peak_ = 0;
};

} // namespace tenfold::ccsd

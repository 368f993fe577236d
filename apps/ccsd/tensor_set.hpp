// Distributed tensors by name, and the execution of equations over them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/dist.hpp>

namespace tenfold::ccsd {

/// What one line of the equations has cost so far.
struct line_profile {
    std::string line;
    index_t calls = 0;
    double seconds = 0;        ///< on this rank, waiting for others included
    double flops = 0;          ///< of all ranks together
    double bytes = 0;          ///< of the tensors, each once per call, all ranks together
    double bytes_received = 0; ///< by the rank that received most
};

/// All calls are collective.
class tensor_set {
public:
    explicit tensor_set(const world &ranks) : ranks_(ranks) {}

    const world &ranks() const noexcept { return ranks_; }

    /// A new tensor, zero, in the default distribution; or the one of this name if its extents are
    /// these, with what it holds.
    dist_tensor<double> &create(const std::string &name, const extents_t &extents);
    dist_tensor<double> &operator[](const std::string &name);
    const dist_tensor<double> &operator[](const std::string &name) const;
    bool has(const std::string &name) const { return tensors_.find(name) != tensors_.end(); }
    void erase(const std::string &name);
    /// `from` takes the place of `to`, which need not be there.
    void rename(const std::string &from, const std::string &to);

    /// Executes one line in the library's notation, such as "X[a,b,i,j] += Lvv[a,c]*T2[c,b,i,j]";
    /// an output that is not there yet is created with the extents that its labels have.
    void run(const std::string &line);

    /// Counts `seconds` of work that is not a contraction under a name of its own.
    void charge(const std::string &what, double seconds, double bytes, double flops = 0);

    /// In the order of the first call.
    const std::vector<line_profile> &profile() const noexcept { return profile_; }
    double flops() const noexcept { return flops_; } ///< of all lines so far

    /// Of this rank: tensors now, and the most there ever was with the buffers of contractions.
    byte_count bytes_now() const noexcept { return bytes(now_); }
    byte_count bytes_peak() const noexcept { return bytes(peak_); }
    /// Takes account of memory beside the tensors, for as long as the result lives.
    struct release {
        index_t size = 0;
        void operator()(tensor_set *from) const noexcept { from->now_ -= size; }
    };
    using held = std::unique_ptr<tensor_set, release>;
    [[nodiscard]] held hold(index_t size) noexcept;

    /// Of local contractions, from now on; empty: none.
    void limit_workspace(std::optional<byte_count> limit) noexcept { workspace_limit_ = limit; }

private:
    line_profile &profile_of(const std::string &line);

    world ranks_;
    std::map<std::string, dist_tensor<double>> tensors_;
    std::map<std::string, std::size_t> profile_places_;
    std::vector<line_profile> profile_;
    double flops_ = 0;
    std::optional<byte_count> workspace_limit_;
    index_t now_ = 0;
    index_t peak_ = 0;
};

} // namespace tenfold::ccsd

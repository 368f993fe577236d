// The data on this rank for the triples of a task.
#pragma once

#include <array>
#include <exception>
#include <optional>
#include <vector>

#include <tenfold/tensor.hpp>

#include "apps/ccsd/molecule.hpp"
#include "apps/ccsd/triples_tasks.hpp"

namespace tenfold::ccsd {

/// With x running over all virtual d, then all occupied l,
///     A_i[a,b,x] = (ia|bd), t_il^ab     B_jk[x,c] = t_kj^cd, -(jl|kc)
/// so that Z_ijk^abc = sum_x A_i[a,b,x] B_jk[x,c]. Keeps the blocks of the last task, because
/// successive tasks share some of them.
class triples_data {
public:
    /// Collective.
    triples_data(tensor_set &tensors, const molecule &system, std::vector<orbital_block> blocks);

    /// Collective: each rank passes its own task, or none. Reads the blocks that the last task did
    /// not need.
    void prepare(const std::optional<triples_task> &task);

    /// A_i[a,b,x] for i in the task's blocks, and the same as A_i[b,a,x].
    const double *a(index_t i) const noexcept { return of_orbital(single(i).a, i); }
    const double *a_transposed(index_t i) const noexcept {
        return of_orbital(single(i).transposed, i);
    }
    /// B_jk[x,c]
    const double *b(index_t j, index_t k) const noexcept;
    /// (bj|ck) at [b,c], with the slack that triple_energy_kernel reads; t1() has it, too
    const double *v(index_t j, index_t k) const noexcept;
    /// t_i^a for all a
    const double *t1(index_t i) const noexcept { return t1_.data() + i * nv_; }

    /// Bytes of one rank with blocks of this number of orbitals, including temporaries.
    static index_t bytes_needed(index_t o, index_t v, index_t block);

private:
    /// Uninitialised elements; the allocation grows when more are needed.
    class buffer {
    public:
        void reserve(index_t count);
        double *get() noexcept { return elements_->data(); }
        const double *get() const noexcept { return elements_->data(); }

    private:
        std::optional<tensor<double>> elements_;
    };
    /// One buffer for each orbital. Small buffers fit where tensors of the iterations were, and
    /// touching fresh memory takes longer than filling it.
    struct single_block {
        std::size_t block = none;
        std::vector<buffer> a;
        std::vector<buffer> transposed;
    };
    struct pair_block {
        std::size_t first = none;
        std::size_t second = none;
        buffer b;              ///< [x,c,j,k], j of the first block
        std::vector<double> v; ///< [b,c,j,k]
    };
    /// Collective. Returns a part of a tensor. With a single block it gathers the whole tensor and
    /// ignores `wanted`.
    tensor<double> fetch(const char *name, const slice &wanted) const;
    bool whole() const noexcept { return blocks_.size() == 1; }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Runs local work between messages; a failure is reported to the other ranks in the end.
    template <class Work> void attempt(const Work &work) noexcept;
    void prepare_singles(const std::optional<triples_task> &task);
    void prepare_pairs(const std::optional<triples_task> &task);
    void fill_single(single_block &to, std::size_t block);
    void fill_integrals(single_block &to, const slice &integrals);
    void fill_pair(pair_block &to, std::size_t first, std::size_t second);

    const single_block &single(index_t i) const noexcept;
    const pair_block &pair_of(index_t j, index_t k) const noexcept;
    std::size_t block_of(index_t i) const noexcept {
        return block_of_orbital_[static_cast<std::size_t>(i)];
    }
    const double *of_orbital(const std::vector<buffer> &all, index_t i) const noexcept {
        return all[static_cast<std::size_t>(i - blocks_[block_of(i)].begin)].get();
    }

    tensor_set &tensors_;
    std::exception_ptr problem_;
    std::vector<orbital_block> blocks_;
    std::vector<std::size_t> block_of_orbital_;
    index_t no_, nv_, nx_;
    std::vector<double> t1_;
    std::array<single_block, 3> singles_;
    std::array<pair_block, 6> pairs_; ///< of I, J, K, two at a time, in both orders
};

} // namespace tenfold::ccsd

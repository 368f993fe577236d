// Executes a plan on one rank.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/dist.hpp>

#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/team_sum.hpp"
#include "distributed/plan/buffers.hpp"
#include "distributed/plan/local_plans.hpp"
#include "distributed/run/input_path.hpp"
#include "distributed/run/local_work.hpp"

namespace tenfold::dist_impl {

/// A rank's blocks of the caller's tensors; `b` is null with one input.
struct blocks_of_rank {
    const void *a, *b;
    void *d;
};

struct panel_contraction_counts {
    std::uint64_t received = 0;      ///< payload of the contraction proper
    std::uint64_t redistributed = 0; ///< payload of redistributing A, B and D
};

/// T: the type of the sums. The constructor prepares everything and throws (memory, local plans)
/// before data moves.
template <class T> class panel_contraction {
public:
    /// `factors` are of the kinds that the plan is for. `ctx` is the caller's: the plan may outlive
    /// the context it was made with. The blocks have the types of the plan.
    panel_contraction(const world &where, const plan_state &plan, const scale_factors &factors,
                      const context *ctx, const blocks_of_rank &blocks);

    ~panel_contraction();
    panel_contraction(const panel_contraction &) = delete;
    panel_contraction &operator=(const panel_contraction &) = delete;

    /// Collective. From here on a failure ends the program; memory for boxes and lists comes from
    /// the reserve (memory_reserve.hpp) if there is none left.
    panel_contraction_counts run();

    /// Starts to redistribute A and B in the background (background.hpp), with messages of this
    /// tag; run() then begins with what follows. To be called on all ranks or none.
    void start_arrivals(int tag);
    bool advance_arrivals();
    bool have_arrived() const noexcept { return arriving_ == nullptr; }
    std::vector<int> peers() const;
    void take_back() noexcept;

    /// Returns the bytes of panels, pieces, packing buffers and local workspace.
    index_t buffer_bytes() const noexcept { return memory_bytes_; }
    index_t workspace_bytes() const noexcept { return static_cast<index_t>(workspace_.size()); }
    algorithm local_algorithm() const noexcept;

private:
    void take_memory();
    void scale_d() const;
    void redistribute(input_path &path, double share);
    using sum_over_labels = typename local_plans<T>::sum_over_labels;
    void sum_isolated(const sum_over_labels &sum, input_path &path);
    /// Shares of the call's work, by predicted seconds.
    struct work_shares {
        double arrival_a = 0, arrival_b = 0, products = 1, departure = 0;
    };
    work_shares shares() const;
    bool stops() const;
    void multiply();
    void watch_others_multiply();
    struct product {
        product_boxes boxes;
        bool adds;   ///< to an earlier one
        double work; ///< multiply-adds, about
        const contraction_plan *plan;
    };
    /// The products of a step, and where their operands lie.
    struct products {
        untyped_placement a, b;
        placement<T> d;
        double work; ///< of all
        std::vector<product> all;
    };
    products products_of_step(const step_index &step, bool messages);
    void multiply_step(const step_index &step, bool messages);
    void start_sum(const slice &box, const placement<T> &product);
    // Sums of integers have no leaves: they are exact in any order.
    void add_leaves(const step_index &step) requires(!element_traits<T>::is_integer);
    void finish_tile(const step_index &step, const slice &box, T *sum,
                     const extents_t &strides) requires(!element_traits<T>::is_integer);
    void deliver();
    void round_d() const;
    void progress();
    /// Calls use(path) for A and B.
    template <class Use> void for_each_input(const Use &use) {
        use(a_);
        if (!plan_.problem->unary)
            use(b_);
    }

    bool sums() const noexcept { return steps_.sums(); }
    bool is_straight() const noexcept { return d_in_place_ && !sums(); }
    status multiply_here(const local_product &product);
    /// Returns where D's part of a step is kept as a partial sum at `level` of the tree.
    placement<T> partial_of(const step_index &step, int level) const;
    placement<T> product_of(const step_index &step) const;
    placement<T> user_d() const;
    placement<T> summed_d() const;
    void check(status result, const char *step) const;

    communicator &comm_;
    const plan_state &plan_;
    work_shares shares_;
    void *given_d_; ///< the caller's block
    T *d_;          ///< the same, or where it is put together before it is rounded
    bool takes_part_;
    bool d_in_place_;
    T alpha_;
    T given_beta_; ///< of the caller's D
    T beta_;       ///< of d_
    rank_steps steps_;
    std::optional<local_plans<T>> local_; ///< set if this rank takes part
    index_t memory_bytes_ = 0;
    buffer memory_;
    std::span<std::byte> workspace_; ///< of the local plans
    input_path a_, b_;
    input_path *arriving_ = nullptr; ///< in the background
    std::optional<int> background_tag_;
    std::optional<exchange<T>> departure_; ///< redistributes D
    std::optional<team_sum<T>> sum_;
    T *panel_d_ = nullptr;
    T *partial_ = nullptr;
    T *piece_d_ = nullptr;
};

} // namespace tenfold::dist_impl

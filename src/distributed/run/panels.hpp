// Executes a plan on one rank.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/dist.hpp>

#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/gathering.hpp"
#include "distributed/exchange/team_sum.hpp"
#include "distributed/plan/buffers.hpp"
#include "distributed/plan/local_plans.hpp"
#include "distributed/run/local_work.hpp"

namespace tenfold::dist_impl {

struct panel_contraction_counts {
    std::uint64_t received = 0;      ///< payload of the contraction proper
    std::uint64_t redistributed = 0; ///< payload of redistributing A, B and D
};

/// The constructor prepares everything and throws (memory, local plans) before data moves.
template <class T> class panel_contraction {
public:
    /// `factors` are of the kinds that the plan is for. `ctx` is the caller's: the plan may outlive
    /// the context it was made with.
    panel_contraction(const world &where, const plan_state &plan, const scale_factors &factors,
                      const context *ctx, const T *a, const T *b, T *d);

    ~panel_contraction();
    panel_contraction(const panel_contraction &) = delete;
    panel_contraction &operator=(const panel_contraction &) = delete;

    /// Collective. From here on a failure ends the program; memory for boxes and lists comes from
    /// the reserve (memory_reserve.hpp) if there is none left.
    panel_contraction_counts run();

    /// Returns the bytes of panels, pieces, packing buffers and local workspace.
    index_t buffer_bytes() const noexcept { return memory_bytes_; }
    index_t workspace_bytes() const noexcept { return static_cast<index_t>(workspace_.size()); }
    algorithm local_algorithm() const noexcept;

private:
    struct input_path {
        const T *given = nullptr; ///< the user's block
        std::optional<exchange<T>> arrival;
        T *piece = nullptr;
        const T *piece_data = nullptr; ///< `given`, or `piece` after redistribution
        T *summed = nullptr;           ///< the piece summed over isolated labels
        std::optional<gathering<T>> panels;
        typename gathering<T>::memory buffers;
        bool is_under_way = false; ///< the next step's part is under way
    };

    void set_up_input(tensor_id operand, input_path &path);
    void take_memory();
    void scale_d() const;
    void redistribute(tensor_id operand, input_path &path);
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
        placement<const T> a, b;
        placement<T> d;
        double work; ///< of all
        std::vector<product> all;
    };
    products products_of_step(const step_index &step, bool messages) const;
    void multiply_step(const step_index &step, bool messages);
    void start_sum(const slice &box, const placement<T> &product);
    void add_leaves(const step_index &step);
    void finish_tile(const step_index &step, const slice &box, T *sum, const extents_t &strides);
    void deliver();
    void progress();

    bool sums() const noexcept { return steps_.sums(); }
    bool is_straight() const noexcept { return d_in_place_ && !sums(); }
    /// Returns where D's part of a step is kept as a partial sum at `level` of the tree.
    placement<T> partial_of(const step_index &step, int level) const;
    placement<const T> part(const input_path &path, const step_index &step) const;
    placement<T> product_of(const step_index &step) const;
    placement<T> user_d() const;
    void check(status result, const char *step) const;

    communicator &comm_;
    const plan_state &plan_;
    work_shares shares_;
    T *d_;
    bool takes_part_;
    bool d_in_place_;
    T alpha_, beta_;
    rank_steps steps_;
    std::optional<local_plans<T>> local_; ///< set if this rank takes part
    index_t memory_bytes_ = 0;
    buffer memory_;
    std::span<std::byte> workspace_; ///< of the local plans
    input_path a_, b_;
    std::optional<exchange<T>> departure_; ///< redistributes D
    std::optional<team_sum<T>> sum_;
    T *panel_d_ = nullptr;
    T *partial_ = nullptr;
    T *piece_d_ = nullptr;
};

} // namespace tenfold::dist_impl

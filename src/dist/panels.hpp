// The execution of a plan on one rank.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/dist.hpp>

#include "dist/exchange.hpp"
#include "dist/gathering.hpp"
#include "dist/isolated_sum.hpp"
#include "dist/leaf_products.hpp"
#include "dist/local_products.hpp"
#include "dist/local_work.hpp"
#include "dist/team_sum.hpp"
#include "dist_plan/buffers.hpp"

namespace tenfold::dist_impl {

/// The step after `step`: k runs fastest, then m, n, batch. False after the last.
bool advance(step_index &step, const step_index &counts);

/// Where nothing limits the workspace.
constexpr tile_budget usual_tiles{index_t{1} << 20, index_t{1} << 20};

struct panel_contraction_counts {
    std::uint64_t received = 0;      ///< payload of the contraction proper
    std::uint64_t redistributed = 0; ///< payload of A, B and D on their way in and out
};

/// Prepared by the constructor, which throws (memory, local plans) before data moves.
template <class T> class panel_contraction {
public:
    /// `ctx` is the caller's: a plan may outlive the one that it was made with.
    panel_contraction(const world &where, const plan_state &plan, const context *ctx, const T *a,
                      const T *b, T *d);

    ~panel_contraction();
    panel_contraction(const panel_contraction &) = delete;
    panel_contraction &operator=(const panel_contraction &) = delete;

    /// Collective. From here on a failure ends the program.
    panel_contraction_counts run();

    /// Panels, pieces, packing buffers and local workspace.
    index_t buffer_bytes() const noexcept { return memory_bytes_; }
    index_t workspace_bytes() const noexcept { return static_cast<index_t>(workspace_.size()); }
    algorithm local_algorithm() const noexcept;

private:
    struct input_path {
        const T *given = nullptr; ///< the user's block
        std::optional<exchange<T>> arrival;
        T *piece = nullptr;
        const T *piece_data = nullptr;       ///< given or redistributed
        std::optional<contraction_plan> sum; ///< over isolated labels
        std::optional<isolated_sum<T>> reproducible_sum;
        T *summed = nullptr;
        std::optional<gathering<T>> panels;
        typename gathering<T>::memory buffers;
        bool is_under_way = false; ///< the next step's part
    };

    void set_up_input(operand_id operand, input_path &path);
    void set_up_products();
    void set_up_leaves();
    /// True if this rank computes every element with one rounding at most, so that its bits are the
    /// same however that is done.
    bool rounds_once() const;
    template <class Use> void for_each_sum(const step_index &step, const Use &use) const;
    const context &context_of() const noexcept {
        return local_options_.ctx != nullptr ? *local_options_.ctx : context::global();
    }
    void take_memory();
    void scale_d() const;
    void redistribute(operand_id operand, input_path &path);
    void sum_isolated(input_path &path);
    void multiply();
    void multiply_step(const step_index &step, bool messages);
    void add_leaves(const step_index &step);
    void finish_tile(const step_index &step, const slice &box, T *sum, const extents_t &strides);
    void deliver();
    void progress();

    bool sums() const noexcept { return plan_.where.grid().k > 1; }
    product_boxes boxes_of(const step_index &step) const;
    /// The label along which a step's product is cut, and into how many pieces.
    std::pair<int, index_t> pieces_of(const product_boxes &boxes) const;
    bool is_straight() const noexcept { return d_in_place_ && !sums(); }
    /// D's part of a step as a sum that waits for others.
    placement<T> partial_of(const step_index &step, int level) const;
    /// The products of a step, one after the other: parts of D where they are to be summed over pk,
    /// else pieces between which messages go on while `messages` are under way.
    template <class Use>
    void for_each_product(const step_index &step, bool messages, const Use &use) const;
    placement<const T> part(const input_path &path, const step_index &step) const;
    placement<T> product_of(const step_index &step) const;
    placement<T> user_d() const;
    void check(status result, const char *step) const;

    communicator &comm_;
    const plan_state &plan_;
    T *d_;
    bool takes_part_;
    bool d_in_place_;
    contract_options local_options_;
    T alpha_, beta_;
    index_t memory_bytes_ = 0;
    buffer memory_;
    std::span<std::byte> workspace_; ///< of the local plans
    input_path a_, b_;
    std::optional<exchange<T>> departure_; ///< of D
    std::optional<local_products<T>> products_;
    std::optional<leaf_products<T>> leaves_; ///< instead, of reproducible results
    std::optional<team_sum<T>> sum_;
    T *panel_d_ = nullptr;
    T *partial_ = nullptr;
    T *piece_d_ = nullptr;
};

} // namespace tenfold::dist_impl

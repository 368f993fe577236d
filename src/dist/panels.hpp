// The execution of a plan on one rank.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tenfold/contract.hpp>
#include <tenfold/dist.hpp>

#include "dist/exchange.hpp"
#include "dist_plan/buffers.hpp"

namespace tenfold::dist_impl {

struct panel_contraction_counts {
    std::uint64_t received = 0;      ///< payload of the contraction proper
    std::uint64_t redistributed = 0; ///< payload of A, B and D on their way in and out
};

/// Prepared by the constructor, which throws (memory, local plans) before data moves.
template <class T> class panel_contraction {
public:
    panel_contraction(const world &where, const plan_state &plan, const T *a, const T *b, T *d);

    /// Collective. From here on a failure ends the program.
    panel_contraction_counts run();

    /// Panels, pieces, packing buffers and local workspace.
    index_t buffer_bytes() const noexcept;
    algorithm local_algorithm() const noexcept;

private:
    struct input_path {
        const T *given = nullptr; ///< the user's block
        const T *panel = nullptr; ///< what is multiplied, once prepare() has run
        std::optional<exchange<T>> arrival;
        T *piece = nullptr;
        std::optional<contraction_plan> sum; ///< over isolated labels
        T *summed = nullptr;
        T *gathered = nullptr;
    };

    void set_up_input(operand_id operand, input_path &path);
    void set_up_product();
    void take_memory();
    void scale_d() const;
    void redistribute(operand_id operand, input_path &path);
    void gather(operand_id operand, input_path &path);
    void multiply();
    void reduce();
    void deliver();
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
    std::unique_ptr<std::byte, base::aligned_deleter> memory_;
    std::span<std::byte> workspace_; ///< of the local plans
    input_path a_, b_;
    std::optional<exchange<T>> departure_; ///< of D
    std::optional<contraction_plan> product_;
    T *panel_d_ = nullptr;
    T *piece_d_ = nullptr;
    T *travel_out_ = nullptr;
    T *travel_in_ = nullptr;
};

} // namespace tenfold::dist_impl

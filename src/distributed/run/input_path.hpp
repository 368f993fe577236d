// The way of A or B to the products on one rank: redistributed, then gathered step by step.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <tenfold/dist.hpp>

#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/gathering.hpp"
#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// What moves elements and does nothing else with them: an Of<T> where T is any type of their size.
template <template <class> class Of> class of_any_element {
public:
    /// `size`: of an element, in bytes.
    template <class... Args> void emplace(index_t size, Args &&...args) {
        const auto make = [&]<class T>(T) {
            its_.template emplace<Of<T>>(std::forward<Args>(args)...);
        };
        switch (size) {
        case sizeof(std::uint8_t):
            return make(std::uint8_t{});
        case sizeof(f16):
            return make(f16{});
        case sizeof(float):
            return make(float{});
        case sizeof(double):
            return make(double{});
        default:
            return make(c64{});
        }
    }
    explicit operator bool() const noexcept { return its_.index() != 0; }
    /// Calls use(Of<T> &, T{}) if there is one.
    template <class Use> void with(const Use &use) {
        std::visit(
            [&](auto &one) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, std::monostate>)
                    call(one, use);
            },
            its_);
    }

private:
    template <class T, class Use> static void call(Of<T> &one, const Use &use) { use(one, T{}); }

    std::variant<std::monostate, Of<std::uint8_t>, Of<f16>, Of<float>, Of<double>, Of<c64>> its_;
};

class input_path {
public:
    input_path(communicator &comm, const plan_state &plan, tensor_id operand)
        : comm_(comm), plan_(plan), operand_(operand) {}

    /// `block`: the caller's. Throws errc::out_of_memory.
    void set_up(const void *block, bool takes_part);
    /// Buffers of the sizes that the plan has for them (buffer_words::operand).
    struct memory {
        void *piece = nullptr;  ///< after redistribution
        void *summed = nullptr; ///< the piece summed over isolated labels
        void *panel = nullptr, *landing = nullptr, *sent = nullptr;
    };
    void use(const memory &buffers);
    /// Packing buffers of the redistribution, which may be shared with others.
    void use_for_exchange(void *memory);

    bool is_redistributed() const noexcept { return static_cast<bool>(arrival_); }
    void redistribute();
    // The same in the background (background.hpp): end_redistribution() once it has arrived.
    void start_redistribution(int tag);
    bool advance_redistribution();
    bool has_arrived();
    void end_redistribution();
    std::vector<int> peers();
    index_t bytes_arriving();
    /// This rank's piece, after redistribution.
    const void *piece() const noexcept { return piece_; }
    void *summed() const noexcept { return buffers_.summed; }
    /// Panels are taken from summed() from now on.
    void take_sum() { begin(buffers_.summed); }

    // As gathering has them; without effect on ranks that take no part.
    void start(const step_index &step);
    /// Waits for what was started.
    void finish();
    /// Starts the next step, if it needs another part.
    void start_next(const step_index &now, const step_index &next);
    void progress();
    bool is_travelling();
    bool has_to_pass_on();
    /// Ends what is left if the call failed.
    void take_back();
    untyped_placement part(const step_index &step);

private:
    void begin(const void *data);
    /// Calls use(arrival, from, to) if it is redistributed.
    template <class Use> void with_arrival(const Use &use);

    communicator &comm_;
    const plan_state &plan_;
    tensor_id operand_;
    const void *given_ = nullptr;
    const void *piece_ = nullptr;
    memory buffers_;
    of_any_element<exchange> arrival_;
    of_any_element<gathering> panels_;
    bool is_under_way_ = false; ///< the next step's part
};

} // namespace tenfold::dist_impl

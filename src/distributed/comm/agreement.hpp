// Every collective call starts here: ranks check that they make the same call and that each of them
// can carry it out.
#pragma once

#include <atomic>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tenfold/error.hpp>

#include "base/function_ref.hpp"
#include "distributed/comm/communicator.hpp"
#include "distributed/plan/hash.hpp"

namespace tenfold::dist_impl {

/// Takes those arguments of a call that must be equal on all ranks. Every call compares their hash;
/// only if the hashes differ, the arguments are described once more, as text.
class call_description {
public:
    using fields = std::vector<std::string>;

    /// Adds the arguments to a hash that has begun with the call's name and number, and, unless it
    /// is null, name and value of each to `text`. `comm`: refuses tensors that are written in the
    /// background (communicator::expect_not_written()).
    explicit call_description(const communicator &comm, const hasher &begun,
                              fields *text = nullptr) noexcept
        : comm_(comm), hash_(begun), text_(text) {}

    call_description &add(std::string_view what, std::string_view value);
    call_description &add(std::string_view what, const char *value) {
        return add(what, std::string_view(value));
    }
    /// In quotes.
    call_description &add_quoted(std::string_view what, std::string_view value);
    template <std::same_as<bool> Bool> call_description &add(std::string_view what, Bool value) {
        return add(what, value ? "true" : "false");
    }
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) call_description &add(std::string_view what,
                                                                Number value) {
        hash_.add(value);
        return write(what, [&] { return std::to_string(value); });
    }
    call_description &add(std::string_view what, scalar value);
    call_description &add(std::string_view what, const extents_t &numbers);
    call_description &add(std::string_view what, const distribution &spread);
    /// Which tensor, and its distribution.
    template <class T> call_description &add(std::string_view what, const dist_tensor<T> &tensor) {
        return add_tensor(what, tensor.distribution(), tensor.number());
    }
    call_description &add_tensor(std::string_view what, const distribution &spread,
                                 std::uint64_t number);

    std::uint64_t hash() const noexcept { return hash_.value(); }

private:
    /// Adds to the text, if there is one, what `value()` returns.
    template <class Value> call_description &write(std::string_view what, const Value &value) {
        hash_.add(what);
        if (text_ != nullptr) {
            text_->emplace_back(what);
            text_->push_back(value());
        }
        return *this;
    }

    const communicator &comm_;
    hasher hash_;
    fields *text_;
};

/// Describes the arguments of a call, always the same ones. It may throw, for example because there
/// is no memory; then this rank fails the call on all ranks.
using describe_call = base::function_ref<void(call_description &)>;

inline constexpr auto no_arguments = [](call_description &) {};

/// Describes an operation on one tensor.
template <class T> auto on_tensor(const dist_tensor<T> &tensor) {
    return [&tensor](call_description &call) {
        call.add("type", name(data_type_of<T>)).add("tensor", tensor);
    };
}

/// A rank's contribution to an agreement.
struct attempt {
    /// Set if the rank failed.
    std::optional<error> failure = std::nullopt;
    /// Set if the rank, which failed, cannot describe the call that the others make.
    bool is_unable = false;
    std::uint64_t basis = 0;
    /// Set if the rank makes no call of its own, but only tells the others of its failure.
    bool refuses = false;
};

/// Collective: one all-reduce of seven words, O(log P). `operation` is a string literal. If calls
/// differ, all ranks throw the same errc::disagreement, which names two ranks and what they passed.
/// Otherwise, if the basis differs, returns false on all ranks: what failed on some of them may not
/// fail on the same basis. Otherwise, if any rank failed, all throw the error of the lowest such
/// rank. A rank whose memory runs out here takes part nevertheless.
bool agree(communicator &comm, const char *operation, describe_call describe, attempt mine);

/// Returns the exception that is being handled as an error.
error current_error() noexcept;
/// An errc::out_of_memory that was allocated before.
const error &lack_of_memory();

/// One thread's use of a world, from the work before an agreement to its end. MPI may not be called
/// by two threads at once, and ranks could not tell whose messages they receive.
class exclusive_use {
public:
    /// Throws errc::invalid_argument if another thread is in a call. Calls of one thread nest.
    explicit exclusive_use(communicator &comm) : inside_(comm), caller_(comm.caller()) {
        std::thread::id nobody;
        is_mine_ = caller_.compare_exchange_strong(nobody, std::this_thread::get_id());
        if (!is_mine_ && nobody != std::this_thread::get_id())
            throw_shared();
    }
    ~exclusive_use() {
        if (is_mine_)
            caller_.store(std::thread::id(), std::memory_order_release);
    }
    exclusive_use(const exclusive_use &) = delete;
    exclusive_use &operator=(const exclusive_use &) = delete;

private:
    [[noreturn]] static void throw_shared();

    inside_library inside_;
    std::atomic<std::thread::id> &caller_;
    bool is_mine_ = false;
};

/// Makes arguments that the call's description needs, then runs `work`, which also finds all memory
/// that this rank needs until the next agreement; then agrees on the call and on whether any rank
/// failed.
template <class Arguments, class Work>
void collectively(communicator &comm, const char *operation, describe_call describe,
                  const Arguments &arguments, const Work &work) {
    const exclusive_use one_thread(comm);
    attempt mine;
    try {
        mine.is_unable = true;
        comm.reserve().renew();
        arguments();
        mine.is_unable = false;
        work();
    } catch (...) {
        mine.failure = current_error();
    }
    agree(comm, operation, describe, std::move(mine));
}

template <class Work> void collectively(communicator &comm, const char *operation,
                                        describe_call describe, const Work &work) {
    collectively(
        comm, operation, describe, [] {}, work);
}

/// The same for a step of a call, whose arguments have been agreed on.
template <class Work>
void collectively(communicator &comm, const char *operation, const Work &work) {
    collectively(comm, operation, no_arguments, work);
}

/// Collective. Runs `work(prices)` at the same prices on all ranks (agreed_prices.hpp), then agrees
/// on the call and on whether `work` failed on any rank. `own()` returns those that rank 0 would
/// take. They are told where they are not known yet, before `work` runs or, if only other ranks
/// lacked them, runs again.
template <class Own, class Work> void plan_collectively(communicator &comm, const char *operation,
                                                        describe_call describe, const Own &own,
                                                        const Work &work) {
    const exclusive_use one_thread(comm);
    for (;;) {
        const agreed_prices::entry *known = nullptr;
        prices here;
        attempt mine;
        try {
            mine.is_unable = true;
            comm.reserve().renew();
            here = own();
            mine.is_unable = false;
            known = comm.planned_by().find(here);
            if (known != nullptr)
                work(known->told);
        } catch (...) {
            mine.failure = current_error();
        }
        mine.basis = known == nullptr ? 0 : known->number;
        if (agree(comm, operation, describe, std::move(mine)) && known != nullptr)
            return;
        prices told = here;
        comm.broadcast(&told, sizeof told, 0);
        comm.planned_by().keep(here, told);
    }
}

} // namespace tenfold::dist_impl

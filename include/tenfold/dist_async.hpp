// Operations on distributed tensors whose messages travel while the ranks do other things. Link
// tenfold::dist.
//
//     auto copied = copy_async(V, W);             // collective
//     contract("abij=abef*efij", X, T, R);        // W's blocks travel meanwhile
//     copied.wait();                              // W is complete on this rank
//
// Messages are handled by the thread that makes calls, while it waits in other collective calls of
// the same world, and within contractions: between and, about every millisecond, within their
// products. So a rank that makes no calls of the world keeps the others waiting; in particular a
// rank waits for its futures before it waits for others by MPI calls of its own.
//
// From the call that returns a future until wait() has returned, the tensors and what options point
// to stay where they are. Inputs may be read, also by other calls, but are not written; collective
// calls that use the output throw errc::invalid_argument. Several operations may be under way; the
// ranks begin them in one order, and may wait for copies in any order.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <tenfold/dist.hpp>
#include <tenfold/dist_mixed.hpp>
#include <tenfold/error.hpp>

namespace [[gnu::visibility("default")]] tenfold {

namespace dist_impl {

/// What a future has of its operation.
template <class Result> class pending_result {
public:
    pending_result() = default;
    virtual ~pending_result() = default;
    pending_result(const pending_result &) = delete;
    pending_result &operator=(const pending_result &) = delete;
    virtual bool test() = 0;
    virtual Result wait() = 0;
};

} // namespace dist_impl

/// An operation under way. Move-only. The destructor waits until this rank's messages are through;
/// it is no collective call, so that a rank on which something throws keeps nobody waiting.
template <class Result> class [[nodiscard]] dist_future {
public:
    /// Of no operation.
    dist_future() noexcept = default;
    explicit dist_future(std::unique_ptr<dist_impl::pending_result<Result>> begun) noexcept
        : begun_(std::move(begun)) {}

    /// Whether there is an operation: false after wait(), and if it was moved from.
    bool valid() const noexcept { return begun_ != nullptr; }

    /// Local. Handles messages that have come. Returns true once wait() has no message to wait for.
    /// Throws errc::invalid_argument if the future is not valid.
    bool test() { return expect_valid().test(); }

    /// Waits, and returns what the operation does. Local but for contractions, of which it is a
    /// collective call. Throws errc::communication if a rank has left whose messages are missing,
    /// or if a call on the world has failed; errc::invalid_argument if the future is not valid.
    Result wait() {
        expect_valid();
        const auto begun = std::move(begun_);
        return begun->wait();
    }

private:
    dist_impl::pending_result<Result> &expect_valid() const {
        if (begun_ == nullptr)
            throw error(errc::invalid_argument,
                        "a future without an operation: wait() was called, or it was moved from");
        return *begun_;
    }

    std::unique_ptr<dist_impl::pending_result<Result>> begun_;
};

/// Collective. Begins Y = X, for any distributions of the two, and sends the first messages: at
/// most 64 MiB are under way in each direction. A rank receives at most its block of Y, and needs
/// memory for what is under way. Throws as copy() of <tenfold/dist_operations.hpp>, and
/// errc::invalid_argument if 256 operations are under way.
template <class T> [[gnu::visibility("default")]] dist_future<void>
copy_async(const dist_tensor<T> &x, dist_tensor<T> &y);

/// Collective. Begins to redistribute X as X.redistribute() does. wait() returns the new tensor.
template <class T> [[gnu::visibility("default")]] dist_future<dist_tensor<T>>
redistribute_async(const dist_tensor<T> &x, distribution spread);

namespace dist_impl {

/// `b` is null with one input.
std::unique_ptr<pending_result<dist_report>>
start_contraction(std::string_view expression, const any_dist_tensor &a, const any_dist_tensor *b,
                  const any_dist_tensor &r, const dist_options &options);

} // namespace dist_impl

/// Collective. Begins R = alpha op(A) op(B) + beta R, as contract() does it: plans, finds the
/// memory and brings A and B to where they are multiplied:
///     auto next = contract_async("abij=abef*efij", V, T, R);
///     contract("ai=abij*bj", U, F, S); // meanwhile V and T travel
///     const dist_report report = next.wait();
/// wait() is collective, too; it multiplies and does the rest. Its report has the bytes of both
/// parts, and the seconds of wait(). If the future is destroyed without wait(), R is unchanged. An
/// operation takes the memory of its plan from its beginning to its end. Throws as contract(), and
/// wait() errc::stopped after a stop by options.control; stops have no effect before it.
template <class TA, class TB, class TR>
dist_future<dist_report> contract_async(std::string_view expression, const dist_tensor<TA> &a,
                                        const dist_tensor<TB> &b, dist_tensor<TR> &r,
                                        const dist_options &options = {}) {
    const dist_impl::any_dist_tensor second = dist_impl::any_of(b);
    return dist_future<dist_report>(dist_impl::start_contraction(
        expression, dist_impl::any_of(a), &second, dist_impl::any_of(r), options));
}
/// One input.
template <class TA, class TR>
dist_future<dist_report> contract_async(std::string_view expression, const dist_tensor<TA> &a,
                                        dist_tensor<TR> &r, const dist_options &options = {}) {
    return dist_future<dist_report>(dist_impl::start_contraction(
        expression, dist_impl::any_of(a), nullptr, dist_impl::any_of(r), options));
}

} // namespace tenfold

// Operations whose messages travel while their ranks do other things.
#pragma once

#include <cstdint>
#include <vector>

#include <tenfold/dist.hpp>

namespace tenfold::dist_impl {

class communicator;

/// An operation that all ranks began in one collective call and whose messages are handled within
/// other calls, by the thread that makes them. Its messages have a tag of their own, so that they
/// match none of those of the call at hand.
class background_work {
public:
    background_work(const background_work &) = delete;
    background_work &operator=(const background_work &) = delete;

    /// Handles messages that have come and starts the next ones; does not wait. Returns whether
    /// there were any. May be called within a call that its caller stops, or while a product is
    /// computed.
    virtual bool advance() = 0;
    /// Whether this rank has received and sent everything.
    virtual bool is_through() const noexcept = 0;
    /// The ranks at the other ends of messages that are under way.
    virtual std::vector<int> peers() const = 0;
    /// Takes messages back after a failure (communicator::take_back()).
    virtual void take_back() noexcept = 0;

    const char *operation() const noexcept { return operation_; }
    std::uint64_t call() const noexcept { return call_; }       ///< in which it began
    std::uint64_t written() const noexcept { return written_; } ///< the number of the output
    int tag() const noexcept { return tag_; }                   ///< of its messages

protected:
    /// `operation`: a string literal. `written`: the number of the tensor that no other call may
    /// use.
    background_work(const world &where, const char *operation, std::uint64_t written);
    /// Derived classes call leave() when they are destroyed.
    virtual ~background_work() = default;

    communicator &comm() const noexcept { return comm_; }
    /// All ranks have agreed on the operation in the present call; there is memory
    /// (communicator::prepare_background()). Then messages are started.
    void enter() noexcept;
    /// Waits until this rank is through; throws errc::communication.
    void finish();
    /// Does so if finish() was not called. A failure is not told: calls of the world tell it.
    void leave() noexcept;

private:
    friend class communicator;

    world where_; ///< which outlives the operation
    communicator &comm_;
    const char *operation_;
    std::uint64_t written_;
    std::uint64_t call_ = 0;
    int tag_ = 0;
    bool is_listed_ = false;
};

} // namespace tenfold::dist_impl

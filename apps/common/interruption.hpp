// Handles Ctrl-C: the work ends at a point where it can, instead of ending the process at once.
#pragma once

#include <csignal>

namespace tenfold::apps_impl {

/// While an object lives, the first SIGINT or SIGTERM is recorded, and the second one ends the
/// process as usual. Only one object may exist at a time.
class interruption {
public:
    interruption() noexcept;
    /// Restores the previous handlers. If a signal was recorded but heed() was not called, sends it
    /// again.
    ~interruption();
    interruption(const interruption &) = delete;
    interruption &operator=(const interruption &) = delete;

    bool requested() const noexcept;
    /// Call this after work has ended because of the signal.
    void heed() noexcept { heeded_ = true; }

private:
    struct sigaction before_int_ {};
    struct sigaction before_term_ {};
    bool heeded_ = false;
};

} // namespace tenfold::apps_impl

// Ctrl-C while a program works: the work ends where it may, instead of the process.
#pragma once

#include <csignal>

namespace tenfold::apps_impl {

/// While an object lives, the first SIGINT or SIGTERM is remembered; the second one ends the
/// process, as it always does. One object at a time.
class interruption {
public:
    interruption() noexcept;
    /// Signals do again what they did before. One that came and was not heeded is sent again.
    ~interruption();
    interruption(const interruption &) = delete;
    interruption &operator=(const interruption &) = delete;

    bool requested() const noexcept;
    /// Whoever ends its work because of the signal says so.
    void heed() noexcept { heeded_ = true; }

private:
    struct sigaction before_int_ {};
    struct sigaction before_term_ {};
    bool heeded_ = false;
};

} // namespace tenfold::apps_impl

// Signals by which batch systems say that a job's time is nearly over.
#pragma once

#include <csignal>

#include <tenfold/dist.hpp>

namespace tenfold::ccsd {

/// While an object lives, SIGTERM and SIGUSR1 are recorded instead of ending the process, so that
/// the calculation can save what it has. A second signal of a kind ends the process as usual. Only
/// one object may exist at a time.
class signals_to_end {
public:
    signals_to_end() noexcept;
    /// Restores the previous handlers.
    ~signals_to_end();
    signals_to_end(const signals_to_end &) = delete;
    signals_to_end &operator=(const signals_to_end &) = delete;

    /// Returns true if one came to this rank since the object was made.
    static bool came() noexcept;
    /// Collective. Returns true if one came to any rank.
    static bool came_to_any(const world &ranks);

private:
    struct sigaction before_term_ {};
    struct sigaction before_usr1_ {};
};

} // namespace tenfold::ccsd

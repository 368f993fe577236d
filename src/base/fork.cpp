#include "base/fork.hpp"

#include <pthread.h>

namespace tenfold::base {
namespace {

thread_local bool started_a_team = false;
thread_local bool team_is_gone = false;

/// Runs in the child, on the thread that called fork().
void remember_in_child() noexcept { team_is_gone = started_a_team; }

} // namespace

bool may_start_team() noexcept {
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, remember_in_child);
    if (team_is_gone)
        return false;
    started_a_team = true;
    return true;
}

} // namespace tenfold::base

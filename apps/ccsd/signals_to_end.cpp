#include "apps/ccsd/signals_to_end.hpp"

#include <tenfold/dist_tasks.hpp>

namespace tenfold::ccsd {
namespace {

volatile std::sig_atomic_t end_is_asked_for = 0;

void note_end(int) { end_is_asked_for = 1; }

} // namespace

signals_to_end::signals_to_end() noexcept {
    end_is_asked_for = 0;
    struct sigaction action {};
    action.sa_handler = note_end;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(SIGTERM, &action, &before_term_);
    sigaction(SIGUSR1, &action, &before_usr1_);
}

signals_to_end::~signals_to_end() {
    sigaction(SIGTERM, &before_term_, nullptr);
    sigaction(SIGUSR1, &before_usr1_, nullptr);
}

bool signals_to_end::came() noexcept { return end_is_asked_for != 0; }

bool signals_to_end::came_to_any(const world &ranks) {
    return all_reduce(ranks, came() ? 1 : 0, reduction::max) != 0;
}

} // namespace tenfold::ccsd

#include "apps/common/interruption.hpp"

namespace tenfold::apps_impl {
namespace {

volatile std::sig_atomic_t signal_that_came = 0;

void remember(int number) { signal_that_came = number; }

} // namespace

interruption::interruption() noexcept {
    signal_that_came = 0;
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
}

interruption::~interruption() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
    if (requested() && !heeded_)
        static_cast<void>(std::raise(signal_that_came));
}

bool interruption::requested() const noexcept { return signal_that_came != 0; }

} // namespace tenfold::apps_impl

#include "compat/tblis/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include <tenfold/context.hpp>
#include <tenfold/error.hpp>

namespace tenfold::tblis_impl {
namespace {

/// 0 where the variable is not set to a number above 0.
int threads_of_environment() {
    const char *const text = std::getenv("TBLIS_NUM_THREADS");
    if (text == nullptr)
        return 0;
    const long number = std::strtol(text, nullptr, 10);
    return static_cast<int>(std::clamp(number, 0L, static_cast<long>(INT32_MAX)));
}

/// What was asked for; 0: nothing.
std::atomic<int> &chosen_threads() {
    static std::atomic<int> number = threads_of_environment();
    return number;
}

tci_comm one_thread{nullptr, 1, 0, 1, 0};

} // namespace

int threads_of(const tblis_comm *comm) {
    if (comm == nullptr)
        return chosen_threads();
    if (comm->threads != 1)
        throw error(errc::unsupported,
                    "the communicator has " + std::to_string(comm->threads) +
                        " threads; pass null, or tblis_single, and set the number of threads by "
                        "tblis_set_num_threads()");
    return 1;
}

} // namespace tenfold::tblis_impl

struct tblis::tblis_config_s {};

extern "C" {

const tblis_comm *const tblis_single = &tenfold::tblis_impl::one_thread;

unsigned tblis_get_num_threads() {
    const int chosen = tenfold::tblis_impl::chosen_threads();
    return static_cast<unsigned>(chosen > 0 ? chosen : tenfold::context::global().threads());
}

void tblis_set_num_threads(unsigned num_threads) {
    tenfold::tblis_impl::chosen_threads() =
        static_cast<int>(std::min(num_threads, static_cast<unsigned>(INT32_MAX)));
}

} // extern "C"

const tblis::tblis_config *tblis::tblis_get_config(const char *) {
    static const tblis_config only_one;
    return &only_one;
}

#include "mpi/hang_report.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <execinfo.h>
#include <unistd.h>

#include "distributed/comm/communicator.hpp"

namespace tenfold::testing {
namespace {

constexpr int question = SIGUSR2; ///< asks a rank to report

/// The signal that a rank has reported. A real-time signal, because those are counted.
int answer() { return SIGRTMIN; }

int own_rank = 0;
std::vector<int> processes; ///< of the ranks
const world *watched_world = nullptr;
std::atomic<int> answers = 0;
std::atomic<bool> has_told = false;

void print_stack() {
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

/// May run in a signal handler. The interrupted code may hold a lock that printing the state needs,
/// so that the stack is printed first.
void tell(std::string_view message) {
    if (has_told.exchange(true))
        return;
    std::fprintf(stderr, "stack of rank %d:\n", own_rank);
    print_stack();
    std::fprintf(stderr, "rank %d: %s\n", own_rank, std::string(message).c_str());
}

void on_question(int, siginfo_t *from, void *) {
    if (watched_world == nullptr) {
        tell("no world");
    } else {
        const dist_impl::communicator &comm = internals::of(*watched_world);
        tell(comm.state());
    }
    if (std::find(processes.begin(), processes.end(), from->si_pid) != processes.end())
        kill(from->si_pid, answer());
    else
        has_told = false; // the launcher may ask again
}

void on_answer(int) { ++answers; }

/// Waits only for a limited time, because ranks that were killed or stopped do not answer.
void wait_for_answers(int count) {
    constexpr int most_naps = 60000;
    for (int nap = 0; nap < most_naps && answers < count; ++nap)
        usleep(1000);
}

void on_fatal(int, std::string_view message) {
    tell(message);
    int asked = 0;
    for (const int process : processes)
        asked += process != getpid() && kill(process, question) == 0 ? 1 : 0;
    wait_for_answers(asked);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

} // namespace

void report_hangs(int rank) {
    setenv("TENFOLD_WATCHDOG", "60", /*overwrite=*/0);
    own_rank = rank;
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    processes.resize(static_cast<std::size_t>(size));
    const int own = getpid();
    MPI_Allgather(&own, 1, MPI_INT, processes.data(), 1, MPI_INT, MPI_COMM_WORLD);

    void *frame[1];
    backtrace(frame, 1); // loads a library, which a signal handler must not do
    struct sigaction on_signal {};
    on_signal.sa_flags = SA_SIGINFO | SA_RESTART;
    on_signal.sa_sigaction = on_question;
    sigaction(question, &on_signal, nullptr);
    on_signal.sa_flags = SA_RESTART;
    on_signal.sa_handler = on_answer;
    sigaction(answer(), &on_signal, nullptr);
    set_fatal_handler(on_fatal);
}

void report_state_of(const world *watched) noexcept { watched_world = watched; }

} // namespace tenfold::testing

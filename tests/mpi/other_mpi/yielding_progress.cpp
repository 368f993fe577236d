// Loaded before MPICH (LD_PRELOAD) if ranks share cores. MPICH waits without ever yielding its core
// to the rank that it waits for, and has no setting for it. Debian's MPICH waits by calling UCX,
// which this file intercepts; other builds of MPICH do not call UCX and wait as before.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void *worker) {
    using progress = unsigned(void *);
    static auto *const theirs =
        reinterpret_cast<progress *>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
    const unsigned count = theirs(worker);
    if (count == 0)
        sched_yield();
    return count;
}

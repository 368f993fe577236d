// Shares work among a team of threads whose members may throw.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

#include <omp.h>

namespace tenfold::ccsd {

/// Calls work(i, member) for each i of [0, count) on up to `threads` threads, which take the next i
/// when they have finished one; `member` is below `threads`. If a call throws, no further work is
/// begun, and the exception is thrown again here after all threads have ended.
template <class Work> void share_among_threads(int threads, std::size_t count, const Work &work) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr problem; // the first one's who sets `failed`
#pragma omp parallel num_threads(threads)
    try {
        for (std::size_t i = next++; i < count && !failed; i = next++)
            work(i, omp_get_thread_num());
    } catch (...) {
        if (!failed.exchange(true))
            problem = std::current_exception();
    }
    if (problem)
        std::rethrow_exception(problem);
}

} // namespace tenfold::ccsd

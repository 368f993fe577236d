#include "apps/progress.hpp"

#include <cstdio>

#include <unistd.h>

#include "apps/launcher.hpp"

namespace tenfold::apps_impl {

progress::progress(std::string title)
    : title_(std::move(title)), terminal_(isatty(STDERR_FILENO) == 1 && launched_rank() == 0) {}

void progress::show(int step, int steps, std::string_view what) {
    if (!terminal_ || since_start_.seconds() < 1)
        return;
    // "\033[K" clears what a longer line left behind.
    std::fprintf(stderr, "\r%s %d/%d %.*s\033[K", title_.c_str(), step + 1, steps,
                 static_cast<int>(what.size()), what.data());
    std::fflush(stderr);
    visible_ = true;
}

void progress::clear() {
    if (!visible_)
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    visible_ = false;
}

} // namespace tenfold::apps_impl

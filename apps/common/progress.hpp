// One line on a terminal that tells how far a long piece of work has come; nothing when stderr is
// a file or a pipe, and nothing in the first second.
#pragma once

#include <string>
#include <string_view>

#include "apps/timing.hpp"

namespace tenfold::apps_impl {

class progress {
public:
    explicit progress(std::string title);
    ~progress() { clear(); }
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    /// `step` of `steps` (counted from 0) is about to begin.
    void show(int step, int steps, std::string_view what = {});
    /// Takes the line away, so that a result can be printed in its place.
    void clear();

private:
    std::string title_;
    stopwatch since_start_;
    bool terminal_;
    bool visible_ = false;
};

} // namespace tenfold::apps_impl

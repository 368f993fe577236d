// Makes calls that change files fail, or kill the process. A program that links file_faults.cpp has
// its own pwrite, fsync, fallocate, ftruncate and rename, which libraries then use as well.
#pragma once

#include <string>

namespace tenfold::testing {

/// A fault in the calls of this process that change files below `folder`.
struct file_fault {
    std::string folder;
    long works = 0;       ///< the first calls, which work
    int error_number = 0; ///< of the following calls; 0: the next one kills
    long fails = -1;      ///< the number of calls that fail; -1: all
};

void set_file_fault(const file_fault &fault);
/// Makes calls work again. Returns the number of calls since the fault was set.
long clear_file_fault();

} // namespace tenfold::testing

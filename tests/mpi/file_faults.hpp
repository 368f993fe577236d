// Calls that change files and fail, or kill, when a test wants it. A program that links
// file_faults.cpp has pwrite, fsync, fallocate, ftruncate and rename of its own, which libraries
// then use too.
#pragma once

#include <string>

namespace tenfold::testing {

/// What happens to the calls of this process that change files below `folder`.
struct file_fault {
    std::string folder;
    long works = 0;       ///< so many calls work ..
    int error_number = 0; ///< .. and further ones fail with this; 0: the next one kills
    long fails = -1;      ///< so many; -1: all
};

void set_file_fault(const file_fault &fault);
/// Calls work again. Returns how many there were since the fault was set.
long clear_file_fault();

} // namespace tenfold::testing

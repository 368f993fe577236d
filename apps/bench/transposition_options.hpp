// The options that only the suite ttc has.
#pragma once

#include "apps/bench/placed_array.hpp"
#include "apps/common/command_line.hpp"

namespace tenfold::apps_impl {

struct transposition_options {
    placement where; ///< the same for A and B
    tenfold::tuning tuning = tuning::estimate;
    bool portability = false;
};

void add_transposition_options(po::options_description &group, transposition_options &options);

/// Throws usage_error for options that exclude each other, and for any of them in another suite.
/// `component` is the size of a real number of the tensors, in bytes.
void check(const transposition_options &options, const std::string &suite, index_t component);

/// Returns "tuning estimate; A and B begin 16 bytes past 64-byte boundaries; 4 KiB pages".
std::string describe(const transposition_options &options);

} // namespace tenfold::apps_impl

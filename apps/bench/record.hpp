// Results that are kept, a file for each processor.
#pragma once

#include <string>

#include "apps/bench/report.hpp"

namespace tenfold::apps_impl {

/// Keeps the report in the folder's file of this processor, where it replaces the last one of the
/// same suite, type, number of threads and way of timing. Creates folder and file. Throws failure
/// if the file cannot be read or written, or holds something else.
void record(const std::string &folder, const bench_options &options, const bench_report &report);

} // namespace tenfold::apps_impl

// The suites: each fills a report, printing rows as it goes.
#pragma once

#include "bench_options.hpp"
#include "report.hpp"

namespace tenfold::apps_impl {

/// gemm, small, ttc and tccg on this process.
bench_report run_cases(const bench_options &options);

/// What the machine can do.
bench_report run_ceilings(const bench_options &options);

/// tccg on all ranks of the launcher's job; initialises MPI and finalises it. Collective: fails on
/// all ranks alike. The first rank prints.
bench_report run_distributed_cases(const bench_options &options);

} // namespace tenfold::apps_impl

// The suites: each fills a report, printing rows as it goes.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/report.hpp"
#include "apps/common/ceilings.hpp"

namespace tenfold::apps_impl {

/// gemm, small, ttc and tccg on this process.
bench_report run_cases(const bench_options &options);

/// What the machine can do.
bench_report run_ceilings(const bench_options &options);

/// As large as the tensors of the transposition and contraction suites.
constexpr byte_count ceiling_array_size = {200'000'000 / 64 * 64};

struct stream_samples {
    std::array<std::vector<double>, 3> seconds; ///< of copy, plain copy and saxpy
    std::optional<double> in_huge_pages;        ///< the share of the arrays, where it is known
};

/// Streams over arrays of that size, in the pages that were asked for, interleaved, options.repeat
/// samples each. `flusher` may be null.
stream_samples sample_streams(const bench_options &options, cache_flusher *flusher);

/// tccg on all ranks of the launcher's job; initialises MPI and finalises it. Collective: fails on
/// all ranks alike. The first rank prints.
bench_report run_distributed_cases(const bench_options &options);

} // namespace tenfold::apps_impl

// The suites: each fills a report and prints rows as it runs.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/report.hpp"
#include "apps/common/ceilings.hpp"

namespace tenfold::apps_impl {

/// Runs gemm, small, ttc or tccg on this process.
bench_report run_cases(const bench_options &options);

/// Measures the best that the machine can do.
bench_report run_ceilings(const bench_options &options);

/// As large as the tensors of the transposition and contraction suites.
constexpr byte_count ceiling_array_size = {200'000'000 / 64 * 64};

struct stream_samples {
    std::array<std::vector<double>, 3> seconds; ///< of copy, plain copy and saxpy
    std::optional<double> in_huge_pages;        ///< the share of the arrays; empty if unknown
};

/// Times streams over arrays of ceiling_array_size in the requested pages, interleaved,
/// options.repeat samples each. `flusher` may be null.
stream_samples sample_streams(const bench_options &options, cache_flusher *flusher);

/// Runs tccg or dist on all ranks of the launcher's job; initialises MPI and finalises it.
/// Collective: if it fails, it fails on all ranks alike. The first rank prints.
bench_report run_distributed_cases(const bench_options &options);

} // namespace tenfold::apps_impl

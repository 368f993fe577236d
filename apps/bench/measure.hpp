// Times a case: Tenfold, the peers and the machine's ceilings, interleaved.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/case_list.hpp"
#include "apps/bench/distributed_result.hpp"
#include "apps/bench/peers/peer.hpp"
#include "apps/common/ceilings.hpp"

namespace tenfold::apps_impl {

/// Seconds of one call.
struct timing {
    double min = 0;
    double median = 0;
};

struct peer_result {
    std::string name;
    timing seconds;
    double ratio = 0; ///< peer's seconds / ours: above 1 we are ahead
};

/// What plans can be told; the reference is nobody's choice.
inline constexpr std::array forcible_algorithms = {
    algorithm::direct, algorithm::gemm_loop, algorithm::ttgt, algorithm::fused, algorithm::loops};

/// A contraction by a plan that was told its algorithm.
struct forced_result {
    tenfold::algorithm algorithm;
    timing seconds;
    double predicted_seconds;
};

struct case_result {
    bench_case definition;
    timing seconds;
    double flops = 0;
    double bytes = 0;
    double ceiling_seconds = 0; ///< no run can be faster; what of_ceiling is measured against
    std::string algorithm;
    std::string isa; ///< whose kernels ran; empty for what is no kernel's
    std::optional<double> max_relative_error;
    bool verified = true; ///< false if a verification failed
    std::vector<peer_result> peers;
    std::vector<forced_result> forced; ///< by other plans, where asked for
    std::optional<timing> one_shot;    ///< without a plan, where asked for
    std::optional<timing> one_thread;  ///< of the same case, where asked for
    int ranks = 1;
    std::optional<bytes_of_ranks> across_ranks;    ///< under a launcher
    std::optional<distributed_result> distributed; ///< of the suite dist

    // The ceilings beside it; 0 where they were not measured.
    double fma_peak_gflops = 0;
    double copy_gbps = 0;
    double memcpy_gbps = 0;
    double saxpy_gbps = 0;

    std::optional<double> predicted_seconds; ///< by our plan; empty where it predicts none
    double plan_seconds = 0;                 ///< of making a transposition's plan again

    /// Seconds over those of the fastest forced plan: above 1 another choice would have been
    /// better; forced must not be empty.
    double choice_factor() const;

    /// What the threads of a team do of what they would do alone; one_thread must be there.
    double parallel_efficiency(int threads) const {
        return one_thread->min / (threads * seconds.min);
    }

    /// NaN where no ceiling is known.
    double of_ceiling() const {
        return ceiling_seconds > 0 ? ceiling_seconds / seconds.min
                                   : std::numeric_limits<double>::quiet_NaN();
    }
};

/// The peers that were asked for, loaded.
struct loaded_peer {
    std::string name;
    std::unique_ptr<peer> implementation;
};
std::vector<loaded_peer> load_peers(const bench_options &options);

/// Runs one case, and its ceilings, in a context. `flusher` is null unless caches are flushed
/// before each sample.
case_result measure(const bench_case &definition, const bench_options &options, const context &ctx,
                    const std::vector<loaded_peer> &peers, cache_flusher *flusher);

} // namespace tenfold::apps_impl

// Times a case: Tenfold, the peers and the machine's ceilings, interleaved.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/context.hpp>

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

/// The algorithms that a plan can be forced to; the reference is too slow to compare.
inline constexpr std::array forcible_algorithms = {
    algorithm::direct, algorithm::gemm_loop, algorithm::ttgt, algorithm::fused, algorithm::loops};

/// The result of a contraction whose plan was forced to an algorithm.
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
    double ceiling_seconds = 0; ///< no run can be faster; the basis of of_ceiling
    std::string algorithm;
    std::string isa; ///< of the kernels that ran; empty if no kernel ran
    std::optional<double> max_relative_error;
    bool verified = true; ///< false if a verification failed
    std::vector<peer_result> peers;
    std::vector<forced_result> forced; ///< other plans, if asked for
    std::optional<timing> one_shot;    ///< a call without a plan, if asked for
    std::optional<timing> one_thread;  ///< the same case on one thread, if asked for
    int ranks = 1;
    std::optional<bytes_of_ranks> across_ranks;    ///< under a launcher
    std::optional<distributed_result> distributed; ///< of the suite dist

    // The ceilings that were measured with the case; 0 if not measured.
    double fma_peak_gflops = 0;
    double copy_gbps = 0;
    double memcpy_gbps = 0;
    double saxpy_gbps = 0;
    double read_gbps = 0;  ///< of a case in memory that hardly writes
    double write_gbps = 0; ///< of one that hardly reads

    /// By the machine's rates, of a case whose tensors stay in caches; 0: they do not.
    double cache_gbps = 0;

    /// The fraction of the roofline with this bandwidth in the place of the copy's. NaN if it is 0,
    /// or the peak is not known.
    double of_roofline(double gbps) const;

    std::optional<double> predicted_seconds; ///< of our plan; empty if it has no prediction
    double plan_seconds = 0;                 ///< to make the plan of a transposition again

    /// Returns our seconds, the automatic plan's or those of its algorithm when it is forced, over
    /// those of the fastest forced plan: above 1 another algorithm would have been better. `forced`
    /// must not be empty.
    double choice_factor() const;

    /// The speed-up over one thread divided by the number of threads. one_thread must be set.
    double parallel_efficiency(int threads) const {
        return one_thread->min / (threads * seconds.min);
    }

    /// NaN if no ceiling is known.
    double of_ceiling() const {
        return ceiling_seconds > 0 ? ceiling_seconds / seconds.min
                                   : std::numeric_limits<double>::quiet_NaN();
    }
};

/// A peer that was asked for, loaded.
struct loaded_peer {
    std::string name;
    std::unique_ptr<peer> implementation;
};
std::vector<loaded_peer> load_peers(const bench_options &options);

/// Measures one case and its ceilings in a context. `flusher` is null unless caches are flushed
/// before each sample.
case_result measure(const bench_case &definition, const bench_options &options, const context &ctx,
                    const std::vector<loaded_peer> &peers, cache_flusher *flusher);

/// The peak to which matrix products are compared. Returns the GFLOP/s of the kernels' instructions
/// in registers: multiply-adds of the type (of f32 if inputs are widened) or dot products. Returns
/// 0 if that was not measured, for products of integers without such an instruction.
double multiply_peak_gflops(const bench_options &options, const context &ctx, double seconds);

} // namespace tenfold::apps_impl

#include "apps/bench/measure.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include <tenfold/context.hpp>

#include "apps/bench/choice.hpp"
#include "apps/bench/plan_cost.hpp"
#include "apps/bench/settle.hpp"
#include "apps/bench/workload.hpp"
#include "apps/common/program.hpp"
#include "apps/common/timing.hpp"
#include "base/context_of.hpp"
#include "base/traffic.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/plan/choose.hpp"

namespace tenfold::apps_impl {
namespace {

/// Shorter samples are dominated by the clock's resolution, so that calls are repeated.
constexpr double shortest_sample = 1e-3;

/// Seconds of a call beside which the one-off work of the first call does not count.
constexpr double settled_after = 0.1;

/// At most. If a choice looks wrong, another program may have slowed one contender: all are sampled
/// once more, and the least seconds count.
constexpr int most_rounds = 4;

/// Something that is timed: runs `calls` times in a row and returns the seconds of one call.
struct contender {
    std::function<double(int calls)> run;
    int calls = 1;
    std::vector<double> seconds = {};

    bool long_sample = false; ///< so long that the sample before it does not matter
};

contender repeated(std::function<void()> call) {
    return {[call = std::move(call)](int calls) {
        const stopwatch watch;
        for (int i = 0; i < calls; ++i)
            call();
        return watch.seconds() / calls;
    }};
}

contender streaming(stream kind, const bench_options &options, isa set, void *to, const void *from,
                    byte_count size) {
    return {[=, &options](int passes) {
        // Elements of 2 bytes move as those that they are widened to.
        const data_type moved = is_arithmetic(options.output_type)
                                    ? options.output_type
                                    : output_type_of(options.output_type);
        return stream_seconds({kind, moved, set, options.threads}, to, from, size, passes);
    }};
}

/// Warms up, and decides how many calls make a sample.
void calibrate(contender &one, bool flushed) {
    double seconds = one.run(1);
    if (flushed)
        return; // caches are flushed before each sample: a second call would find them full
    // The first call of a short contender includes starting or waking threads. Its seconds alone
    // would suggest too few calls.
    if (seconds < settled_after)
        for (int attempt = 0; attempt < 3; ++attempt)
            seconds = std::min(seconds, one.run(1));
    while (seconds * one.calls < shortest_sample && one.calls < (1 << 24)) {
        const double wanted = 1.2 * shortest_sample / std::max(seconds, 1e-9);
        one.calls = std::max(one.calls * 2, static_cast<int>(std::min(wanted, 1e7)));
        seconds = one.run(one.calls);
    }
    one.long_sample = seconds * one.calls >= settled_after;
}

/// Keeps contenders from disturbing each other: by threads that still run, and by what the caches
/// hold.
class separation {
public:
    separation(bool has_foreign_threads, bool flushed)
        : has_foreign_threads_(has_foreign_threads), flushed_(flushed) {}

    /// Waits until the threads of the previous contender sleep.
    void quiet() {
        if (has_foreign_threads_ && !settle() && !told_) {
            std::fprintf(stderr, "tenfold-bench: threads of a peer never sleep (OMP_WAIT_POLICY?): "
                                 "they take cores from what is timed\n");
            told_ = true;
        }
    }

    /// Called before a sample of this contender: no other threads run, its own are awake, and the
    /// caches hold what its previous call left. An uncounted sample achieves that. Without it, one
    /// contender would always follow a stream and another one a run on the same tensors. If caches
    /// are flushed, they are not filled again, and all contenders pay for waking threads.
    void before_sample(const contender &one) {
        quiet();
        if (!flushed_ && !one.long_sample)
            one.run(one.calls);
    }

private:
    bool has_foreign_threads_, flushed_;
    bool told_ = false;
};

timing summary_of(const contender &one) { return {minimum(one.seconds), median(one.seconds)}; }

/// The arrays for copies of the case's size: the tensors of a transposition that does not convert,
/// else two arrays of half the bytes of all tensors, allocated in the same way.
class stream_arrays {
public:
    stream_arrays(workload &work, double bytes_of_case, bool in_the_tensors, page_kind pages) {
        if (in_the_tensors) { // from the boundary before each tensor
            from_ = work.input_array(0).boundary();
            to_ = work.output_array().boundary();
            size_ = work.output_array().size();
            return;
        }
        const index_t words = std::max<index_t>(8, static_cast<index_t>(bytes_of_case / 2) / 8);
        size_ = {words * 8};
        own_from_.emplace(size_, pages, work.threads());
        own_to_.emplace(size_, pages, work.threads());
        from_ = own_from_->data();
        to_ = own_to_->data();
    }
    const void *from() const noexcept { return from_; }
    void *to() const noexcept { return to_; }
    byte_count size() const noexcept { return size_; }

private:
    std::optional<page_memory> own_from_, own_to_;
    const void *from_ = nullptr;
    void *to_ = nullptr;
    byte_count size_;
};

/// Tensors that are so small a share of a case are no traffic.
constexpr double no_traffic = 1.0 / 64;

/// The stream of a case in memory that only reads, or only writes; a copy if it does both.
stream one_way(const bench_case &definition, const bench_options &options) {
    const double d = definition.bytes(0, size_of(options.output_type), options.beta != 0);
    const double inputs = definition.bytes(options.input_bytes(), 0, /*reads_c=*/false);
    if (d <= no_traffic * inputs)
        return stream::read;
    if (options.beta == 0 && inputs <= no_traffic * d)
        return stream::write;
    return stream::copy;
}

/// One pass over both arrays.
contender streaming_one_way(stream kind, const bench_options &options, isa set,
                            const stream_arrays &arrays) {
    return {[kind, &options, set, &arrays](int passes) {
        const stream_pass pass{kind, data_type::f32, set, options.threads};
        const double seconds =
            stream_seconds(pass, arrays.to(), arrays.from(), arrays.size(), passes);
        return seconds + stream_seconds(pass, arrays.to(), arrays.to(), arrays.size(), passes);
    }};
}

/// What moves between the caches and the cores while the case is repeated; 0 if its tensors do not
/// stay in caches.
double cache_gbps(double bytes, const bench_options &options, const context &ctx) {
    const base::machine &machine = base::machine_of(ctx);
    if (options.flush || bytes > base::kept_in_caches(machine, options.threads))
        return 0;
    const base::machine_rates &rates = base::rates_of(ctx);
    return base::traffic(machine, rates, 1)
               .bandwidth(bytes, rates.memory(options.threads), options.threads) *
           1e-9;
}

/// Runs one contender from the initial output and compares the result. Returns the error.
double verify(workload &work, const std::string &who, const std::function<void()> &call,
              case_result &result) {
    work.reset_output();
    call();
    const auto found = work.check();
    if (!found.passed()) {
        result.verified = false;
        std::fprintf(stderr, "tenfold-bench: %s computes '%s' wrongly: relative error %.3g\n",
                     who.c_str(), result.definition.name.c_str(), found.max_relative_error);
    }
    return found.max_relative_error;
}

double gbps(stream kind, byte_count size, const contender &one) {
    return stream_traffic(kind, size) / minimum(one.seconds) * 1e-9;
}

/// Plans that are predicted to take more than this many times the seconds of the automatic plan are
/// not run. The loops of a large product would take minutes.
constexpr double hopeless = 10;

/// Plans by every algorithm that is possible for the case, except hopeless ones.
std::vector<planned_contraction> forced_contractions(workload &work) {
    std::vector<planned_contraction> plans;
    for (const algorithm which : forcible_algorithms) {
        try {
            planned_contraction plan = work.contraction_by(which);
            if (plan.predicted_seconds < hopeless * *work.predicted_seconds())
                plans.push_back(std::move(plan));
        } catch (const error &problem) {
            if (problem.code() != errc::unsupported && problem.code() != errc::workspace_too_small)
                throw;
        }
    }
    return plans;
}

/// A contender that computes the case in another way than Tenfold's plan.
struct rival {
    std::string name;
    std::function<void()> call;
    std::optional<planned_contraction> forced = std::nullopt; ///< set for a forced algorithm
    bool one_shot = false;                                    ///< a call without a plan
};

/// Returns the peers, the estimated plan if Tenfold's is tuned, and plans with forced algorithms.
std::vector<rival> rivals_of(workload &work, const bench_options &options,
                             const std::vector<loaded_peer> &peers) {
    std::vector<rival> rivals;
    for (const loaded_peer &one : peers) {
        const std::string reason = one.implementation->reason_against(work.definition());
        if (!reason.empty())
            throw failure("peer '" + one.name + "': '" + work.definition().text + "' " + reason);
        rivals.push_back({one.name, one.implementation->prepare(work)});
    }
    if (options.ttc.tuning != tuning::estimate)
        rivals.push_back({std::string(name(tuning::estimate)),
                          work.transposition(work.make_transpose_plan(tuning::estimate))});
    if (options.times_calls())
        rivals.push_back(
            {"one-shot",
             options.suite == "interfaces" ? work.one_shot_from_views() : work.one_shot(),
             std::nullopt, /*one_shot=*/true});
    if (options.choice)
        for (planned_contraction &one : forced_contractions(work))
            rivals.push_back({"algorithm " + std::string(name(one.algorithm)), one.run, one});
    return rivals;
}

} // namespace

double case_result::choice_factor() const {
    double best = std::numeric_limits<double>::infinity();
    double chosen = seconds.min;
    for (const forced_result &one : forced) {
        best = std::min(best, one.seconds.min);
        if (name(one.algorithm) == algorithm) // the same plan
            chosen = std::min(chosen, one.seconds.min);
    }
    return chosen / best;
}

double case_result::of_roofline(double gbps) const {
    if (gbps <= 0 || (flops > 0 && fma_peak_gflops <= 0))
        return std::numeric_limits<double>::quiet_NaN();
    const double compute = flops > 0 ? flops / fma_peak_gflops : 0;
    return std::max(compute, bytes / gbps) * 1e-9 / seconds.min;
}

std::vector<loaded_peer> load_peers(const bench_options &options) {
    std::vector<loaded_peer> peers;
    if (options.suite == "interfaces") {
        peers.push_back({c_by_plan, make_c_interface(/*by_plan=*/true)});
        peers.push_back({c_in_one_call, make_c_interface(/*by_plan=*/false)});
    }
    for (const peer_name &which : options.peers)
        peers.push_back({which.name, load_peer(which, options)});
    return peers;
}

case_result measure(const bench_case &definition, const bench_options &options, const context &ctx,
                    const std::vector<loaded_peer> &peers, cache_flusher *flusher) {
    workload work(definition, options, ctx);
    case_result result;
    result.definition = definition;
    result.flops = definition.flops(options.type);
    result.bytes =
        definition.bytes(options.input_bytes(), size_of(options.output_type), options.beta != 0);
    result.algorithm = work.algorithm();
    result.predicted_seconds = work.predicted_seconds();
    result.isa = name(ctx.isa());

    const std::function<void()> ours = [&work] { work.run(); };
    const std::vector<rival> rivals = rivals_of(work, options, peers);
    if (options.verify) {
        result.max_relative_error = verify(work, "tenfold", ours, result);
        for (const rival &one : rivals)
            verify(work, one.name, one.call, result);
    }

    const bool transposition = definition.suite == "ttc";
    const stream_arrays arrays(
        work,
        definition.bytes(options.input_bytes(), size_of(options.output_type), /*reads_c=*/false),
        transposition && !options.converts(), options.ttc.where.pages);
    work.reset_output();
    std::vector<contender> contenders = {repeated(ours)};
    for (const rival &one : rivals)
        contenders.push_back(repeated(one.call));
    const std::size_t copy = contenders.size();
    for (const stream kind : {stream::copy, stream::plain_copy, stream::saxpy})
        contenders.push_back(
            streaming(kind, options, ctx.isa(), arrays.to(), arrays.from(), arrays.size()));
    if (!(transposition && options.beta != 0))
        contenders.pop_back(); // saxpy is only the ceiling of transpositions that add
    result.cache_gbps = cache_gbps(result.bytes, options, ctx);
    const std::size_t further = contenders.size();
    const stream only = result.cache_gbps > 0 ? stream::copy : one_way(definition, options);
    if (only != stream::copy)
        contenders.push_back(streaming_one_way(only, options, ctx.isa(), arrays));
    if (options.efficiency)
        contenders.push_back(repeated(work.matrix_product_on(1)));
    separation apart(!peers.empty() && options.threads > 1, flusher != nullptr);
    for (contender &one : contenders) {
        apart.quiet();
        calibrate(one, flusher != nullptr);
    }

    const auto sample_all = [&](int repeat) {
        apart.quiet();
        if (result.flops > 0)
            result.fma_peak_gflops = std::max(result.fma_peak_gflops,
                                              multiply_peak_gflops(options, ctx, /*seconds=*/0.01));
        // Each repetition begins with another contender, because the first one has the advantage of
        // the pause for measuring the peak. Every other one goes backwards, because nobody should
        // always follow the copies: a last-level cache may take dozens of calls to let go of them.
        for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
            const std::size_t place = (turn + static_cast<std::size_t>(repeat)) % contenders.size();
            contender &one = contenders[repeat % 2 == 0 ? place : contenders.size() - 1 - place];
            if (flusher != nullptr)
                flusher->flush();
            apart.before_sample(one);
            one.seconds.push_back(one.run(one.calls));
        }
    };
    const auto summarise = [&] {
        result.seconds = summary_of(contenders[0]);
        result.forced.clear();
        result.peers.clear();
        for (std::size_t i = 0; i < rivals.size(); ++i) {
            const timing seconds = summary_of(contenders[i + 1]);
            if (const auto &forced = rivals[i].forced)
                result.forced.push_back({forced->algorithm, seconds, forced->predicted_seconds});
            else if (rivals[i].one_shot)
                result.one_shot = seconds;
            else
                result.peers.push_back({rivals[i].name, seconds, seconds.min / result.seconds.min});
        }
    };
    const auto choice_looks_wrong = [&] {
        return !result.forced.empty() && result.choice_factor() > choice_summary::good;
    };
    int sampled = 0;
    do {
        for (int repeat = 0; repeat < options.repeat; ++repeat)
            sample_all(sampled++);
        summarise();
    } while (sampled < most_rounds * options.repeat && choice_looks_wrong());

    if (transposition)
        result.plan_seconds = seconds_to_plan(work);
    if (options.efficiency)
        result.one_thread = summary_of(contenders.back());
    result.copy_gbps = gbps(stream::copy, arrays.size(), contenders[copy]);
    result.memcpy_gbps = gbps(stream::plain_copy, arrays.size(), contenders[copy + 1]);
    if (only != stream::copy)
        (only == stream::read ? result.read_gbps : result.write_gbps) =
            2 * gbps(only, arrays.size(), contenders[further]);
    if (transposition && options.beta != 0) {
        result.saxpy_gbps = gbps(stream::saxpy, arrays.size(), contenders[copy + 2]);
        result.ceiling_seconds = result.bytes / result.saxpy_gbps * 1e-9;
    } else if (transposition) {
        result.ceiling_seconds = result.bytes / result.copy_gbps * 1e-9;
    } else if (result.flops == 0 || result.fma_peak_gflops > 0) {
        const double compute = result.flops > 0 ? result.flops / result.fma_peak_gflops : 0;
        result.ceiling_seconds = std::max(compute, result.bytes / result.copy_gbps) * 1e-9;
    }
    return result;
}

double multiply_peak_gflops(const bench_options &options, const context &ctx, double seconds) {
    using gemm_impl::mixed_product;
    if (is_integer(options.type))
        return integer_peak_gflops(ctx, options.threads, seconds);
    if (options.type == data_type::bf16 &&
        gemm_impl::choose_bf16(gemm_impl::gemm_plan_options::from(ctx)) == mixed_product::bf16_dot)
        return dot_peak_gflops(dot_product::bf16, options.threads, seconds);
    return fma_peak_gflops(options.type, ctx.isa(), options.threads, seconds);
}

} // namespace tenfold::apps_impl

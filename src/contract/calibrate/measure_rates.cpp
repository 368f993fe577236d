#include "contract/calibrate/measure_rates.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <vector>

#include <unistd.h>

#include <tenfold/context.hpp>
#include <tenfold/tensor.hpp>
#include <tenfold/transpose.hpp>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "base/workspace.hpp"
#include "contract/calibrate/ceilings.hpp"
#include "contract/calibrate/stopwatch.hpp"
#include "gemm/kernel_loops.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/kernels/registry.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/plan.hpp"
#include "gemm/rate_probe.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::calibrate_impl {
namespace {

using tuning_impl::median;

/// Takes the best of at least two samples. The first may include page faults and the start of
/// threads, and other programs can only slow the cores down.
double best_seconds(double budget, const std::function<double()> &sample) {
    double best = sample();
    const stopwatch watch;
    do
        best = std::min(best, sample());
    while (watch.seconds() < budget);
    return best;
}

/// Asks how fast matrices are packed into micro-panels in the caches, which is the work of a matrix
/// multiplication besides multiplying.
struct packing_request {
    gemm_impl::packing_loop loop; ///< of each thread
    int threads = 1;

    /// Repetitions, enough that the start of the threads does not count.
    int passes() const {
        constexpr double fewest = 16e6; // bytes
        return static_cast<int>(std::ceil(fewest / loop.bytes()));
    }
};

/// All threads pack f64 matrices, which are parts of `from`. A matrix and its micro-panels must fit
/// the arrays.
double packing_seconds(const packing_request &request, tensor<double> &to,
                       const tensor<double> &from) {
    const gemm_impl::packing_loop &loop = request.loop;
    const stopwatch watch;
    base::run_parallel(request.threads, [&](base::team_member member) {
        // Each thread packs the part of the array that it wrote first. In a large team the matrices
        // of two threads may overlap.
        const auto part = base::split(from.size(), member.size(), member.id(), 512);
        const double *matrix =
            from.data() + std::clamp<index_t>(part.begin, 0, from.size() - loop.matrix_elements());
        double *panels =
            to.data() + std::clamp<index_t>(part.begin, 0, to.size() - loop.panel_elements());
        for (int pass = 0; pass < request.passes(); ++pass)
            loop.run(matrix, panels);
    });
    return watch.seconds();
}

class measurement {
public:
    measurement(const rates_request &request, const rates_progress &progress)
        : request_(request), progress_(progress), ctx_(*request.ctx),
          machine_(base::machine_of(ctx_)),
          rates_(base::machine_rates::typical_of(ctx_.isa(), request.threads)),
          size_(array_bytes(machine_)), from_({size_.value / 8}), to_({size_.value / 8}) {
        // The threads that will use the arrays write them first, so that pages are on their NUMA
        // nodes.
        base::run_parallel(request.threads, [&](base::team_member member) {
            const auto part = base::split(size_.value, member.size(), member.id(), 4096);
            for (double *array : {from_.data(), to_.data()})
                std::memset(reinterpret_cast<char *>(array) + part.begin, 0,
                            static_cast<std::size_t>(part.size()));
        });
    }

    base::machine_rates run() {
        using part = void (measurement::*)();
        struct step {
            const char *what;
            part measure;
        };
        constexpr std::array steps = {step{"multiply-adds", &measurement::multiply_adds},
                                      step{"memory", &measurement::memory},
                                      step{"caches", &measurement::caches},
                                      step{"transpositions", &measurement::transpositions},
                                      step{"strided lines", &measurement::strided_lines},
                                      step{"calls and threads", &measurement::overheads},
                                      step{"messages", &measurement::messages}};
        for (std::size_t i = 0; i < steps.size(); ++i) {
            progress_(static_cast<int>(i), static_cast<int>(steps.size()), steps[i].what);
            (this->*steps[i].measure)();
        }
        return rates_;
    }

private:
    /// The size of one array. Caches hold little of it: it is four times the L3 cache, and at least
    /// 192 MiB, but never more than an eighth of the memory.
    static byte_count array_bytes(const base::machine &machine) {
        const index_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
        const index_t wanted = std::clamp(4 * machine.l3.size, mib(192).value, mib(1024).value);
        return {std::min(wanted, std::max(memory / 8, mib(16).value)) / 4096 * 4096};
    }

    double budget(double share) const { return share * request_.seconds; }

    void multiply_adds() {
        const auto flops = [&](data_type type) {
            return fma_peak_gflops(type, ctx_.isa(), request_.threads, budget(0.05)) * 1e9 /
                   request_.threads;
        };
        rates_.fma_flops_f64 = flops(data_type::f64);
        rates_.fma_flops_f32 = flops(data_type::f32);
        rates_.fmas_per_cycle = gemm_impl::measure_fmas_per_cycle(ctx_.isa(), rates_.fma_flops_f64);
        rates_.dot_flops_bf16 =
            gemm_impl::has_instruction(gemm_impl::mixed_product::bf16_dot, ctx_.isa(), machine_)
                ? dot_peak_gflops(dot_product::bf16, request_.threads, budget(0.05)) * 1e9 /
                      request_.threads
                : 0;
        // The two are not measured at the same moment, in which other programs may run.
        rates_.kernel_efficiency = std::clamp(kernel_flops() / rates_.fma_flops_f64, 0.1, 1.0);
    }

    /// Flops per second of each thread in the inner loops of a product: micro-panels of A's block
    /// come from L2, B's stays in L1.
    double kernel_flops() const {
        const gemm_impl::kernel_info &kernel = *gemm_impl::select(data_type::f64, ctx_.isa());
        const auto blocks = gemm_impl::choose_blocking(machine_, *kernel.kernel, sizeof(double));
        std::deque<gemm_impl::tile_loop> of_threads;
        for (int thread = 0; thread < request_.threads; ++thread)
            of_threads.emplace_back(kernel, blocks.mc, blocks.kc);
        constexpr double fewest_flops = 4e6; // so that the start of the threads does not count
        const double flops = of_threads.front().flops();
        const int passes = static_cast<int>(std::ceil(fewest_flops / flops));
        const double seconds = best_seconds(budget(0.03), [&] {
            const stopwatch watch;
            base::run_parallel(request_.threads, [&](base::team_member member) {
                for (int pass = 0; pass < passes; ++pass)
                    of_threads[static_cast<std::size_t>(member.id())].run();
            });
            return watch.seconds();
        });
        return flops * passes / seconds;
    }

    /// Other programs share the memory, so that its bandwidth changes from second to second.
    /// Therefore the streams take turns, and the median counts.
    void memory() {
        struct measured_stream {
            stream kind;
            int threads;
            double base::machine_rates::*rate;
            std::vector<double> seconds = {};
        };
        using rates = base::machine_rates;
        const int all = request_.threads;
        std::array streams = {measured_stream{stream::copy, 1, &rates::memory_bandwidth},
                              measured_stream{stream::copy, all, &rates::memory_bandwidth_all},
                              measured_stream{stream::read, 1, &rates::read_bandwidth},
                              measured_stream{stream::read, all, &rates::read_bandwidth_all},
                              measured_stream{stream::saxpy, 1, &rates::update_bandwidth},
                              measured_stream{stream::saxpy, all, &rates::update_bandwidth_all}};
        const stopwatch watch;
        do
            for (measured_stream &one : streams)
                one.seconds.push_back(
                    stream_seconds({one.kind, data_type::f64, ctx_.isa(), one.threads}, to_.data(),
                                   from_.data(), size_));
        while (watch.seconds() < budget(0.4));
        for (const measured_stream &one : streams)
            rates_.*one.rate = stream_traffic(one.kind, size_) / median(one.seconds);
    }

    void caches() {
        const base::cache &l2 = machine_.l2;
        const base::cache &l3 = machine_.l3;
        const index_t share_of_l2 = l2.size / l2.shared_by;
        const auto packing = [&](index_t bytes_per_core) -> packing_request {
            return {.loop = {ctx_.isa(),
                             {std::min(bytes_per_core, size_.value / 2)},
                             {share_of_l2 / 4}},
                    .threads = request_.threads};
        };
        const auto seconds_of_pass = [&](const packing_request &work) {
            return best_seconds(budget(0.04), [&] { return packing_seconds(work, to_, from_); }) /
                   work.passes();
        };
        const packing_request in_l2 = packing(share_of_l2 / 4);
        rates_.cache_bandwidth = in_l2.loop.bytes() / seconds_of_pass(in_l2);
        const index_t share_of_l3 = l3.size / std::min(l3.shared_by, request_.threads);
        const packing_request from_l3 = packing(share_of_l3 / 2);
        rates_.l3_bandwidth =
            share_of_l3 > 4 * share_of_l2
                ? from_l3.loop.arrival(seconds_of_pass(from_l3), rates_.cache_bandwidth)
                : rates_.memory_bandwidth_all / request_.threads;
    }

    /// Returns the speed of a transposition relative to a copy of as many bytes; the two take
    /// turns.
    double transposing(const extents_t &extents, const std::vector<int> &permutation) {
        extents_t permuted;
        index_t elements = 1;
        for (const int mode : permutation)
            permuted.push_back(extents[static_cast<std::size_t>(mode)]);
        for (const index_t extent : extents)
            elements *= extent;
        const transpose_plan plan(permutation, data_type::f64, layout(extents), data_type::f64,
                                  layout(permuted), false,
                                  {.threads = request_.threads, .ctx = &ctx_});
        std::vector<double> ratios;
        const stopwatch watch;
        do {
            const double copy =
                stream_seconds({stream::copy, data_type::f64, ctx_.isa(), request_.threads},
                               to_.data(), from_.data(), {elements * 8});
            const stopwatch transposition;
            plan.execute(1.0, from_.data(), 0.0, to_.data()).throw_if_failed();
            ratios.push_back(copy / transposition.seconds());
        } while (watch.seconds() < budget(0.07) || ratios.size() < 2);
        return median(std::move(ratios));
    }

    void transpositions() {
        // The permutations that are most frequent in TTGT: of two and of three super-indices.
        const double elements = static_cast<double>(size_.value / 8);
        const auto two = static_cast<index_t>(std::sqrt(elements));
        const auto three = static_cast<index_t>(std::cbrt(elements));
        constexpr index_t rows = 72;
        const auto rest = static_cast<index_t>(std::sqrt(elements / rows));
        rates_.transpose_kept = transposing({rows, rest, rest}, {0, 2, 1});
        rates_.transpose_moved = std::sqrt(transposing({two, two}, {1, 0}) *
                                           transposing({three, three, three}, {2, 1, 0}));
    }

    /// Reads one element of each cache line, each from another page: a column of a large row-major
    /// matrix.
    void strided_lines() {
        const index_t line = machine_.l1d.line / 8;
        const index_t page = machine_.page / 8;
        const index_t pages = from_.size() / page;
        const double lines = static_cast<double>(pages * (page / line));
        const double *data = from_.data();
        const double seconds = best_seconds(budget(0.05), [&] {
            const stopwatch watch;
            std::array<double, 4> sums = {};
            for (index_t first = 0; first < page; first += line)
                for (index_t i = 0; i + 4 <= pages; i += 4)
                    for (std::size_t k = 0; k < 4; ++k)
                        sums[k] += data[(i + static_cast<index_t>(k)) * page + first];
            sink_.store(sums[0] + sums[1] + sums[2] + sums[3], std::memory_order_relaxed);
            return watch.seconds();
        });
        rates_.strided_line = seconds / lines;
    }

    void overheads() {
        constexpr int calls = 2000;
        auto options = gemm_impl::gemm_plan_options::from(ctx_);
        options.threads = 1;
        constexpr index_t n = 2; // so small that the multiplications do not count
        const gemm_impl::gemm_plan tiny({data_type::f64, n, n, n, 1, n, 1, n, 1, n}, options);
        const auto workspace = base::pool_of(ctx_).acquire(tiny.workspace_size());
        std::array<double, n *n> a = {1, 2, 3, 4}, b = a, d = a;
        rates_.call = best_seconds(budget(0.02),
                                   [&] {
                                       const stopwatch watch;
                                       for (int i = 0; i < calls; ++i)
                                           tiny.execute({.alpha = 1.0,
                                                         .a = a.data(),
                                                         .b = b.data(),
                                                         .beta = 0.0,
                                                         .d = d.data(),
                                                         .workspace = workspace.memory().data()});
                                       return watch.seconds();
                                   }) /
                      calls;
        if (request_.threads < 2)
            return;
        const double two = team_seconds(2);
        rates_.fork = two;
        if (request_.threads > 2)
            rates_.fork_per_thread =
                std::max(0.0, team_seconds(request_.threads) - two) / (request_.threads - 2);
    }

    /// Threads stand for the ranks of a node: each leaves its messages where the next one fetches
    /// them, as ranks do through memory that they share.
    void messages() {
        rates_.message_bandwidth = received_per_second(request_.threads);
        rates_.message_bandwidth_one =
            request_.threads > 2 ? received_per_second(2) : rates_.message_bandwidth;
    }

    double received_per_second(int ranks) {
        constexpr index_t message = index_t{1} << 20;
        const index_t each = std::max(message, size_.value / ranks / 2 / message * message);
        std::vector<double> seconds;
        const stopwatch all;
        do {
            const stopwatch watch;
            base::run_parallel(ranks, [&](base::team_member member) {
                const auto part_of = [&](int rank, auto *array) {
                    return reinterpret_cast<char *>(array) +
                           std::min(2 * each * rank, size_.value - 2 * each);
                };
                const int neighbour = (member.id() + 1) % member.size();
                for (index_t at = 0; at < each; at += message) {
                    std::memcpy(part_of(member.id(), to_.data()) + at,
                                part_of(member.id(), from_.data()) + at, message);
                    member.barrier();
                    std::memcpy(part_of(member.id(), to_.data()) + each + at,
                                part_of(neighbour, to_.data()) + at, message);
                }
            });
            seconds.push_back(watch.seconds());
        } while (all.seconds() < budget(0.04) || seconds.size() < 2);
        return static_cast<double>(each) / median(std::move(seconds));
    }

    double team_seconds(int threads) {
        constexpr int teams = 200;
        return best_seconds(budget(0.02),
                            [&] {
                                const stopwatch watch;
                                for (int i = 0; i < teams; ++i)
                                    base::run_parallel(threads, [](base::team_member) {});
                                return watch.seconds();
                            }) /
               teams;
    }

    rates_request request_;
    const rates_progress &progress_;
    const context &ctx_;
    const base::machine &machine_;
    base::machine_rates rates_;
    byte_count size_;
    tensor<double> from_, to_;
    std::atomic<double> sink_;
};

} // namespace

base::machine_rates measure_rates(const rates_request &request, const rates_progress &progress) {
    return measurement(request, progress).run();
}

} // namespace tenfold::calibrate_impl

#include <algorithm>

#include <tenfold/context.hpp>
#include <tenfold/dist.hpp>

#include "apps/ceilings.hpp"
#include "apps/dist_operands.hpp"
#include "apps/mpi_session.hpp"
#include "apps/progress.hpp"
#include "apps/timing.hpp"
#include "suites.hpp"

namespace tenfold::apps_impl {
namespace {

constexpr index_t verified_elements = 1000;

/// What all ranks reach together, at the same time: the sum over the ranks.
double together(const world &ranks, double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, ranks.comm());
    return all;
}

double fma_peak_together(const world &ranks, const bench_options &options, double seconds) {
    MPI_Barrier(ranks.comm());
    return together(
        ranks, fma_peak_gflops(options.type, context::global().isa(), options.threads, seconds));
}

double copy_together(const world &ranks, const bench_options &options, byte_count size) {
    MPI_Barrier(ranks.comm());
    return together(ranks, quick_stream_gbps(stream::copy, options.type, context::global().isa(),
                                             options.threads, size));
}

template <class T> class distributed_case {
public:
    distributed_case(const world &ranks, const bench_case &definition, double beta)
        : definition_(definition), beta_(beta),
          d_(ranks, definition.extents_of(definition.spec.output)) {
        for (const auto &labels : definition.spec.inputs) {
            inputs_.emplace_back(ranks, definition.extents_of(labels));
            fill_generated(inputs_.back(), inputs_.size() - 1);
        }
    }

    dist_report run(const dist_options &options) {
        if (inputs_.size() == 1)
            return contract(definition_.text, inputs_[0], d_, options);
        return contract(definition_.text, inputs_[0], inputs_[1], d_, options);
    }

    void reset_output() {
        if (beta_ != 0)
            fill_generated(d_, generated_c);
    }

    contract_impl::verification verify() const {
        made_up_contraction problem;
        problem.spec = definition_.spec;
        problem.extents = definition_.extents;
        problem.alpha = definition_.spec.scale;
        problem.beta = beta_;
        return verify_made_up(problem, d_, verified_elements);
    }

private:
    const bench_case &definition_;
    double beta_;
    dist_tensor<T> d_;
    std::vector<dist_tensor<T>> inputs_;
};

template <class T> case_result measure_distributed(const world &ranks, const bench_case &definition,
                                                   const bench_options &options,
                                                   const dist_options &dist,
                                                   cache_flusher *flusher) {
    distributed_case<T> work(ranks, definition, options.beta);
    case_result result;
    result.definition = definition;
    result.ranks = ranks.size();
    result.flops = definition.flops(options.type);
    result.bytes =
        definition.bytes(size_of(options.type), size_of(options.type), options.beta != 0);

    work.reset_output();
    result.algorithm = name(work.run(dist).algorithm); // warms up, uncounted
    if (options.verify) {
        const auto found = work.verify();
        result.max_relative_error = found.max_relative_error;
        result.verified = found.passed();
    }
    const byte_count copied = {static_cast<index_t>(result.bytes / 2) / ranks.size()};
    std::vector<double> seconds;
    for (int repeat = 0; repeat < options.repeat; ++repeat) {
        result.fma_peak_gflops =
            std::max(result.fma_peak_gflops, fma_peak_together(ranks, options, 0.02));
        result.copy_gbps = std::max(result.copy_gbps, copy_together(ranks, options, copied));
        if (flusher != nullptr)
            flusher->flush();
        seconds.push_back(work.run(dist).seconds_max);
    }
    result.seconds = {minimum(seconds), median(seconds)};
    result.ceiling_seconds =
        std::max(result.flops / result.fma_peak_gflops, result.bytes / result.copy_gbps) * 1e-9;
    return result;
}

case_result measure_distributed(const world &ranks, const bench_case &definition,
                                const bench_options &options, const dist_options &dist,
                                cache_flusher *flusher) {
    switch (options.type) {
    case data_type::f32:
        return measure_distributed<float>(ranks, definition, options, dist, flusher);
    case data_type::c32:
        return measure_distributed<c32>(ranks, definition, options, dist, flusher);
    case data_type::c64:
        return measure_distributed<c64>(ranks, definition, options, dist, flusher);
    default:
        return measure_distributed<double>(ranks, definition, options, dist, flusher);
    }
}

} // namespace

bench_report run_distributed_cases(const bench_options &asked) {
    if (!asked.peers.empty())
        throw usage_error("--peer: peers run on one process only");
    if (asked.choice)
        throw usage_error("--choice: plans are compared on one process only");
    if (asked.random)
        throw usage_error("--random: random contractions run on one process only");
    const mpi_session session;
    const world ranks(MPI_COMM_WORLD);
    bench_options options = asked;
    std::vector<bench_case> cases;
    agree(ranks.comm(),
          [&] { cases = select_cases(options.suite, options.cases, options.file, options.type); });
    if (!options.threads_given)
        options.threads = ranks.threads();
    settings chosen = settings::from_environment();
    chosen.threads = options.threads;
    const context ctx(chosen);
    const dist_options dist{.beta = options.beta, .algorithm = options.algorithm, .ctx = &ctx};
    std::optional<cache_flusher> flusher;
    if (options.flush)
        flusher.emplace(options.threads);

    bench_report report;
    report.machine = describe_machine(options);
    report.machine.ranks = ranks.size();
    report.machine.fma_peak_gflops = fma_peak_together(ranks, options, 0.2);
    report.machine.copy_gbps = copy_together(ranks, options, mib(64));
    const bool prints = ranks.rank() == 0;
    if (prints)
        print_header(options, report.machine);
    progress line("tenfold-bench: case");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        line.show(static_cast<int>(i), static_cast<int>(cases.size()), cases[i].name);
        report.cases.push_back(
            measure_distributed(ranks, cases[i], options, dist, flusher ? &*flusher : nullptr));
        line.clear();
        report.machine.fma_peak_gflops =
            std::max(report.machine.fma_peak_gflops, report.cases.back().fma_peak_gflops);
        if (prints)
            print_case(options, report.cases.back());
    }
    return report;
}

} // namespace tenfold::apps_impl

// study EXPRESSION LABEL=EXTENT,.. [memory=BYTES] [bandwidth=BYTES] [default-layout] [nodes=RANKS]
//
// Runs one distributed contraction of doubles under SMPI. Plan and messages are those of the
// library; local work takes simulated time but touches no memory. Operands are in the layouts that
// are best for the contraction, or in the default distributions. `memory` is the plan's limit per
// rank, `bandwidth` the bytes per second of a rank's memory, `nodes` how many ranks of a node the
// plan knows of. Prints one line: ranks, grid, steps, simulated seconds, parallel efficiency (flops
// / rate / ranks / seconds), MB received and bound, seconds of products and of copies, each the
// maximum over the ranks, the real seconds of the simulation, and MB that a node receives from
// others. Fails if the bytes received are not the plan's.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/dist_layouts.hpp>
#include <tenfold/error.hpp>

#include "base/context_of.hpp"
#include "base/described_machine.hpp"
#include "distributed/comm/communicator.hpp"
#include "distributed/run/panels.hpp"
#include "simulation/local_work.hpp"

namespace {

using namespace tenfold;

struct request {
    contraction_spec spec;
    std::vector<extents_t> extents; ///< of A, B and D
    dist_options options;
    bool default_layout = false;
    simulation::machine_speed speed;
};

request parse_arguments(int argc, char **argv) {
    request wanted{.spec = parse(argv[1]), .extents = {}, .options = {}, .speed = {}};
    std::vector<index_t> of_label(wanted.spec.label_names.size(), 0);
    std::stringstream list(argv[2]);
    for (std::string one; std::getline(list, one, ',');)
        for (std::size_t label = 0; label < of_label.size(); ++label)
            if (one.starts_with(wanted.spec.label_names[label] + "="))
                of_label[label] = std::atoll(one.c_str() + one.find('=') + 1);
    const auto add = [&](const std::vector<int> &labels) {
        wanted.extents.emplace_back();
        for (const int label : labels)
            wanted.extents.back().push_back(of_label[static_cast<std::size_t>(label)]);
    };
    for (const std::vector<int> &labels : wanted.spec.inputs)
        add(labels);
    add(wanted.spec.output);
    for (int i = 3; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with("memory="))
            wanted.options.memory_per_rank = bytes(std::atoll(argv[i] + 7));
        if (argument.starts_with("bandwidth="))
            wanted.speed.memory_bandwidth = std::atof(argv[i] + 10);
        if (argument.starts_with("nodes="))
            wanted.options.ranks_per_node = std::atoi(argv[i] + 6);
        wanted.default_layout = wanted.default_layout || argument == "default-layout";
    }
    return wanted;
}

/// Returns a context whose plans are priced for the simulated machine.
std::unique_ptr<context> simulated_machine(const simulation::machine_speed &speed) {
    const context &here = context::global();
    auto rates = base::machine_rates::typical_of(here.isa());
    rates.fma_flops_f64 = speed.flops / rates.kernel_efficiency;
    rates.update_bandwidth = rates.update_bandwidth_all = speed.memory_bandwidth;
    rates.message_bandwidth = rates.message_bandwidth_one = speed.link_bandwidth;
    rates.message = speed.message;
    return base::described_machine{base::machine_of(here), rates}.make_context(here.settings());
}

dist_plan make_plan_once(const request &wanted, int ranks) {
    static std::optional<dist_plan> plan; // of all ranks: each would make the same
    if (plan)
        return *plan;
    const std::unique_ptr<context> machine = simulated_machine(wanted.speed);
    dist_options options = wanted.options;
    options.threads = 1;
    options.ctx = machine.get();
    if (wanted.default_layout) {
        plan = make_dist_plan(wanted.spec, data_type::f64, wanted.extents, ranks, options);
        return *plan;
    }
    contraction_spec named = wanted.spec;
    named.operand_names = {"A", "B", "D"};
    std::map<std::string, extents_t> extents;
    for (std::size_t operand = 0; operand < 3; ++operand)
        extents.emplace(named.operand_names[operand], wanted.extents[operand]);
    dist_options free = options;
    free.memory_per_rank = std::nullopt;
    const planned_layouts layouts =
        plan_layouts({named.to_string()}, extents, data_type::f64, ranks, free);
    std::vector<distribution> operands;
    for (const std::string &name : named.operand_names)
        operands.push_back(layouts.of.at(name));
    plan = make_dist_plan(wanted.spec, data_type::f64, operands, options);
    return *plan;
}

/// The maxima over all ranks.
template <std::size_t n> std::array<double, n> most(const std::array<double, n> &mine) {
    std::array<double, n> of_all{};
    MPI_Allreduce(mine.data(), of_all.data(), static_cast<int>(n), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    return of_all;
}

int run(int argc, char **argv) {
    const auto began = std::chrono::steady_clock::now();
    const world ranks(MPI_COMM_WORLD);
    internals::of(ranks).set_crowded(false); // simulated hosts have a core for each rank
    const request wanted = parse_arguments(argc, argv);
    simulation::set_speed(wanted.speed);
    const dist_plan plan = make_plan_once(wanted, ranks.size());
    const dist_plan_summary &summary = plan.summary();
    auto *operand = static_cast<double *>(simulation::shared_memory(summary.peak));
    dist_impl::panel_contraction<double> work(ranks, internals::of(plan), {}, nullptr,
                                              {operand, operand, operand});
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const dist_impl::panel_contraction_counts counts = work.run();
    const double seconds = MPI_Wtime() - start;
    const simulation::local_seconds local = simulation::seconds_of_this_rank();
    const auto [longest, multiplying, copying, received, redistributed] =
        most<5>({seconds, local.multiplying, local.copying, static_cast<double>(counts.received),
                 static_cast<double>(counts.redistributed)});
    const bool right = static_cast<index_t>(received) == summary.bytes_received.value &&
                       static_cast<index_t>(redistributed) == summary.redistribution.value;
    if (ranks.rank() == 0) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        const double ideal = summary.flops / ranks.size() / wanted.speed.flops;
        std::printf(
            "%5d %dx%dx%dx%d %lldx%lldx%lldx%lld %.6f %.4f %.1f %.1f %.6f %.6f %.1f %.1f\n",
            ranks.size(), summary.grid.batch, summary.grid.m, summary.grid.n, summary.grid.k,
            static_cast<long long>(summary.steps.batch), static_cast<long long>(summary.steps.m),
            static_cast<long long>(summary.steps.n), static_cast<long long>(summary.steps.k),
            longest, ideal / longest, (received + redistributed) / 1e6,
            static_cast<double>(summary.bound.value) / 1e6, multiplying, copying, took.count(),
            static_cast<double>(summary.between_nodes.value) / 1e6);
        if (!right)
            std::printf("bytes received differ from the plan's\n");
    }
    return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int status = 1;
    try {
        status = run(argc, argv);
    } catch (const error &problem) {
        std::printf("%s\n", problem.what());
    }
    MPI_Finalize();
    return status;
}

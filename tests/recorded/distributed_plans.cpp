// Plans across ranks, which need no MPI.
#include <algorithm>

#include <tenfold/dist_plan.hpp>
#include <tenfold/dist_sequence.hpp>
#include <tenfold/error.hpp>

#include "distributed/plan/plan_state.hpp"
#include "recorded/lists.hpp"
#include "recorded/plans.hpp"
#include "recorded/recording.hpp"
#include "support/described_machines.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

constexpr std::uint64_t sequence_seed = 5001;

/// Returns the blocks that some ranks own and gather, as numbers.
std::string blocks_of(const dist_plan &plan) {
    using namespace dist_impl;
    const plan_state &state = internals::of(plan);
    std::string text;
    const int ranks = state.ranks;
    for (const int rank : {0, ranks / 2, ranks - 1}) {
        text += "rank " + std::to_string(rank) + "\n";
        for (const tensor_id operand : all_but_c) {
            if (operand == B && state.problem->unary)
                continue;
            text += "  owns " + state.where.whole_piece_of(operand, rank).describe() + "\n";
            if (!state.where.takes_part(rank))
                continue;
            text += "  gathers " + state.where.panel_of(operand, rank).describe() + ", first " +
                    state.where.panel_of(operand, rank, {}).describe() + ", from";
            for (const int member : state.where.team_of(operand, rank))
                text += " " + std::to_string(member);
            text += "\n";
        }
    }
    return text;
}

std::string text_of(const dist_plan &plan) {
    const dist_plan_summary &s = plan.summary();
    std::string text = plan.describe();
    const int operands = static_cast<int>(internals::of(plan).spec.inputs.size()) + 1;
    for (int which = 0; which < operands; ++which)
        text +=
            "  operand " + std::to_string(which) + ": " + plan.layout_of(which).describe() + "\n";
    text += "  bytes";
    for (const byte_count one :
         {s.bytes_received, s.redistribution, s.bound, s.panels, s.peak, s.workspace})
        text += " " + std::to_string(one.value);
    return text + "\n" + blocks_of(plan);
}

/// Adds a line "<name> <grid> <bytes received>".
void add_plan(const listed_contraction &one, data_type type, int ranks, const dist_options &options,
              plan_lines &out) {
    try {
        const dist_plan plan = make_dist_plan(one.spec, type, one.all_extents(), ranks, options);
        const processor_grid &grid = plan.summary().grid;
        out.add(one.name + " " + std::to_string(grid.batch) + "x" + std::to_string(grid.m) + "x" +
                    std::to_string(grid.n) + "x" + std::to_string(grid.k) + " " +
                    std::to_string(plan.summary().bytes_received.value),
                text_of(plan));
    } catch (const error &refused) {
        out.add(one.name + " refused", refused.what());
    }
}

dist_options on_one_thread() {
    dist_options options;
    options.threads = 1;
    options.ctx = &described_context("wide");
    return options;
}

} // namespace

void plan_distributed(const std::string &list, int ranks, plan_lines &out) {
    for (const listed_contraction &one : read_contractions(bench_list(list), data_type::f64))
        add_plan(one, data_type::f64, ranks, on_one_thread(), out);
}

void plan_random_distributed(int count, int ranks, plan_lines &out) {
    constexpr data_type types[] = {data_type::f32, data_type::f64, data_type::c32, data_type::c64};
    int number = 0;
    for (const listed_contraction &one :
         read_contractions(random_list(count, false), data_type::f32)) {
        const data_type type = types[number % 4];
        dist_options options = on_one_thread();
        options.reproducible = number % 3 == 2;
        if (number % 5 == 4) {
            const dist_plan free =
                make_dist_plan(one.spec, type, one.all_extents(), ranks, options);
            options.memory_per_rank = bytes(free.summary().peak.value / 10 * 9);
        }
        add_plan(one, type, ranks, options, out);
        ++number;
    }
}

void plan_sequences(int count, int ranks, plan_lines &out) {
    for (int number = 0; number < count; ++number) {
        random_source random(sequence_seed, number);
        const auto matrices = random.integer(3, 6);
        std::string expression;
        std::vector<distribution> operands;
        extents_t extents{random.integer(8, 400)};
        for (char label = 'a'; label < 'a' + matrices; ++label) {
            extents.push_back(random.integer(8, 400));
            expression +=
                (label == 'a' ? "" : ",") + std::string{label, static_cast<char>(label + 1)};
            operands.push_back(distribution::block({extents.end()[-2], extents.back()}, ranks));
        }
        expression += "->" + std::string{'a', static_cast<char>('a' + matrices)};
        operands.push_back(distribution::block({extents.front(), extents.back()}, ranks));
        const dist_sequence plan =
            make_dist_sequence(parse(expression), data_type::f64, operands, on_one_thread());
        out.add("s" + std::to_string(number) + " " +
                    std::to_string(plan.summary().bytes_received.value),
                plan.describe());
    }
}

} // namespace tenfold::testing

// Plans of one process.
#include <cstdio>

#include <tenfold/tenfold.hpp>

#include "contract/random_network.hpp"
#include "gemm/forms/small.hpp"
#include "gemm/plan/plan.hpp"
#include "recorded/lists.hpp"
#include "recorded/plans.hpp"
#include "support/described_machines.hpp"
#include "transpose/plan/plan_state.hpp"

namespace tenfold::testing {
namespace {

constexpr std::uint64_t network_seed = 4001;

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s\n", seconds);
    return text;
}

/// Returns the name, the algorithm and the bytes of workspace: "ttgt 123456".
std::string title_of(const std::string &name, const contraction_plan &plan) {
    const plan_summary &summary = plan.summary();
    return name + " " + std::string(tenfold::name(summary.algorithm)) + " " +
           std::to_string(summary.workspace.value);
}

struct how_to_plan {
    data_type type = data_type::f64;
    bool row_major = false;
    contract_options options;
};

contraction_plan plan_of(const listed_contraction &one, const how_to_plan &how) {
    const bool widened = how.type == data_type::bf16 || how.type == data_type::f16;
    const auto place = [&](const std::vector<label_t> &labels) {
        const extents_t extents = one.extents_of(labels);
        return how.row_major ? layout::row_major(extents) : layout(extents);
    };
    std::vector<input> inputs;
    for (const auto &labels : one.spec.inputs)
        inputs.emplace_back(how.type, nullptr, place(labels));
    const output d(widened ? data_type::f32 : how.type, nullptr, place(one.spec.output));
    return make_plan(one.spec, inputs, d, d, how.options);
}

void add_contraction(const listed_contraction &one, const how_to_plan &how, plan_lines &out) {
    try {
        const contraction_plan plan = plan_of(one, how);
        out.add(title_of(one.name, plan), plan.explain());
    } catch (const error &refused) {
        out.add(one.name + " refused", refused.what());
    }
}

how_to_plan on_threads(data_type type, int threads) {
    how_to_plan how;
    how.type = type;
    how.options.threads = threads;
    how.options.ctx = &described_context("wide");
    return how;
}

/// Returns the numbers of a schedule that explain() leaves out.
std::string numbers_of(const transpose_impl::schedule &s) {
    std::string text = "schedule";
    for (const index_t one : {s.width, s.row_extent, s.row_piece, s.panel_piece, s.run_extent,
                              s.run_piece, s.strip, s.ahead, s.skew, s.block, index_t{s.stream},
                              index_t{s.joins}, index_t{s.reads_in_order}, index_t{s.threads}})
        text += " " + std::to_string(one);
    return text + "\n";
}

} // namespace

void plan_contractions(const std::string &list, data_type type, int threads, plan_lines &out) {
    for (const listed_contraction &one : read_contractions(bench_list(list), type))
        add_contraction(one, on_threads(type, threads), out);
}

void plan_transpositions(const std::string &list, data_type type, int threads, plan_lines &out) {
    for (const listed_transposition &one : read_transpositions(bench_list(list))) {
        extents_t extents_b;
        for (const int mode : one.permutation)
            extents_b.push_back(one.extents.at(static_cast<std::size_t>(mode)));
        transpose_options options;
        options.threads = threads;
        options.ctx = &described_context("wide");
        transpose_impl::plan_state plan({.permutation = one.permutation,
                                         .type_a = type,
                                         .a = layout(one.extents),
                                         .type_b = type,
                                         .b = layout(extents_b)},
                                        options, {});
        const std::string method = transpose_impl::name(plan.overwrites.how);
        std::string text = transpose_impl::explain(plan) + numbers_of(plan.overwrites);
        plan.overwrites = plan.accumulates;
        text += "B += A:\n" + transpose_impl::explain(plan) + numbers_of(plan.accumulates);
        out.add(one.name + " " + method, text);
    }
}

void plan_products(const std::string &list, data_type type, int threads, plan_lines &out) {
    for (const listed_contraction &one : read_contractions(bench_list(list), type)) {
        const how_to_plan how = on_threads(type, threads);
        const index_t m = one.extents[0], k = one.extents[1], n = one.extents[2];
        const gemm_impl::gemm_shape shape{type, m, n, k, 1, m, 1, k, 1, m};
        auto options = gemm_impl::gemm_plan_options::from(*how.options.ctx);
        options.threads = threads;
        const gemm_impl::gemm_plan plan(shape, options);
        const auto small = gemm_impl::find_small_form(shape, options);
        const contraction_plan contraction = plan_of(one, how);
        out.add(one.name + " " + std::string(name(plan.form())) + " " +
                    std::to_string(plan.workspace_size().value),
                plan.describe() + "\n" + seconds_text(plan.predicted_seconds(options)) +
                    (!small          ? ""
                     : small->copies ? "small, from copies\n"
                                     : "small, in place\n") +
                    title_of("contraction", contraction) + "\n" + contraction.explain());
    }
}

void plan_random_contractions(int count, bool tiny, plan_lines &out) {
    constexpr data_type types[] = {data_type::f32, data_type::f64,  data_type::c32,
                                   data_type::c64, data_type::bf16, data_type::f16};
    constexpr int threads[] = {1, 2, 8};
    int number = 0;
    for (const listed_contraction &one :
         read_contractions(random_list(count, tiny), data_type::f32)) {
        how_to_plan how = on_threads(types[number % 6], threads[number / 6 % 3]);
        how.row_major = number % 5 == 4;
        how.options.reproducible = number % 7 == 6;
        if (number % 8 == 7)
            how.options.workspace_limit = kib(512);
        add_contraction(one, how, out);
        ++number;
    }
}

void plan_networks(int count, plan_lines &out) {
    for (int number = 0; number < count; ++number) {
        random_source random(network_seed, number);
        const random_network_problem drawn =
            make_random_network(random, static_cast<int>(random.integer(3, 8)), 1000);
        listed_contraction one{"n" + std::to_string(number), drawn.spec, {}};
        for (std::size_t label = 0; label < one.spec.label_names.size(); ++label)
            one.extents.push_back(random.integer(2, 12));
        how_to_plan how = on_threads(number % 2 == 0 ? data_type::f64 : data_type::c32, 2);
        how.options.diagonal_output = true;
        if (number % 4 == 3)
            how.options.workspace_limit = kib(64);
        add_contraction(one, how, out);
    }
}

} // namespace tenfold::testing

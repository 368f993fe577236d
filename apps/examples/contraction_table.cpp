#include "apps/examples/contraction_table.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/common/text.hpp"
#include "apps/common/timing.hpp"

namespace tenfold::examples {

using namespace apps_impl;

contraction_table::contraction_table(int threads) : threads_(threads) {
    // Starts the threads by a first contraction, so that no row of the table includes it.
    tensor<float> one({256, 256}), other({256, 256});
    tenfold::contract("ij=ik*kj", {one, one}, other, {.threads = threads});
}

void contraction_table::contract(const std::string &expression, const std::vector<input> &inputs,
                                 const input &c, const output &d, contract_options options) {
    options.threads = threads_;
    const stopwatch watch;
    tenfold::contract(expression, inputs, c, d, options);
    const double seconds = watch.seconds();

    row &counted = row_of(expression);
    counted.calls += 1;
    counted.seconds += seconds;
    std::string key = expression;
    for (const input &one : inputs)
        key += one.shape().describe();
    auto known = flops_.find(key);
    if (known == flops_.end()) {
        // contract() does not return its plan, but a plan for the same tensors is the same.
        options.alpha = 1.0;
        options.beta = std::nullopt;
        const contraction_plan plan = make_plan(expression, inputs, c, d, options);
        known = flops_.emplace(key, plan.summary().flops).first;
        note(counted, name(plan.summary().algorithm));
        if (counted.plan.empty())
            counted.plan = plan.explain();
    }
    counted.flops += known->second;
}

void contraction_table::charge(const std::string &what, const std::string &how, double seconds,
                               double flops) {
    row &counted = row_of(what);
    note(counted, how);
    counted.calls += 1;
    counted.seconds += seconds;
    counted.flops += flops;
}

void contraction_table::print(bool plans) const {
    int what_width = 11, algorithm_width = 9; // widths of the titles
    for (const row &one : rows_) {
        what_width = std::max(what_width, static_cast<int>(one.what.size()));
        algorithm_width = std::max(algorithm_width, static_cast<int>(one.algorithms.size()));
    }
    std::printf("%-*s %7s  %-*s %9s %9s\n", what_width, "contraction", "calls", algorithm_width,
                "algorithm", "seconds", "GFLOP/s");
    for (const row &one : rows_) {
        std::printf("%-*s %7d  %-*s %9.4f", what_width, one.what.c_str(), one.calls,
                    algorithm_width, one.algorithms.c_str(), one.seconds);
        if (one.flops > 0)
            std::printf(" %9.2f", one.flops / one.seconds * 1e-9);
        std::printf("\n");
    }
    for (const row &one : rows_)
        if (plans && !one.plan.empty())
            std::printf("\n%s", one.plan.c_str());
}

contraction_table::row &contraction_table::row_of(const std::string &what) {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const row &one) { return one.what == what; });
    return found != rows_.end()
               ? *found
               : rows_.emplace_back(row{.what = what, .algorithms = "", .plan = ""});
}

void contraction_table::note(row &row, std::string_view algorithm) {
    if (row.algorithms.find(algorithm) != std::string::npos)
        return;
    row.algorithms += row.algorithms.empty() ? "" : ", ";
    row.algorithms += algorithm;
}

} // namespace tenfold::examples

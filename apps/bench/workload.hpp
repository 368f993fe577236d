// The tensors of one case, and Tenfold's call that computes it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/context.hpp>
#include <tenfold/transpose.hpp>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/case_list.hpp"
#include "apps/bench/page_memory.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {

/// A plan for a contraction, and its run from the case's inputs into its output.
struct planned_contraction {
    std::function<void()> run;
    tenfold::algorithm algorithm; ///< the chosen one
    double predicted_seconds;
};

class workload {
public:
    /// Allocates and fills the tensors and makes the plan. Throws as both do.
    workload(const bench_case &definition, const bench_options &options, const context &ctx);

    /// Makes the plan of a transposition again.
    transpose_plan make_transpose_plan(tenfold::tuning level) const;
    transpose_plan make_transpose_plan() const { return make_transpose_plan(tuning_); }
    /// Returns a call that runs the plan.
    std::function<void()> transposition(transpose_plan plan);

    /// Returns the contraction as a call without a plan, contract("...", A, B, D).
    std::function<void()> one_shot();
    /// The same from views, whose layouts become arguments in every call, as in most programs. For
    /// products of two tensors of one arithmetic type; otherwise one_shot().
    std::function<void()> one_shot_from_views();
    /// Returns the contraction by a plan with a forced algorithm. Throws as make_plan().
    planned_contraction contraction_by(tenfold::algorithm wanted);

    const bench_case &definition() const noexcept { return definition_; }
    data_type type() const noexcept { return type_; }
    double beta() const noexcept { return beta_; }
    int threads() const noexcept { return threads_; }

    const placed_array &input_array(std::size_t i) const noexcept { return inputs_[i]; }
    placed_array &output_array() noexcept { return d_; }

    /// D = A B + beta D, by Tenfold.
    void run() { run_(); }
    /// Returns the same matrix product on another number of threads.
    std::function<void()> matrix_product_on(int threads);
    /// The chosen algorithm: "fused", "transpose", ...
    const std::string &algorithm() const noexcept { return algorithm_; }

    /// Seconds that the plan predicts for one run; empty if it predicts none.
    std::optional<double> predicted_seconds() const noexcept { return predicted_seconds_; }

    /// Resets the output: to generated values if beta is not 0, else to NaN, or -1 of integers.
    void reset_output();
    /// Compares the output with the result of one run after reset_output().
    contract_impl::verification check() const;

private:
    void make_inputs(const placement &where);
    void plan_transposition();
    void plan_matrix_product();
    void plan_contraction();

    bench_case definition_;
    data_type type_;
    double beta_;
    int threads_;
    tenfold::algorithm wanted_;
    tenfold::tuning tuning_;
    const context &context_;
    std::vector<placed_array> inputs_;
    placed_array d_;
    std::function<void()> run_;
    std::string algorithm_;
    std::optional<double> predicted_seconds_;
};

} // namespace tenfold::apps_impl
